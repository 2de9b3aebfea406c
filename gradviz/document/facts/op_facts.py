"""Facts about an op: its inputs, its outputs, and what it changed in place."""

from __future__ import annotations

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.document.facts.fact_rows import (
    ChangeRow,
    FactRow,
    FactSection,
    TextRow,
    ValueRow,
    values,
)
from gradviz.document.facts.node_facts import place_text
from gradviz.document.facts.step_facts import source_line
from gradviz.model.inside import Op
from gradviz.model.item import Item
from gradviz.model.source import user_line

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
        rows = (
            *rows,
            TextRow(text=say("facts.op_did_not_return"), tone="warning"),
        )
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
