"""Find what produced each tensor of a run: an op if recorded, a step, or the engine."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.model.index import Index
from gradviz.model.inside import Op, Part
from gradviz.model.item import Item, tensor_item
from gradviz.model.lineage import Lineage, lineage_of
from gradviz.model.making import AFTER_STAGES, Making, Moment, holds, making_of, op_moment
from gradviz.model.messages import say
from gradviz.model.places import Place
from gradviz.model.query import step_at
from gradviz.model.step import ForwardStep, NodeStep
from gradviz.model.step_makings import StepMakings, inputs_of
from gradviz.model.twins import Twins


class Makings:
    """Looks up producers of tensors, from any thread; goes through all steps once."""

    def __init__(self, index: Index, lineage: Lineage | None = None) -> None:
        """Use the given appearances of the trace's tensors, or find them."""
        self._index = index
        self._lineage = lineage_of(index) if lineage is None else lineage
        self._inner: dict[int, Place] | None = None
        self._twins = Twins(index)
        self._steps = StepMakings(index, self._twins)

    def first_step(self, tensor: int) -> int:
        """Number of the first step that mentions a tensor; 1 if none does."""
        first = self._lineage.first.get(tensor)
        return 1 if first is None else first.step

    def in_order(self) -> Iterator[tuple[int, str, int]]:
        """Tensors that steps mention, in order of the run: number, name and step of each."""
        for tensor, first in self._lineage.first.items():
            yield tensor, first.name, first.step

    def of_ops(self) -> Iterator[tuple[int, str, int]]:
        """Outputs of ops, in the same form and order; some are mentioned by steps, too."""
        for number in self._index.inside:
            for part, at, _ in self._ops(number):
                op = part.ops[at]
                for item in op.outputs:
                    if item.tensor is not None:
                        name = say("where.output", name=item.name, op=op.name)
                        yield item.tensor, name, number

    def sharing(self, storage: int) -> list[int]:
        """The tensors that share a storage, ascending."""
        return self._twins.sharing(storage)

    def twins(self, tensor: int) -> tuple[int, ...]:
        """All numbers of the same tensor in the trace, with this one first."""
        return self._twins.of(tensor)

    def of(self, tensor: int, before: Moment) -> Making | None:
        """What produced the contents of a tensor; None if it already existed.

        Args:
            tensor: Number of the tensor.
            before: Moment at which it is seen; the latest producer before it is returned.
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
        """The last op of a step, before a moment, that output the tensor."""
        found: Making | None = None
        for part, at, place in self._ops(number):
            op = part.ops[at]
            if op_moment(place) < before and _makes(op, twins):
                found = self._made_by(op, place)
        return found

    def _made_by(self, op: Op, place: Place) -> Making:
        if op.seen or any(item.tensor is not None for item in op.inputs):
            return making_of(place, "op", op.name, op.inputs, op.outputs)
        given = inputs_of(self._index, step_at(self._index, place.step))
        return making_of(place, "unseen", op.name, given, op.outputs)

    def _ops(self, number: int) -> Iterator[tuple[Part, int, Place]]:
        inside = self._index.inside.get(number)
        for part in () if inside is None else inside.parts:
            for at, op in enumerate(part.ops):
                yield part, at, Place(step=number, stage=part.stage, line=op.line, op=at)

    def _by_steps(self, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The step that output the tensor, or a finer producer inside that step."""
        found = [
            first
            for twin in twins
            if (first := self._lineage.first.get(twin)) is not None
            and first.role not in ("argument", "value")
        ]
        for first in sorted(found, key=lambda each: -each.step):
            nested = self._is_within(first.step, before[0])
            until = (first.step, AFTER_STAGES, 0) if nested else before
            for look in (self._in_step, self._by_write, self._steps.find):
                made = look(first.step, twins, until)
                if made is not None:
                    return made
        return None

    def _is_within(self, later: int, outer: int) -> bool:
        """Whether a step ran during an earlier one, as a Function within another."""
        inner, around = step_at(self._index, later), step_at(self._index, outer)
        if later <= outer or inner is None or not isinstance(around, ForwardStep | NodeStep):
            return False
        return inner.started_ns < around.started_ns + around.duration_ns

    def _anywhere(self, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The op that output a tensor that no step mentions, such as a saved value."""
        if self._inner is None:
            inner: dict[int, Place] = {}
            for number in self._index.inside:
                for part, at, place in self._ops(number):
                    for item in part.ops[at].outputs:
                        if item.tensor is not None:
                            inner[item.tensor] = place
            self._inner = inner
        places = [self._inner[twin] for twin in twins if twin in self._inner]
        places = [place for place in places if op_moment(place) < before]
        if not places:
            return None
        place = max(places, key=op_moment)
        return self._in_step(place.step, twins, before)

    def _by_write(self, number: int, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The last op of a step that wrote to the memory through another view."""
        storage = self._index.tensor.bare(twins[0]).storage
        found: Making | None = None
        for part, at, place in self._ops(number) if storage is not None else ():
            op = part.ops[at]
            written = [op.inputs[each].tensor for each in op.writes if each < len(op.inputs)]
            storages = [
                self._index.tensor.bare(each).storage for each in written if each is not None
            ]
            if storage in storages and op_moment(place) < before:
                found = self._made_by(op, place)
        return found

    def _unseen(self, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The step whose code must have created a tensor that no recorded event outputs.

        The tensor appeared within the step, is not one of its inputs, and did not exist before.
        """
        step = step_at(self._index, before[0])
        given = inputs_of(self._index, step)
        if step is None or not given:
            return None
        earliest = self._index.tensor.bare(min(twins)).id
        known = [item.tensor for item in given if item.tensor is not None]
        if holds(given, twins) or not known or earliest < max(known):
            return None
        place, outputs = self._first_line(step.number, twins)
        return making_of(place, "unseen", "", given, outputs)

    def _first_line(self, number: int, twins: tuple[int, ...]) -> tuple[Place, tuple[Item, ...]]:
        """The first line of a step after which a variable holds the tensor or equal elements.

        NumPy arrays get a different memory each time they are recorded.
        """
        inside = self._index.inside.get(number)
        for part in () if inside is None else inside.parts:
            for at, line in enumerate(part.lines):
                for item in line.changes:
                    if item.tensor is not None and self._twins.are_equal(item.tensor, twins[0]):
                        found = tuple(tensor_item(item.name, twin) for twin in twins)
                        return Place(step=number, stage=part.stage, line=at), found
        return Place(step=number), tuple(tensor_item("", twin) for twin in twins)


def _makes(op: Op, twins: tuple[int, ...]) -> bool:
    """Whether an op created a tensor, and did not just return an input unchanged."""
    if not holds(op.outputs, twins):
        return False
    return bool(op.writes) or not holds(op.inputs, twins)
