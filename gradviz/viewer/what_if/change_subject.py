"""The value about to be changed, as it is in the run without changes."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from gradviz.analysis.compare.run_alignment import RunAlignment
from gradviz.analysis.compare.what_if_targets import (
    Candidate,
    Changeable,
    candidate_for,
    candidates_at,
    candidates_of,
    candidates_of_node,
)
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.element_encoding import shortest_text
from gradviz.model.inputs import MOST_VALUES, Number, Offer
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.what_if import ChangeTarget, WhatIfChange
from gradviz.model.what_if_values import (
    apply_change,
    can_set,
    change_between,
    content_key,
    element_bytes,
    elements_at,
)
from gradviz.viewer.inputs.elements.typed_cells import TypedCells
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState


class OriginalValues:
    """Finds changeable values; their contents always come from the run without changes."""

    def __init__(self, state: ViewerState, session: Session) -> None:
        self._state = state
        self._session = session
        self.alignment: RunAlignment | None = None

    @property
    def offer(self) -> Offer | None:
        """What the original run was made from; None if it cannot be run again."""
        return self._session.offer

    def at_current_step(self) -> tuple[Candidate, ...]:
        """Return what can be changed at the current step."""
        index = self._original()
        number = self._old(self._state.number)
        if index is None or number is None:
            return ()
        return candidates_at(index, number, self._before())

    def of_node(self, node: int) -> tuple[Candidate, ...]:
        """Return what can be changed about a node, if both runs have the node."""
        index = self._original()
        if index is None or node not in index.node:
            return ()
        return candidates_of_node(index, node, self._before())

    def of_tensor(self, tensor: int, number: int) -> tuple[Candidate, ...]:
        """Return the changeable values behind a tensor of the run that is shown."""
        shown = self._state.index
        if shown is None:
            return ()
        found = candidates_of(shown, tensor, number, self._before())
        if self._session.baseline is None:
            return found
        return tuple(each for each in map(self._in_original, found) if each is not None)

    def subject(self, candidate: Candidate) -> ChangeSubject | None:
        """Return a candidate with its value in the original run, or None."""
        index = self._original()
        if index is None or candidate.tensor not in index.tensor:
            return None
        record = index.tensor.bare(candidate.tensor)
        value = index.value(candidate.tensor) if record.content == "whole" else None
        return ChangeSubject(target=candidate.target, record=record, value=value)

    def of_target(self, target: ChangeTarget) -> Candidate | None:
        """Return the original run's candidate for an already changed target, or None."""
        index = self._original()
        return None if index is None else candidate_for(index, target, self._before())

    def _in_original(self, candidate: Candidate) -> Candidate | None:
        return self.of_target(candidate.target)

    def _original(self) -> TraceIndex | None:
        baseline = self._session.baseline
        return self._state.index if baseline is None else baseline.index

    def _old(self, number: int) -> int | None:
        if self._session.baseline is None or self.alignment is None:
            return number
        return self.alignment.old(number)

    def _before(self) -> Changeable:
        return Changeable.of(self.offer)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSubject:
    """A value before it is changed.

    Attributes:
        target: Identifies the value.
        record: Its tensor record.
        value: Its elements; None unless all of them were stored.
    """

    target: ChangeTarget
    record: TensorRecord
    value: TensorValue | None

    @property
    def has_cells(self) -> bool:
        """Whether its elements can be edited one by one."""
        few = self.record.count <= MOST_VALUES
        return self.value is not None and few and can_set(self.record.dtype)

    @property
    def can_fill(self) -> bool:
        """Whether all its elements can be set to one number."""
        return can_set(self.record.dtype)

    def cells(self, change: WhatIfChange | None) -> TypedCells:
        """Return the elements as text, after applying a change if one is given."""
        value = self.value
        if value is not None and change is not None:
            value = apply_change(change, value) or value
        if value is None:
            return TypedCells(shape=self.record.shape, texts=())
        numbers = value.array().flatten().tolist()
        texts = tuple(shortest_text(each, value.dtype) for each in numbers)
        return TypedCells(shape=value.shape, texts=texts)

    def set_to(self, texts: tuple[str, ...], numbers: tuple[Number, ...]) -> WhatIfChange | None:
        """Return the change that sets new elements; None if no element changes.

        Args:
            texts: Texts of all elements; an element whose text is unchanged keeps its bits.
            numbers: The numbers that the texts stand for.

        Raises:
            UnrepresentableNumberError: If the dtype cannot represent a number even approximately.
        """
        assert self.value is not None
        before = self.cells(None).texts
        size = len(self.value.data) // max(1, len(before))
        data = bytearray(self.value.data)
        for at, (old, new, number) in enumerate(zip(before, texts, numbers, strict=True)):
            if old != new:
                data[at * size : (at + 1) * size] = element_bytes(number, self.value.dtype)
        new_value = TensorValue(dtype=self.value.dtype, shape=self.value.shape, data=bytes(data))
        return change_between(self.target, self.value, new_value)

    def filled(self, number: Number) -> WhatIfChange:
        """Return the change that sets all elements to one number.

        Raises:
            UnrepresentableNumberError: If the dtype cannot represent the number even approximately.
        """
        bits = element_bytes(number, self.record.dtype).hex()
        return WhatIfChange(
            target=self.target,
            dtype=self.record.dtype,
            shape=self.record.shape,
            way="fill",
            bits=bits,
            seal=self._seal(),
        )

    def scaled(self, factor: float) -> WhatIfChange:
        """Return the change that multiplies all elements by a factor."""
        return WhatIfChange(
            target=self.target,
            dtype=self.record.dtype,
            shape=self.record.shape,
            way="scale",
            factor=factor,
            seal=self._seal(),
        )

    def with_new_original(self, change: WhatIfChange) -> WhatIfChange:
        """Update a change that was made when this value was different."""
        same = (change.dtype, change.shape) == (self.record.dtype, self.record.shape)
        if not same or change.seal == self._seal():
            return change
        old_bits = ""
        if self.value is not None and change.way == "elements":
            old_bits = elements_at(self.value, change.positions).hex()
        return replace(change, seal=self._seal(), old_bits=old_bits)

    def _seal(self) -> str:
        return "" if self.value is None else content_key(self.value)
