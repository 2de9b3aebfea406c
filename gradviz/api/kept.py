"""Keeps the matrices of a check in memory, for as long as its result lives."""

from __future__ import annotations

from gradviz.model.tensor import TensorRecord, TensorValue


class Kept:
    """Matrices by number, as a trace would have them.

    Attributes:
        records: What is known of each.
    """

    def __init__(self) -> None:
        self.records: list[TensorRecord] = []
        self._values: dict[int, TensorValue] = {}

    def store(self, value: TensorValue) -> int:
        """Keeps a matrix; returns its number."""
        number = len(self.records) + 1
        self._values[number] = value
        self.records.append(
            TensorRecord(
                id=number,
                dtype=value.dtype,
                shape=value.shape,
                strides=None,
                device="cpu",
                layout="strided",
                requires_grad=False,
                storage=None,
                version=None,
                content="whole",
                kept_shape=value.shape,
                kept_steps=(1,) * len(value.shape),
                note="",
                statistics=None,
            )
        )
        return number

    def values(self, number: int) -> TensorValue | None:
        """A matrix by its number; None if there is none."""
        return self._values.get(number)
