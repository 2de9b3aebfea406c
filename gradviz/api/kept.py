"""Memory store for the matrices of a check, kept as long as its result."""

from __future__ import annotations

from gradviz.model.tensor import TensorRecord, TensorValue


class Kept:
    """Matrices by id, as in a trace.

    Attributes:
        records: Record of each matrix.
    """

    def __init__(self) -> None:
        self.records: list[TensorRecord] = []
        self._values: dict[int, TensorValue] = {}

    def store(self, value: TensorValue) -> int:
        """Store a matrix and return its id."""
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
        """Matrix by its id; None if there is none."""
        return self._values.get(number)
