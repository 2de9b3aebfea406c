"""What made each tensor of a run: an op where ops were recorded, else a call, a node, the engine.

One tensor may stand in a trace under several numbers: before and after it required a gradient, or
as seen by an op and by a step. They share memory, layout and bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np

from gradviz.model.index import Index
from gradviz.model.inside import Op, Part, StageKind
from gradviz.model.item import Item, tensor_item
from gradviz.model.levels import Place
from gradviz.model.lineage import Lineage, lineage_of
from gradviz.model.query import pass_at, step_at
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, Step

MakingKind = Literal[
    "op", "call", "node", "engine", "sum", "zeros", "accumulate", "start", "unseen"
]
"""An aten op; a forward call; a node's backward; what the engine made of its result; the sum of
gradients that arrive at a node; zeros for an undefined gradient; the addition into ``.grad``; the
gradient that a pass starts with; code in a step that autograd does not see, as NumPy's."""

Moment = tuple[int, int, int]
"""When in a run: number of the step, stage, op; it orders what happened."""

_ORDER: Final = get_args(StageKind)
_AFTER_OPS: Final = 1 << 60
_ARRIVAL, _READY = 1, 2
"""Before the first stage: gradients arrive, and all that is given to the step is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """One event that took tensors and made others.

    Attributes:
        place: Where in the run; as fine as was recorded.
        kind: What made them.
        name: Of the op, the function or the node.
        inputs: What went in.
        outputs: What came out.
        begun: Before this moment the inputs were there.
        ended: At this moment the outputs were there.
    """

    place: Place
    kind: MakingKind
    name: str
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    begun: Moment
    ended: Moment


def seen_at(place: Place) -> Moment:
    """The moment after everything that happened in a place."""
    if place.stage is None:
        return (place.step, len(_ORDER), 0)
    at = _AFTER_OPS if place.op is None else place.op
    return (place.step, _ORDER.index(place.stage), at + 1)


class Makings:
    """Look-up of makings. Goes once through all steps; may be used from any thread."""

    def __init__(self, index: Index, lineage: Lineage | None = None) -> None:
        """Takes a trace, and where its tensors are found, if that is known already."""
        self._index = index
        self._lineage = lineage_of(index) if lineage is None else lineage
        self._inner: dict[int, Place] | None = None
        # Looked up at each step of a way: to go through all tensors each time would be too slow.
        self._order = np.argsort(index.tensors.storages, kind="stable")
        self._storages = index.tensors.storages[self._order]

    def first_step(self, tensor: int) -> int:
        """Number of the step that has a tensor first; 1 where no step tells of it."""
        first = self._lineage.first.get(tensor)
        return 1 if first is None else first.step

    def in_order(self) -> Iterator[tuple[int, str, int]]:
        """The tensors that steps tell of, in order of the run: number, name and step of each."""
        for tensor, first in self._lineage.first.items():
            yield tensor, first.name, first.step

    def sharing(self, storage: int) -> list[int]:
        """The tensors that lie in a memory, ascending."""
        first, end = np.searchsorted(self._storages, (storage, storage + 1)).tolist()
        numbers: list[int] = self._index.tensors.ids[self._order[first:end]].tolist()
        return numbers

    def twins(self, tensor: int) -> tuple[int, ...]:
        """The numbers under which this very tensor stands in the trace; itself first."""
        index = self._index
        record = index.tensor.bare(tensor)
        if record.storage is None or record.content != "whole":
            return (tensor,)
        same = self.sharing(record.storage)
        value = index.value(tensor)
        found = [tensor]
        for other in same:
            each = index.tensor.bare(other)
            alike = (each.shape, each.strides, each.dtype) == (
                record.shape,
                record.strides,
                record.dtype,
            )
            if other != tensor and alike and value is not None and index.value(other) == value:
                found.append(other)
        return tuple(found)

    def of(self, tensor: int, before: Moment) -> Making | None:
        """What made a tensor, as it is at a place; None where it was there already.

        Args:
            tensor: Its number.
            before: Moment of the place where it is seen; the latest making before that is meant.
        """
        twins = self.twins(tensor)
        here = before[0]
        return (
            self._in_step(here, twins, before)
            or self._by_steps(twins, before)
            or self._anywhere(twins, before)
            or self._by_write(here, twins, before)
            or self._unseen(twins, before)
        )

    def _in_step(self, number: int, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The last op of a step that made one of the twins, before a place."""
        found: Making | None = None
        for part, at, place in self._ops(number):
            op = part.ops[at]
            if _op_moment(place) < before and _makes(op, twins):
                found = self._made_by(op, place)
        return found

    def _made_by(self, op: Op, place: Place) -> Making:
        if op.seen or any(item.tensor is not None for item in op.inputs):
            return _making(place, "op" if op.seen else "unseen", op.name, op.inputs, op.outputs)
        given = inputs_of(self._index, step_at(self._index, place.step))
        return _making(place, "unseen", op.name, given, op.outputs)

    def _ops(self, number: int) -> Iterator[tuple[Part, int, Place]]:
        inside = self._index.inside.get(number)
        for part in () if inside is None else inside.parts:
            for at, op in enumerate(part.ops):
                yield part, at, Place(step=number, stage=part.stage, line=op.line, op=at)

    def _by_steps(self, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The step that a twin is an output of, or what in this step made it."""
        found = [
            first
            for twin in twins
            if (first := self._lineage.first.get(twin)) is not None
            and first.role not in ("argument", "value")
        ]
        for first in sorted(found, key=lambda each: -each.step):
            nested = self._is_within(first.step, before[0])
            until = (first.step, len(_ORDER), 0) if nested else before
            for look in (self._in_step, self._by_write, self._by_step):
                made = look(first.step, twins, until)
                if made is not None:
                    return made
        return None

    def _is_within(self, later: int, outer: int) -> bool:
        """Whether a step happened while an earlier one went on, as a Function within another."""
        inner, around = step_at(self._index, later), step_at(self._index, outer)
        if later <= outer or inner is None or not isinstance(around, ForwardStep | NodeStep):
            return False
        return inner.started_ns < around.started_ns + around.duration_ns

    def _by_step(self, number: int, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The step as a whole, if a twin is one of its outputs and was there before a moment."""
        step = step_at(self._index, number)
        made: Making | None = None
        match step:
            case ForwardStep() if _holds(step.outputs, twins):
                made = _call(step)
            case NodeStep():
                made = self._by_node(step, twins)
            case AccumulateStep():
                made = self._by_accumulation(step, twins)
            case PassBeginStep():
                started = tuple(root.gradient for root in step.roots)
                if _holds(started, twins):
                    made = _making(Place(step=number), "start", "", (), started)
        return made if made is not None and made.ended < before else None

    def _by_node(self, step: NodeStep, twins: tuple[int, ...]) -> Making | None:
        index, place = self._index, Place(step=step.number)
        name = index.node[step.node].name
        if _holds(step.incoming, twins):
            return self._sum(step, twins)
        if _holds(step.received, twins):
            return _making(place, "zeros", name, (), step.received)
        given = (*(step.received or step.incoming), *self._saved(step))
        if _holds(step.returned, twins):
            here = Place(step=step.number, stage="backward")
            return _making(here, "node", name, given, step.returned)
        for passed in step.passed:
            if passed.item.tensor in twins:
                if passed.argument is None or passed.argument >= len(step.returned):
                    items = tuple(each.item for each in step.passed)
                    here = Place(step=step.number, stage="backward")
                    return _making(here, "node", name, given, items)
                returned = (step.returned[passed.argument],)
                here = Place(step=step.number, stage="engine")
                return _making(here, "engine", passed.change, returned, (passed.item,))
        return None

    def _saved(self, step: NodeStep) -> tuple[Item, ...]:
        return tuple(slot.item for slot in self._index.saved.get(step.node, ()))

    def _sum(self, step: NodeStep, twins: tuple[int, ...]) -> Making | None:
        """The engine added what arrived along several edges."""
        index = self._index
        span = pass_at(index, step.number)
        slot = next(at for at, item in enumerate(step.incoming) if item.tensor in twins)
        parts = [
            flow.item
            for edge in index.arriving.get(step.node, ())
            if edge.target_slot == slot
            for flow in index.flows.get(edge.id, ())
            if span is not None and span.first <= flow.step < step.number
        ]
        if not parts:
            return None
        name = index.node[step.node].name
        return _making(Place(step=step.number), "sum", name, tuple(parts), (step.incoming[slot],))

    def _by_accumulation(self, step: AccumulateStep, twins: tuple[int, ...]) -> Making | None:
        name = self._index.node[step.node].name
        place = Place(step=step.number)
        if step.contribution.tensor in twins:
            edges = self._index.arriving.get(step.node, ())
            span = pass_at(self._index, step.number)
            parts = tuple(
                flow.item
                for edge in edges
                for flow in self._index.flows.get(edge.id, ())
                if span is not None and span.first <= flow.step < step.number
            )
            return _making(place, "sum", name, parts, (step.contribution,)) if parts else None
        before = self._total_before(step)
        given = (step.contribution,) if before is None else (step.contribution, before)
        here = Place(step=step.number, stage="accumulate")
        return _making(here, "accumulate", name, given, (step.total,))

    def _total_before(self, step: AccumulateStep) -> Item | None:
        """What the memory of a leaf's gradient held last, as another tensor of the trace."""
        tensor = step.total.tensor
        storage = None if tensor is None else self._index.tensor.bare(tensor).storage
        if tensor is None or storage is None:
            return None
        twins = self.twins(tensor)
        same = self.sharing(storage)
        earlier = [each for each in same if each < tensor and each not in twins]
        return tensor_item(step.total.name, earlier[-1]) if earlier else None

    def _anywhere(self, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The op that made what no step tells of, such as a value that a call saved."""
        if self._inner is None:
            inner: dict[int, Place] = {}
            for number in self._index.inside:
                for part, at, place in self._ops(number):
                    for item in part.ops[at].outputs:
                        if item.tensor is not None:
                            inner[item.tensor] = place
            self._inner = inner
        places = [self._inner[twin] for twin in twins if twin in self._inner]
        places = [place for place in places if _op_moment(place) < before]
        if not places:
            return None
        place = max(places, key=_op_moment)
        return self._in_step(place.step, twins, before)

    def _by_write(self, number: int, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The op of a step that last wrote into the memory, by way of another view."""
        storage = self._index.tensor.bare(twins[0]).storage
        found: Making | None = None
        for part, at, place in self._ops(number) if storage is not None else ():
            op = part.ops[at]
            written = [op.inputs[each].tensor for each in op.writes if each < len(op.inputs)]
            storages = [
                self._index.tensor.bare(each).storage for each in written if each is not None
            ]
            if storage in storages and _op_moment(place) < before:
                found = self._made_by(op, place)
        return found

    def _unseen(self, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The step whose code must have made a tensor that nothing told of makes.

        It came up within the step, and is neither one of its inputs nor was it there before.
        """
        step = step_at(self._index, before[0])
        given = inputs_of(self._index, step)
        if step is None or not given:
            return None
        earliest = self._index.tensor.bare(min(twins)).id
        known = [item.tensor for item in given if item.tensor is not None]
        if _holds(given, twins) or not known or earliest < max(known):
            return None
        inside = self._index.inside.get(step.number)
        parts = () if inside is None else inside.parts
        for part in parts:
            for at, line in enumerate(part.lines):
                if _holds(line.changes, twins):
                    place = Place(step=step.number, stage=part.stage, line=at)
                    return _making(place, "unseen", "", given, line.changes)
        outputs = tuple(tensor_item("", twin) for twin in twins)
        return _making(Place(step=step.number), "unseen", "", given, outputs)


def inputs_of(index: Index, step: Step | None) -> tuple[Item, ...]:
    """What a step was given, with what its node had saved."""
    match step:
        case ForwardStep():
            return step.inputs
        case NodeStep():
            saved = tuple(slot.item for slot in index.saved.get(step.node, ()))
            return (*(step.received or step.incoming), *saved)
        case _:
            return ()


def _call(step: ForwardStep) -> Making:
    place = Place(step=step.number, stage="forward")
    return _making(place, "call", step.op, step.inputs, step.outputs)


def _making(
    place: Place,
    kind: MakingKind,
    name: str,
    inputs: tuple[Item, ...],
    outputs: tuple[Item, ...],
) -> Making:
    begun, ended = _span(place, kind)
    return Making(
        place=place,
        kind=kind,
        name=name,
        inputs=inputs,
        outputs=outputs,
        begun=begun,
        ended=ended,
    )


def _span(place: Place, kind: MakingKind) -> tuple[Moment, Moment]:
    """When the inputs were there, and when the outputs."""
    arrived, ready = (place.step, -1, _ARRIVAL), (place.step, -1, _READY)
    if kind in ("sum", "start", "zeros"):
        return arrived, arrived
    if place.op is not None:
        moment = _op_moment(place)
        return (ready if kind == "unseen" else moment), moment
    over = (place.step, -1 if place.stage is None else _ORDER.index(place.stage), _AFTER_OPS)
    return (over if kind == "engine" else ready), over


def _op_moment(place: Place) -> Moment:
    assert place.stage is not None
    assert place.op is not None
    return (place.step, _ORDER.index(place.stage), place.op)


def _makes(op: Op, twins: tuple[int, ...]) -> bool:
    """Whether an op made a tensor, rather than handed on what it was given as it was."""
    if not _holds(op.outputs, twins):
        return False
    return bool(op.writes) or not _holds(op.inputs, twins)


def _holds(items: tuple[Item, ...], twins: tuple[int, ...]) -> bool:
    return any(item.tensor in twins for item in items)
