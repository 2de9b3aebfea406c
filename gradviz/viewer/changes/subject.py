"""The value about to be changed, as it is in the run without changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gradviz.model.change_bits import (
    can_set,
    changed,
    difference,
    element_bytes,
    elements_at,
    seal_of,
)
from gradviz.model.changes import Change, Target
from gradviz.model.elements import shortest_text
from gradviz.model.inputs import MOST_VALUES, Number
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.viewer.inputs.cells import Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSubject:
    """A value before it is changed.

    Attributes:
        target: Identifies the value.
        record: Its tensor record.
        value: Its elements; None unless all of them were stored.
    """

    target: Target
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

    def cells(self, change: Change | None) -> Cells:
        """Return the elements as text, after applying a change if one is given."""
        value = self.value
        if value is not None and change is not None:
            value = changed(change, value) or value
        if value is None:
            return Cells(shape=self.record.shape, texts=())
        numbers = value.array().flatten().tolist()
        texts = tuple(shortest_text(each, value.dtype) for each in numbers)
        return Cells(shape=value.shape, texts=texts)

    def set_to(self, texts: tuple[str, ...], numbers: tuple[Number, ...]) -> Change | None:
        """Return the change that sets new elements; None if no element changes.

        Args:
            texts: Texts of all elements; an element whose text is unchanged keeps its bits.
            numbers: The numbers that the texts stand for.

        Raises:
            MisfitError: If the dtype cannot represent a number even approximately.
        """
        assert self.value is not None
        before = self.cells(None).texts
        size = len(self.value.data) // max(1, len(before))
        data = bytearray(self.value.data)
        for at, (old, new, number) in enumerate(zip(before, texts, numbers, strict=True)):
            if old != new:
                data[at * size : (at + 1) * size] = element_bytes(number, self.value.dtype)
        new_value = TensorValue(dtype=self.value.dtype, shape=self.value.shape, data=bytes(data))
        return difference(self.target, self.value, new_value)

    def filled(self, number: Number) -> Change:
        """Return the change that sets all elements to one number.

        Raises:
            MisfitError: If the dtype cannot represent the number even approximately.
        """
        bits = element_bytes(number, self.record.dtype).hex()
        return Change(
            target=self.target,
            dtype=self.record.dtype,
            shape=self.record.shape,
            way="fill",
            bits=bits,
            seal=self._seal(),
        )

    def scaled(self, factor: float) -> Change:
        """Return the change that multiplies all elements by a factor."""
        return Change(
            target=self.target,
            dtype=self.record.dtype,
            shape=self.record.shape,
            way="scale",
            factor=factor,
            seal=self._seal(),
        )

    def renewed(self, change: Change) -> Change:
        """Update a change that was made when this value was different."""
        same = (change.dtype, change.shape) == (self.record.dtype, self.record.shape)
        if not same or change.seal == self._seal():
            return change
        old_bits = ""
        if self.value is not None and change.way == "elements":
            old_bits = elements_at(self.value, change.positions).hex()
        return replace(change, seal=self._seal(), old_bits=old_bits)

    def _seal(self) -> str:
        return "" if self.value is None else seal_of(self.value)
