"""Facts about a step, depending on its kind."""

from __future__ import annotations

import numpy as np

from gradviz.analysis.history_cuts import missing_cuts
from gradviz.analysis.index.step_queries import pass_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.saved_memory import by_module, saved_memory
from gradviz.analysis.received_gradients import ReceivedGradient, received_gradients
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.training.parameter_updates import ParameterUpdate, parameter_updates
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import number_text
from gradviz.document.facts.backward_facts import accumulate_sections, node_sections
from gradviz.document.facts.dispatch_facts import dispatch_sections
from gradviz.document.facts.fact_rows import (
    ChangeRow,
    FactRow,
    FactSection,
    TextRow,
    ValueRow,
    steps_row,
    values,
)
from gradviz.document.facts.node_facts import (
    call_sections,
    context_section,
    place_text,
    saved_section,
)
from gradviz.document.tag import PillTone, Tag
from gradviz.model.item import Item, gradient_name
from gradviz.model.source import Location, source_lines
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.step_values import named_outputs
from gradviz.text.phrases import size_text
from gradviz.text.saved_memory import memory_rules, module_title
from gradviz.text.sentences.values import leaf_name

_MOST_SAVING = 6
"""Number of modules whose saved memory is listed."""

_MOST_SECTIONS = 12
"""Number of parameters that get a section; of further ones only the names are listed."""


def optimizer_sections(index: TraceIndex, step: OptimizerStep) -> tuple[FactSection, ...]:
    """Sections on each parameter and its gradient, changed ones first, and the settings."""
    moves = sorted(parameter_updates(index, step), key=lambda move: move.how != "moved")
    sections = [_parameter(index, move) for move in moves[:_MOST_SECTIONS]]
    if moves[_MOST_SECTIONS:]:
        names = ", ".join(move.before.name for move in moves[_MOST_SECTIONS:])
        left = len(moves) - _MOST_SECTIONS
        title = say_count("facts.more_parameter", left)
        more = (TextRow(text=names),)
        sections.append(FactSection(key="more_parameters", title=title, rows=more, folded=True))
    given = tuple(item for item in step.settings if item.kind != "none")
    if given:
        rows = values(given)
        sections.append(
            FactSection(key="settings", title=say("facts.settings"), rows=rows, folded=True)
        )
    return tuple(sections)


def _parameter(index: TraceIndex, move: ParameterUpdate) -> FactSection:
    name = move.before.name
    before = ValueRow(name=say("facts.before"), item=move.before)
    gradient = ValueRow(name=say("facts.grad", name=name), item=move.gradient)
    rows: tuple[FactRow, ...] = (before, gradient)
    becomes = ""
    if move.after is not None and move.after.tensor != move.before.tensor:
        after = ValueRow(name=say("facts.after"), item=move.after)
        moved = move.how == "moved"
        text = _change(index, move) if moved else say("facts.unchanged")
        tone: PillTone = "accent" if moved else "plain"
        change = ChangeRow(before=before, after=after, change=text, tone=tone)
        rows, becomes = (change, gradient), say("facts.after")
    hint = {
        "same": say("facts.unchanged"),
        "without": say("facts.unchanged_no_gradient"),
        "unknown": say("facts.step_did_not_return"),
    }.get(move.how, "")
    return FactSection(key=f"parameter-{name}", title=name, hint=hint, becomes=becomes, rows=rows)


def _change(index: TraceIndex, move: ParameterUpdate) -> str:
    """Largest change of an element, if all elements were kept."""
    before, after = _elements(index, move.before), _elements(index, move.after)
    if before is None or after is None or before.shape != after.shape or not before.size:
        return say("facts.moved")
    farthest = float(np.abs(after - before).max())
    if not np.isfinite(farthest):
        return say("facts.moved")
    return say("facts.moved_up", farthest=number_text(farthest))


def _elements(index: TraceIndex, item: Item | None) -> np.ndarray | None:
    number = None if item is None else item.tensor
    record = None if number is None else index.tensor.get(number)
    if number is None or record is None or record.content != "whole":
        return None
    value = index.value(number) if record.dtype in ("float64", "float32") else None
    return None if value is None else value.array()


def missing_sections(index: TraceIndex, step: PassEndStep) -> tuple[FactSection, ...]:
    """A section with the steps that cut the results of a pass off from the graph."""
    cuts = missing_cuts(index, step.pass_id)
    rows = tuple(
        steps_row(say("facts.gradient", name=cut.gradient), [cut.step])
        for cut in cuts
        if cut.step != step.number
    )
    section = FactSection(key="cut", title=say("facts.cut_off_before_step"), rows=rows)
    return (section,) if rows else ()


def title_of(index: TraceIndex, step: Step) -> str:
    """Title of a step: its op, node, leaf, exception or optimizer."""
    match step:
        case ForwardStep(call=None):
            return step.op
        case ForwardStep():
            return say("facts.forward_2", function=step.op)
        case PassBeginStep():
            return say("facts.backward_pass_begins")
        case NodeStep():
            return _node_title(index, step.node)
        case AccumulateStep():
            return say("facts.grad", name=leaf_name(index.node[step.node]))
        case PassEndStep():
            return say("facts.backward_pass_ends")
        case ErrorStep():
            return step.exception
        case DispatchStep(function=name) | MissingStep(name=name):
            return name or say("facts.missing_step")
        case OptimizerStep():
            return say("facts.step_2", optimizer=step.optimizer)


def sections_of(revealed: RevealedTrace, step: Step) -> tuple[FactSection, ...]:
    """Sections on everything known about a step, without its results if they are hidden."""
    index = revealed.index
    assert index is not None
    match step:
        case ForwardStep():
            return _forward(index, step)
        case PassBeginStep():
            return (*_begin(step), *_saved_memory(index, step))
        case NodeStep():
            return node_sections(revealed, index, step)
        case AccumulateStep():
            return accumulate_sections(index, step)
        case PassEndStep():
            return (*_end(index, step), *missing_sections(index, step))
        case ErrorStep():
            return _error(index, step)
        case DispatchStep():
            return dispatch_sections(index, step)
        case OptimizerStep():
            return optimizer_sections(index, step)
        case MissingStep():
            return ()


def _node_title(index: TraceIndex, node: int) -> str:
    call = index.node[node].call
    if call is not None and call in index.call:
        made = index.call[call]
        method = "vjp" if made.backward_name == "vjp" else "backward"
        return f"{made.function}.{method}"
    return index.node[node].name


def _forward(index: TraceIndex, step: ForwardStep) -> tuple[FactSection, ...]:
    call = index.call.get(step.call) if step.call is not None else None
    saved = saved_section(index, step.node)
    if call is not None:
        return (*call_sections(index, call), *saved, *context_section(call))
    return (
        FactSection(key="arguments", title=say("facts.inputs"), rows=values(step.inputs)),
        FactSection(key="outputs", title=say("facts.outputs"), rows=values(named_outputs(step))),
        *saved,
    )


def _begin(step: PassBeginStep) -> tuple[FactSection, ...]:
    rows: list[ValueRow] = []
    for root in step.roots:
        rows.append(ValueRow(name=root.value.name, item=root.value))
        name = gradient_name(root.gradient.name)
        rows.append(ValueRow(name=name, item=root.gradient))
    how = "facts.backward_gradients_accumulated_leaves"
    texts = [say(how if step.accumulate else "facts.autograd_grad_gradients_returned")]
    texts += [say("facts.create_graph_pass_records")] if step.create_graph else []
    texts += [say("facts.retain_graph_graph_can")] if step.keep_graph else []
    texts += [place_text(step.location)] if step.location is not None else []
    flags = tuple([TextRow(text=text) for text in texts])
    return (
        FactSection(key="roots", title=say("facts.starts_from"), rows=tuple(rows)),
        FactSection(key="how", title=say("facts.how"), rows=flags),
    )


def _saved_memory(index: TraceIndex, step: PassBeginStep) -> tuple[FactSection, ...]:
    """A section on the bytes that are saved for a pass, by module."""
    memory = saved_memory(index, pass_at(index, step.number))
    if memory is None:
        return ()
    modules = by_module(index, memory.nodes)
    parts = [(module_title(each), each.size) for each in modules]
    if len(modules) == 1 and not modules[0].path:
        parts = [(index.node[each.node].name, each.size) for each in modules[0].nodes]
    rows = [TextRow(text=f"{name}: {size_text(size)}") for name, size in parts if size]
    if rows[_MOST_SAVING:]:
        rows[_MOST_SAVING:] = [TextRow(text=say("list.rest", count=len(rows) - _MOST_SAVING))]
    rows.append(TextRow(text=memory_rules(memory)))
    title, hint = say("facts.saved_for_pass"), size_text(memory.size)
    return (FactSection(key="memory", title=title, hint=hint, rows=tuple(rows)),)


def _end(index: TraceIndex, step: PassEndStep) -> tuple[FactSection, ...]:
    rows = [row for each in received_gradients(index, step) for row in _received(index, each)]
    if not rows:
        return ()
    title = say("facts.returned_gradients" if step.results else "facts.received_gradients")
    return (FactSection(key="results", title=title, rows=tuple(rows)),)


def _received(index: TraceIndex, gradient: ReceivedGradient) -> tuple[FactRow, ...]:
    """A gradient, and below it the correct one where a check knows it."""
    name = gradient.name or say("facts.leaf_2")
    name = f"{name}.grad" if gradient.accumulated else gradient_name(name)
    tags: tuple[Tag, ...] = ()
    if gradient.correct is not None:
        tip = say("facts.check_found_wrong_elements")
        tags = (Tag(say("facts.wrong"), "error", tip),)
    elif gradient.verified:
        tip = say("facts.check_found_no_wrong")
        tags = (Tag(say("facts.checked"), "ok", tip),)
    if gradient.changed:
        tip = say("facts.has_changed_since_accumulated")
        tags = (*tags, Tag(say("facts.changed_again"), "plain", tip))
    shown = ValueRow(name=name, item=gradient.item, tags=tags)
    if gradient.correct is None and gradient.numerical is None:
        return (shown,)
    return (shown, _other_values(name, _elements(index, gradient.item), gradient))


def _other_values(name: str, found: np.ndarray | None, gradient: ReceivedGradient) -> TextRow:
    """The values that a gradient should have, or those of finite differences."""
    known = "numerical" if gradient.correct is None else "correct"
    if gradient.correct is not None and gradient.numerical is not None:
        known = "both"
    other = gradient.numerical if gradient.correct is None else gradient.correct
    assert other is not None
    if other.size == 1:
        got = "" if found is None else number_text(float(found.item()))
        right = number_text(float(other.item()))
        text = say(f"facts.gradient.{known}", found=got, correct=right)
        return TextRow(text=text, tone="plain" if gradient.correct is None else "error")
    numbers = np.array2string(other, precision=6, suppress_small=True, threshold=100)
    text = f"{say(f'facts.gradients.{known}', name=name)} =\n{numbers}"
    return TextRow(text=text, block=True)


def _error(index: TraceIndex, step: ErrorStep) -> tuple[FactSection, ...]:
    text = step.message.strip() or say("facts.no_message")
    message = TextRow(text=text, block=True, tone="error")
    sections = [FactSection(key="error", title=say("facts.message"), rows=(message,))]
    if step.location is not None:
        place = TextRow(text=place_text(step.location))
        line = source_line(index, step.location)
        block = (TextRow(text=line, block=True),) if line else ()
        sections.append(FactSection(key="line", title=say("facts.line_3"), rows=(place, *block)))
    if step.traceback:
        text = "\n".join(_frame(index, frame) for frame in step.traceback)
        rows = (TextRow(text=text, block=True),)
        sections.append(
            FactSection(key="traceback", title=say("facts.traceback"), rows=rows, folded=True)
        )
    call = index.call.get(step.call) if step.call is not None else None
    if call is not None:
        sections += call_sections(index, call)
    return (*sections, *saved_section(index, step.node, step.number))


def source_line(index: TraceIndex, location: Location) -> str:
    """The text of a line without its indentation; empty if unknown."""
    source = index.source.get(location.source) if location.source is not None else None
    lines = source_lines(source.text) if source is not None else ()
    return lines[location.line - 1].strip() if 1 <= location.line <= len(lines) else ""


def _frame(index: TraceIndex, frame: Location) -> str:
    line = source_line(index, frame)
    place = place_text(frame)
    return f"{place}\n    {line}" if line else place
