"""The facts that the inspector shows: those of the current place or of the selected node."""

from __future__ import annotations

from gradviz.model.graph import Node
from gradviz.model.index import Index
from gradviz.model.narrate import question, sentence, sentence_at
from gradviz.model.places import Level, Place
from gradviz.model.query import module_path, node_now, node_status, step_at
from gradviz.model.step import DispatchStep, ErrorStep, ForwardStep, OptimizerStep, Step
from gradviz.viewer.inspector.builtin_facts import builtin_node, differentiation_sections
from gradviz.viewer.inspector.facts import Facts, Row, Section, StepsRow, TextRow, tr
from gradviz.viewer.inspector.finding_facts import finding_section
from gradviz.viewer.inspector.node_facts import call_sections, context_section, saved_section
from gradviz.viewer.inspector.place_facts import is_finished, sections_at
from gradviz.viewer.inspector.step_facts import sections_of, title_of
from gradviz.viewer.places import crumbs, title_of_place
from gradviz.viewer.widgets.pill import Tag, Tone

_MOST_STEPS = 12


def facts_now(
    index: Index,
    number: int,
    *,
    concealed: bool = False,
    place: Place | None = None,
    level: Level = "node",
) -> Facts | None:
    """Collect the facts of a step or of a place inside it; None if there is no such step.

    Args:
        index: The trace.
        number: Number of the step.
        concealed: Whether Quiz Mode still hides the results of the step.
        place: The current place in the step; None for the whole step.
        level: The stepping level.
    """
    step = step_at(index, number)
    if step is None:
        return None
    count = tr("step {number} of {count}").format(number=number, count=len(index.trace.steps))
    if place is not None and place.stage is not None and not concealed:
        return _facts_inside(index, step, place, count)
    whole = sentence_at(index, Place(step=number), level)
    sections = sections_of(index, step, concealed=concealed)
    if not concealed:
        sections = (*finding_section(index, number, whole), *sections)
        sections += differentiation_sections(index, builtin_node(index, number), number)
    return Facts(
        title=title_of(index, step),
        place=count,
        sentence=question(index, step) if concealed else whole,
        sections=sections,
        tags=_step_tags(step),
    )


def _facts_inside(index: Index, step: Step, place: Place, count: str) -> Facts:
    tags = _step_tags(step)
    if not is_finished(index, place) and tags[-1].tone != "error":
        tags = (
            *tags,
            Tag(
                tr("not finished"),
                "error",
                tr("It raised an exception, or the run ended during it."),
            ),
        )
    return Facts(
        title=title_of_place(index, place),
        place=count,
        sentence=sentence_at(index, place),
        sections=sections_at(index, place),
        tags=tags,
        crumbs=crumbs(index, place),
    )


def shows_selection(index: Index, number: int, selection: int | None) -> bool:
    """Whether a selected node is not the node of the current step."""
    return (
        selection is not None and selection in index.node and node_now(index, number) != selection
    )


def facts_of_node(index: Index, node_id: int, number: int, *, concealed: bool = False) -> Facts:
    """Collect the facts of a node that are known at a step; see `facts_now`."""
    node = index.node[node_id]
    visits = index.visits.get(node_id, ())
    seen = [visit for visit in visits if visit <= number]
    last = step_at(index, seen[-1]) if seen else None
    concealed = concealed and last is not None and last.number == number
    call = index.call.get(node.call) if node.call is not None else None
    if last is not None:
        sections = sections_of(index, last, concealed=concealed)
    else:
        sections = saved_section(index, node_id)
        sections += context_section(call) if call else ()
    if call is not None:
        sections = (*sections, *call_sections(index, call))
    if not concealed:
        sections = (*sections, *differentiation_sections(index, node, number))
    return Facts(
        title=node.name,
        place=tr("selected"),
        sentence=_story(index, node, number, last, concealed=concealed),
        sections=(_visits(index, node, visits), *sections),
        tags=_node_tags(node),
    )


def _story(index: Index, node: Node, number: int, last: Step | None, *, concealed: bool) -> str:
    if last is not None and concealed:
        return question(index, last)
    if last is not None:
        text = tr("At step {number}: {sentence}")
        return text.format(number=last.number, sentence=sentence(index, last))
    if node_status(index, node.id, number) == "untouched":
        return tr("This backward pass does not reach it.")
    return tr("No gradient has reached it yet.")


def _visits(index: Index, node: Node, visits: tuple[int, ...]) -> Section:
    rows: list[Row] = []
    made = index.made_at.get(node.id)
    if made is not None:
        rows.append(StepsRow(text=tr("created at"), numbers=(made,)))
    if visits:
        rows.append(StepsRow(text=tr("executed at"), numbers=visits[:_MOST_STEPS]))
    else:
        rows.append(TextRow(text=tr("never executed")))
    if module := module_path(index, node.id):
        rows.append(TextRow(text=tr("module {name}").format(name=module)))
    return Section(key="steps", title=tr("steps"), rows=tuple(rows))


def _node_tags(node: Node) -> tuple[Tag, ...]:
    names: dict[str, tuple[str, Tone]] = {
        "custom": (tr("custom Function"), "accent"),
        "builtin": (tr("built-in"), "plain"),
        "accumulate": (tr("leaf"), "leaf"),
        "error": (tr("raises when executed"), "error"),
    }
    text, tone = names[node.kind]
    if node.kind == "accumulate" and node.variable_name:
        text = tr("leaf {name}").format(name=node.variable_name)
    return (Tag(text, tone),)


def _step_tags(step: Step) -> tuple[Tag, ...]:
    phase = Tag(tr("forward"), "forward")
    if isinstance(step, OptimizerStep):
        phase = Tag(tr("optimizer"), "accent")
    if step.pass_id is not None:
        phase = Tag(tr("backward"), "backward", tr("Pass {number}").format(number=step.pass_id))
    if isinstance(step, ForwardStep) and step.rerun:
        tip = tr(
            "Activation checkpointing recomputes it to restore the tensors that forward did "
            "not save"
        )
        return (phase, Tag(tr("recomputed"), "accent", tip))
    if isinstance(step, ErrorStep):
        return (phase, Tag(tr("the run ended here"), "error"))
    if isinstance(step, DispatchStep) and step.error:
        return (phase, Tag(tr("raised"), "error", step.error))
    finished = getattr(step, "finished", True)
    tip = tr("The run ended during this step.")
    return (phase,) if finished else (phase, Tag(tr("not finished"), "error", tip))
