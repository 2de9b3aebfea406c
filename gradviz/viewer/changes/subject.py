"""What is about to be changed, with the value that it has in the run without changes."""

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
        target: What it is.
        record: What is known of it.
        value: Its elements; None where they were not kept whole.
    """

    target: Target
    record: TensorRecord
    value: TensorValue | None

    @property
    def has_cells(self) -> bool:
        """Whether its elements can be set one by one."""
        few = self.record.count <= MOST_VALUES
        return self.value is not None and few and can_set(self.record.dtype)

    @property
    def can_fill(self) -> bool:
        """Whether all elements can be set to one number."""
        return can_set(self.record.dtype)

    def cells(self, change: Change | None) -> Cells:
        """The elements as text, after a change if there is one."""
        value = self.value
        if value is not None and change is not None:
            value = changed(change, value) or value
        if value is None:
            return Cells(shape=self.record.shape, texts=())
        numbers = value.array().flatten().tolist()
        texts = tuple(shortest_text(each, value.dtype) for each in numbers)
        return Cells(shape=value.shape, texts=texts)

    def set_to(self, texts: tuple[str, ...], numbers: tuple[Number, ...]) -> Change | None:
        """The change that gives its elements new values; None where all stay as they are.

        Args:
            texts: Of all elements; those whose text has not changed keep their bits.
            numbers: What the texts mean.

        Raises:
            MisfitError: If the dtype has nothing near a number.
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
        """The change that sets all elements to one number.

        Raises:
            MisfitError: If the dtype has nothing near it.
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
        """The change that multiplies all elements."""
        return Change(
            target=self.target,
            dtype=self.record.dtype,
            shape=self.record.shape,
            way="scale",
            factor=factor,
            seal=self._seal(),
        )

    def renewed(self, change: Change) -> Change:
        """The same change of this value, where it was planned when the value was another one."""
        same = (change.dtype, change.shape) == (self.record.dtype, self.record.shape)
        if not same or change.seal == self._seal():
            return change
        old_bits = ""
        if self.value is not None and change.way == "elements":
            old_bits = elements_at(self.value, change.positions).hex()
        return replace(change, seal=self._seal(), old_bits=old_bits)

    def _seal(self) -> str:
        return "" if self.value is None else seal_of(self.value)
