"""The tensors of a trace by number, with statistics that are computed on demand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from gradviz.model.columns import tensor_columns
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, TensorValue, TensorValues


class TensorTable(Mapping[int, TensorRecord]):
    """Looks up tensor records and computes statistics that the recorder left out."""

    def __init__(self, records: Sequence[TensorRecord], values: TensorValues) -> None:
        """Use records ordered by number and a function that reads their elements."""
        self._records = records
        self._ids = _sequence_of(tensor_columns(records).ids.tolist())
        self._values = values
        self._measured: dict[int, TensorRecord] = {}
        self._most: int | None = None

    def set_compute_limit(self, kept_bytes: int) -> None:
        """Limit the size of tensors whose statistics are computed on lookup.

        This keeps readers such as the window responsive. Records of larger tensors only have
        statistics that the trace stores; `measure` computes the others.
        """
        self._most = kept_bytes

    def bare(self, number: int) -> TensorRecord:
        """The record as stored or already computed; computes nothing.

        Raises:
            KeyError: If there is no tensor with that number.
        """
        known = self._measured.get(number)
        if known is not None:
            return known
        at = self._position(number)
        if at is None:
            raise KeyError(number)
        return self._records[at]

    def measure(self, number: int, value: TensorValue) -> TensorRecord:
        """The record with statistics of its stored elements; can be called from any thread."""
        record = self.bare(number)
        if record.statistics is None and record.content == "whole":
            return replace(record, statistics=statistics_of(value.array()))
        return record

    def __getitem__(self, number: int) -> TensorRecord:
        """The record, with statistics if they are stored or can be computed."""
        record = self.bare(number)
        if record.statistics is None and record.content == "whole" and self._is_small(record):
            value = self._values(number)
            if value is not None:
                record = self._measured[number] = self.measure(number, value)
        return record

    def _is_small(self, record: TensorRecord) -> bool:
        return self._most is None or record.kept_bytes <= self._most

    def _position(self, number: int) -> int | None:
        at = bisect_left(self._ids, number)
        return at if at < len(self._ids) and self._ids[at] == number else None

    def __contains__(self, number: object) -> bool:
        """Whether there is a tensor with that number."""
        return isinstance(number, int) and self._position(number) is not None

    def __iter__(self) -> Iterator[int]:
        """Iterate over the tensor numbers, ascending."""
        return iter(self._ids)

    def __len__(self) -> int:
        """Number of tensors."""
        return len(self._ids)


def _sequence_of(ids: list[int]) -> Sequence[int]:
    """Ascending numbers; a range if there are no gaps, which saves memory."""
    gapless = bool(ids) and ids[-1] - ids[0] + 1 == len(ids)
    return range(ids[0], ids[-1] + 1) if gapless else ids
