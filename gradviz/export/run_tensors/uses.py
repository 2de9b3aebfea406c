"""Where a run uses each of its tensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from gradviz.analysis.compare.item_pairs import items_of_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.export.check.npz import matrix_keys
from gradviz.model.inside import StageRecord
from gradviz.model.item import Item
from gradviz.model.step import Step


class ArrayUse(Struct, frozen=True, kw_only=True):
    """One use of a tensor.

    Attributes:
        place: Path of the position, such as ``5`` or ``5/backward/op2``; empty outside of steps.
        node: Node that uses it; None for none.
        role: Its role, such as ``saved``, ``incoming``, ``returned`` or ``total``.
        slot: Index among the values with that role, None values included.
        name: Its name there.
    """

    place: str
    node: int | None
    role: str
    slot: int
    name: str


FoundUse = tuple[int, ArrayUse]


def array_uses(index: TraceIndex) -> dict[int, list[ArrayUse]]:
    """The uses of each tensor, by its number.

    All uses by steps and nodes are listed. A tensor that has none is listed once, where an op or a
    source line first uses it: a run has too many of these to list all.
    """
    found: dict[int, list[ArrayUse]] = {}
    for tensor, use in _uses_of_nodes(index):
        found.setdefault(tensor, []).append(use)
    inner: dict[int, list[ArrayUse]] = {}
    for tensor, use in _inner_uses(index):
        inner.setdefault(tensor, [use])
    return inner | found


def _uses_of_nodes(index: TraceIndex) -> Iterator[FoundUse]:
    for step in index.trace.steps:
        yield from _uses_of_step(index, step)
    for node, slots in index.saved.items():
        place = str(index.made_at.get(node, ""))
        yield from _uses(place, node, (("saved", slot.item) for slot in slots))
    for call in index.trace.calls:
        place = "" if call.node is None else str(index.made_at.get(call.node, ""))
        yield from _uses(place, call.node, (("attribute", item) for item in call.attributes))
    for each in index.trace.nodes:
        if each.variable is not None:
            role = "leaf"
            use = ArrayUse(place="", node=each.id, role=role, slot=0, name=each.variable_name)
            yield each.variable, use
    for number, report in enumerate(index.trace.reports, 1):
        for key, matrix in matrix_keys(report):
            use = ArrayUse(place="", node=None, role=f"check{number}", slot=0, name=key)
            yield matrix, use


def _uses_of_step(index: TraceIndex, step: Step) -> Iterator[FoundUse]:
    # Saved values are listed with the node of each.
    items = [(role, item) for role, item in items_of_step(index, step) if role != "saved"]
    yield from _uses(str(step.number), getattr(step, "node", None), items)


def _inner_uses(index: TraceIndex) -> Iterator[FoundUse]:
    for inside in index.trace.insides:
        for part in inside.parts:
            place = TracePosition(step=inside.id, stage=part.stage)
            yield from _uses_in_stage(part, place)


def _uses_in_stage(part: StageRecord, place: TracePosition) -> Iterator[FoundUse]:
    stage = position_path(place)
    for frame in part.frames:
        yield from _uses(stage, None, (("argument", item) for item in frame.arguments))
    for at, op in enumerate(part.ops, 1):
        items = [("input", item) for item in op.inputs] + [("output", item) for item in op.outputs]
        yield from _uses(f"{stage}/op{at}", None, items)
    for at, line in enumerate(part.lines, 1):
        items = [("local", item) for item in line.changes]
        items += [] if line.result is None else [("value", line.result)]
        yield from _uses(f"{stage}/line{at}", None, items)


def _uses(place: str, node: int | None, items: Iterable[tuple[str, Item]]) -> Iterator[FoundUse]:
    slots: Counter[str] = Counter()
    for role, item in items:
        if item.tensor is not None:
            slot = slots[role]
            yield (
                item.tensor,
                ArrayUse(place=place, node=node, role=role, slot=slot, name=item.name),
            )
        slots[role] += 1
