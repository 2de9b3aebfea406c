"""The facts that the inspector shows: those of the current place or of the selected node."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import (
    is_outside_scope,
    module_path,
    node_at_step,
    node_status,
    step_at,
)
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.saved_memory import freed_at
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.messages import say
from gradviz.document.facts.builtin_facts import builtin_node, differentiation_sections
from gradviz.document.facts.fact_rows import (
    FactRow,
    FactSection,
    InspectorFacts,
    ScaleRow,
    TextRow,
    steps_row,
    value_rows,
)
from gradviz.document.facts.location_facts import is_finished, sections_at
from gradviz.document.facts.node_facts import call_sections, context_section, saved_section
from gradviz.document.facts.step_facts import sections_of, title_of
from gradviz.document.location_text import crumbs, title_of_place
from gradviz.document.tag import PillTone, Tag
from gradviz.model.graph import Node
from gradviz.model.step import DispatchStep, ErrorStep, ForwardStep, Step
from gradviz.model.tensor import is_integral
from gradviz.text.narration import describe_position, describe_revealed


def _with_scale(index: TraceIndex, sections: tuple[FactSection, ...]) -> tuple[FactSection, ...]:
    """Add the color scale below the sections if they compare values."""
    rows = [row for section in sections if not section.folded for row in section.rows]
    shown = value_rows(rows)
    tensors = [(row.name, row.item.tensor) for row in shown if row.item.tensor is not None]
    records = [(name, index.tensor.get(tensor)) for name, tensor in tensors]
    kept = [(name, each.dtype) for name, each in records if each is not None and each.kept_bytes]
    # Integers have a scale of their own.
    numbers = [name for name, dtype in kept if not is_integral(dtype)]
    names = numbers or [name for name, _ in kept]
    if len(names) < 2:
        return sections
    row = ScaleRow(names=tuple(dict.fromkeys(names)))
    title = say("facts.colors")
    return (*sections, FactSection(key="scale", title=title, rows=(row,)))


_MOST_STEPS = 12


def current_facts(
    revealed: RevealedTrace,
    number: int,
    *,
    place: TracePosition | None = None,
    level: Level = "node",
) -> InspectorFacts | None:
    """Collect the facts of a step or of a place inside it; None if there is no such step.

    Args:
        revealed: The trace, with the results that may be shown.
        number: Number of the step.
        place: The current place in the step; None for the whole step.
        level: The stepping level.
    """
    index, step = revealed.index, None
    if index is not None:
        step = step_at(index, number)
    if index is None or step is None:
        return None
    count = say("facts.step", number=number, count=len(index.trace.steps))
    if place is not None and place.stage is not None:
        return _facts_inside(revealed, step, place, count)
    whole = describe_revealed(revealed, TracePosition(step=number), level)
    sections = sections_of(revealed, step)
    if revealed.shows(number):
        sections += differentiation_sections(index, builtin_node(index, number), number)
    return InspectorFacts(
        title=title_of(index, step),
        place=count,
        sentence=whole,
        sections=_with_scale(index, sections),
        tags=_step_tags(step),
    )


def _facts_inside(
    revealed: RevealedTrace, step: Step, place: TracePosition, count: str
) -> InspectorFacts:
    index = revealed.index
    assert index is not None
    tags = _step_tags(step)
    if not is_finished(index, place) and not any(tag.tone == "error" for tag in tags):
        tip = say("facts.raised_exception_or_run")
        tags = (*tags, Tag(say("facts.not_finished"), "error", tip))
    return InspectorFacts(
        title=title_of_place(index, place),
        place=count,
        sentence=describe_position(index, place),
        sections=_with_scale(index, sections_at(index, place)),
        tags=tags,
        crumbs=crumbs(index, place),
    )


def shows_selection(index: TraceIndex, number: int, selection: int | None) -> bool:
    """Whether a selected node is not the node of the current step."""
    return (
        selection is not None
        and selection in index.node
        and node_at_step(index, number) != selection
    )


def facts_of_node(revealed: RevealedTrace, node_id: int, number: int) -> InspectorFacts:
    """Collect the facts of a node that are known at a step; see `current_facts`."""
    index = revealed.index
    assert index is not None
    node = index.node[node_id]
    visits = index.visits.get(node_id, ())
    seen = [visit for visit in visits if visit <= number]
    last = step_at(index, seen[-1]) if seen else None
    call = index.call.get(node.call) if node.call is not None else None
    if last is not None:
        sections = sections_of(revealed, last)
    else:
        sections = saved_section(index, node_id)
        sections += context_section(call) if call else ()
    if freed_at(index, node_id, number) is not None:
        now = saved_section(index, node_id, number)
        sections = tuple([each if each.key != "saved" else now[0] for each in sections])
    if call is not None:
        sections = (*sections, *call_sections(index, call))
    if last is None or revealed.shows(last.number):
        sections = (*sections, *differentiation_sections(index, node, number))
    return InspectorFacts(
        title=node.name,
        place=say("facts.selected"),
        sentence=_node_sentence(revealed, node, number, last),
        sections=_with_scale(index, (_visits(index, node, visits), *sections)),
        tags=_node_tags(node),
    )


def _node_sentence(revealed: RevealedTrace, node: Node, number: int, last: Step | None) -> str:
    index = revealed.index
    assert index is not None
    if last is not None:
        sentence = describe_revealed(revealed, TracePosition(step=last.number))
        if not revealed.shows(last.number):
            return sentence
        return say("facts.at_step", number=last.number, sentence=sentence)
    if is_outside_scope(index, node.id):
        return say("facts.only_calls_inside_recorded", path=index.trace.scope.only)
    if node_status(index, node.id, number) == "untouched":
        return say("facts.backward_pass_does_not")
    return say("facts.no_gradient_has_reached")


def _visits(index: TraceIndex, node: Node, visits: tuple[int, ...]) -> FactSection:
    rows: list[FactRow] = []
    made = index.made_at.get(node.id)
    if made is not None:
        rows.append(steps_row(say("facts.created_at"), [made]))
    if visits:
        rows.append(steps_row(say("facts.executed_at"), visits[:_MOST_STEPS]))
    else:
        rows.append(TextRow(text=say("facts.never_executed")))
    if module := module_path(index, node.id):
        rows.append(TextRow(text=say("facts.module", name=module)))
    return FactSection(key="steps", title=say("facts.steps"), rows=tuple(rows))


def _node_tags(node: Node) -> tuple[Tag, ...]:
    names: dict[str, tuple[str, PillTone]] = {
        "custom": (say("facts.custom_function"), "accent"),
        "builtin": (say("facts.built"), "plain"),
        "accumulate": (say("facts.leaf_2"), "leaf"),
        "error": (say("facts.raises_when_executed"), "error"),
    }
    text, tone = names[node.kind]
    if node.kind == "accumulate" and node.variable_name:
        text = say("facts.leaf_3", name=node.variable_name)
    return (Tag(text, tone),)


def _step_tags(step: Step) -> tuple[Tag, ...]:
    """What is unusual about a step; the bar below the graph names its phase."""
    if isinstance(step, ForwardStep) and step.rerun:
        tip = say("facts.activation_checkpointing_recomputes_restore")
        return (Tag(say("facts.recomputed"), "accent", tip),)
    if isinstance(step, ErrorStep):
        return (Tag(say("facts.run_ended_here"), "error"),)
    if isinstance(step, DispatchStep) and step.error:
        return (Tag(say("facts.raised"), "error", step.error),)
    tip = say("facts.run_ended_during_step")
    finished = getattr(step, "finished", True)
    return () if finished else (Tag(say("facts.not_finished"), "error", tip),)
