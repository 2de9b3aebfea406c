"""Facts about a place inside a step: a stage, a line, or an op with what it changed in place."""

from __future__ import annotations

import ast
import textwrap

import numpy as np
from msgspec import structs
from msgspec.structs import replace

from gradviz.analysis.index.returned_values import returned_values
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.executed_lines import execution_up_to
from gradviz.analysis.position.stage_order import stage_order
from gradviz.analysis.position.trace_position import TracePosition, stage_record_at
from gradviz.analysis.source_statements import parse_source
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.document.facts.backward_facts import (
    accumulate_sections,
    given_sections,
    incoming_section,
    returned_sections,
)
from gradviz.document.facts.builtin_facts import builtin_node, differentiation_sections
from gradviz.document.facts.dispatch_facts import dispatch_sections
from gradviz.document.facts.fact_rows import (
    ChangeRow,
    FactRow,
    FactSection,
    PlacesRow,
    TextRow,
    ValueRow,
    values,
)
from gradviz.document.facts.node_facts import (
    call_sections,
    context_section,
    place_text,
    saved_section,
)
from gradviz.document.facts.step_facts import source_line
from gradviz.document.location_text import breadcrumb_of
from gradviz.document.tag import Tag
from gradviz.model.inside import ExecutedLine, Op, StageKind, StageRecord
from gradviz.model.item import Item, gradient_name
from gradviz.model.source import source_lines, user_line
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
from gradviz.text.sentences.stage_facts import stage_facts

_MOST_DIFFERENCE = 36
"""Largest number of elements of a tensor whose difference is printed."""


def op_sections(index: TraceIndex, op: Op) -> tuple[FactSection, ...]:
    """Sections on tensors written in place, and on the other inputs and outputs."""
    pairs = _written(index, op)
    shown = {id(item) for _, *pair in pairs for item in pair}
    inputs = tuple(each for each in op.inputs if id(each) not in shown)
    outputs = tuple(each for each in op.outputs if id(each) not in shown)
    sections = (
        _changed(index, pairs),
        FactSection(key="op-inputs", title=say("facts.inputs"), rows=values(inputs)),
        _outputs(op, outputs),
        _about(index, op),
    )
    return tuple(section for section in sections if section.rows)


def _outputs(op: Op, items: tuple[Item, ...]) -> FactSection:
    rows: tuple[FactRow, ...] = values(items)
    if not op.finished:
        rows = (*rows, TextRow(text=say("facts.op_did_not_return"), tone="warning"))
    return FactSection(key="op-outputs", title=say("facts.outputs"), rows=rows)


def _written(index: TraceIndex, op: Op) -> tuple[tuple[int, Item, Item], ...]:
    """For each input written in place: its position, the input, and the output it becomes."""
    pairs = []
    for at in op.writes:
        before = op.inputs[at] if at < len(op.inputs) else None
        after = None if before is None else _same_memory(index, before, op.outputs)
        if before is not None and after is not None:
            pairs.append((at, before, after))
    return tuple(pairs)


def _changed(index: TraceIndex, pairs: tuple[tuple[int, Item, Item], ...]) -> FactSection:
    rows: list[FactRow] = []
    for _, before, after in pairs:
        rows += change_rows(index, before, after, say("facts.written_place"))
    title, becomes = say("facts.changed_place"), say("facts.after")
    return FactSection(key="op-writes", title=title, becomes=becomes, rows=tuple(rows))


def change_rows(index: TraceIndex, before: Item, after: Item, change: str) -> tuple[FactRow, ...]:
    """Rows for a tensor before and after and a small difference."""
    row = ChangeRow(
        before=ValueRow(name=before.name, item=before),
        after=ValueRow(name=before.name, item=after),
        change=change,
    )
    difference = _difference(index, before, after)
    return (row, TextRow(text=difference, block=True)) if difference else (row,)


def _same_memory(index: TraceIndex, item: Item, outputs: tuple[Item, ...]) -> Item | None:
    """The output that shares memory with an input; None without one."""
    storage = _storage(index, item)
    found = (each for each in outputs if storage and _storage(index, each) == storage)
    return next(found, None)


def _storage(index: TraceIndex, item: Item) -> int | None:
    known = item.tensor is not None and item.tensor in index.tensor
    return index.tensor.bare(item.tensor).storage if known and item.tensor is not None else None


def _difference(index: TraceIndex, before: Item, after: Item) -> str:
    """After minus before, as text; empty if it is too large or unknown."""
    if before.tensor is None or after.tensor is None:
        return ""
    old, new = index.tensor.get(before.tensor), index.tensor.get(after.tensor)
    if old is None or new is None or old.shape != new.shape or old.count > _MOST_DIFFERENCE:
        return ""
    values = index.value(before.tensor), index.value(after.tensor)
    if values[0] is None or values[1] is None or not old.dtype.startswith(("float", "bfloat")):
        return ""
    with np.errstate(all="ignore"):
        difference = values[1].array() - values[0].array()
    numbers = np.array2string(difference, precision=4, suppress_small=True)
    return f"{say('facts.after_before')} =\n{numbers}"


def _about(index: TraceIndex, op: Op) -> FactSection:
    rows: list[FactRow] = []
    if not op.seen:
        text = say("facts.autograd_does_not_record")
        rows.append(TextRow(text=text, tone="warning"))
    location = user_line(op.location)
    if location is not None:
        rows.append(TextRow(text=say("facts.called_2", place=place_text(location))))
        code = source_line(index, location)
        rows += [TextRow(text=code, block=True)] if code else []
    return FactSection(key="op-call", title=say("facts.call"), rows=tuple(rows))


MOST_PLACES = 12


def line_sections(
    index: TraceIndex, place: TracePosition, part: StageRecord, at: int
) -> tuple[FactSection, ...]:
    """Sections on everything that is known about a line.

    Args:
        index: The trace.
        place: Place of the line.
        part: The stage that contains the line.
        at: Position of the line in the stage.
    """
    line = part.lines[at]
    code = code_of(index, line)
    known = execution_up_to(part, at, over=True).locals(line.frame)
    changed = {item.name for item in line.changes}
    read = _names_read(code)
    # A variable that is both read and changed is already shown with both values.
    reads = [each.item for each in known if each.item.name in read - changed]
    others = [each.item for each in known if each.item.name not in read | changed]
    returned = returned_values(index, place.step, part, line)
    if part.stage == "backward" and returned != (line.result,):
        # They have the names of the arguments, which the line may read, too.
        returned = tuple(structs.replace(each, name=gradient_name(each.name)) for each in returned)
    changes = _changed_rows(index, part, at)
    becomes = say("facts.after") if any(isinstance(row, ChangeRow) for row in changes) else ""
    sections = (
        FactSection(key="line-reads", title=say("facts.reads"), rows=values(tuple(reads))),
        FactSection(key="line-changes", title=say("facts.changes"), becomes=becomes, rows=changes),
        FactSection(key="line-result", title=say("facts.returns"), rows=values(returned)),
        inner_section(index, place),
        FactSection(
            key="locals",
            title=say("facts.other_local_variables"),
            rows=values(tuple(others)),
            folded=True,
        ),
    )
    return tuple(section for section in sections if section.rows)


def inner_section(index: TraceIndex, place: TracePosition) -> FactSection:
    """Links to everything directly inside a place."""
    part = stage_record_at(index, place)
    # Create only as many places as are shown, since a stage can have very many ops.
    inside = [] if part is None else stage_order(part).inside(place.line)
    places = (replace(place, line=line, op=op) for line, op in inside[:MOST_PLACES])
    shown = tuple(breadcrumb_of(index, each) for each in places)
    rows: tuple[FactRow, ...] = (PlacesRow(text=say("facts.into"), places=shown),) if shown else ()
    hidden = len(inside) - len(shown)
    if hidden:
        text = say("facts.more_listed_ops_source", count=format_count(hidden))
        rows = (*rows, TextRow(text=text))
    return FactSection(key="inside", title=say("facts.inside"), rows=rows)


def code_of(index: TraceIndex, line: ExecutedLine) -> str:
    """The text of a statement without its indentation; empty if unknown."""
    number = line.location.source
    source = None if number is None else index.source.get(number)
    lines = () if source is None else source_lines(source.text)
    return textwrap.dedent("\n".join(lines[line.location.line - 1 : line.last_line]))


def _changed_rows(index: TraceIndex, part: StageRecord, at: int) -> tuple[FactRow, ...]:
    line, facts = part.lines[at], stage_facts(part)
    rows: list[FactRow] = []
    for item in line.changes:
        before = facts.before(at, item.name)
        if _are_two_tensors(index, before, item) and before is not None:
            same = _storage(index, before) == _storage(index, item)
            change = say("facts.changed_place") if same else say("facts.refers_another_tensor_from")
            rows += change_rows(index, before, item, change)
        else:
            tags = (Tag(say("facts.new"), "accent"),) if before is None else ()
            rows.append(ValueRow(name=item.name, item=item, tags=tags))
    if line.removed:
        text = say("facts.deleted", names=", ".join(line.removed))
        rows.append(TextRow(text=text))
    if not line.finished:
        text = say("facts.interrupted_exception_or_end")
        rows.append(TextRow(text=text, tone="warning"))
    return tuple(rows)


def _are_two_tensors(index: TraceIndex, before: Item | None, after: Item) -> bool:
    if before is None or before.tensor is None or after.tensor is None:
        return False
    known = before.tensor in index.tensor and after.tensor in index.tensor
    return known and before.tensor != after.tensor


def _names_read(code: str) -> frozenset[str]:
    """The names that a statement, or the header of a compound one, reads."""
    for text in (code, f"{code}\n    pass"):
        if (tree := parse_source(text)) is None:
            continue
        nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        return frozenset(node.id for node in nodes if isinstance(node.ctx, ast.Load))
    return frozenset()


def sections_at(index: TraceIndex, place: TracePosition) -> tuple[FactSection, ...]:
    """Sections on everything that is known about a place inside a step."""
    part = stage_record_at(index, place)
    if part is not None and place.op is not None:
        return op_sections(index, part.ops[place.op])
    if part is not None and place.line is not None:
        return line_sections(index, place, part, place.line)
    step = step_at(index, place.step)
    if step is None or place.stage is None:
        return ()
    own = _of_stage(index, step, place.stage)
    return (*own, *_changes(index, place, part), *_inner(index, place))


def is_finished(index: TraceIndex, place: TracePosition) -> bool:
    """Whether a place was left neither by an exception nor by the end of the run."""
    part = stage_record_at(index, place)
    if part is None:
        return True
    if place.op is not None:
        return part.ops[place.op].finished
    return part.finished if place.line is None else part.lines[place.line].finished


def _of_stage(index: TraceIndex, step: Step, stage: StageKind) -> tuple[FactSection, ...]:
    match step:
        case ForwardStep(call=None):
            return _of_builtin(index, step, stage)
        case ForwardStep():
            return _of_call(index, step, stage)
        case NodeStep() if stage == "engine":
            return returned_sections(index, step)
        case NodeStep():
            call = index.node[step.node].call
            context = context_section(index.call[call]) if call in index.call else ()
            saved = saved_section(index, step.node)
            how = differentiation_sections(index, index.node[step.node], step.number)
            return (incoming_section(step), *given_sections(index, step), *saved, *context, *how)
        case AccumulateStep():
            return accumulate_sections(index, step)
        case DispatchStep():
            return dispatch_sections(index, step)
        case PassBeginStep() | PassEndStep() | ErrorStep() | OptimizerStep() | MissingStep():
            return ()


def _of_builtin(index: TraceIndex, step: ForwardStep, stage: StageKind) -> tuple[FactSection, ...]:
    how = differentiation_sections(index, builtin_node(index, step.number), step.number)
    if stage == "save":
        return (*saved_section(index, step.node), *how)
    return (
        FactSection(key="arguments", title=say("facts.inputs"), rows=values(step.inputs)),
        FactSection(key="outputs", title=say("facts.outputs"), rows=values(named_outputs(step))),
    )


def _of_call(index: TraceIndex, step: ForwardStep, stage: StageKind) -> tuple[FactSection, ...]:
    call = None if step.call is None else index.call.get(step.call)
    if call is None:
        return ()
    if stage == "save":
        return saved_section(index, step.node)
    if stage == "setup_context":
        return (*context_section(call), *call_sections(index, call))
    return call_sections(index, call)


def _changes(
    index: TraceIndex, place: TracePosition, part: StageRecord | None
) -> tuple[FactSection, ...]:
    """Links to the ops of a stage that write in place."""
    writing = [] if part is None else [at for at, op in enumerate(part.ops) if op.writes]
    if part is None or not writing:
        return ()
    shown = tuple(
        breadcrumb_of(
            index, TracePosition(step=place.step, stage=place.stage, line=part.ops[at].line, op=at)
        )
        for at in writing[:MOST_PLACES]
    )
    text = say_count("facts.op_write", len(writing))
    rows = (PlacesRow(text=text, places=shown),)
    return (FactSection(key="stage-writes", title=say("facts.changed_place"), rows=rows),)


def _inner(index: TraceIndex, place: TracePosition) -> tuple[FactSection, ...]:
    section = inner_section(index, place)
    return (section,) if section.rows else ()
