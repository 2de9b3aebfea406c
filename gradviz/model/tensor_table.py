"""The tensors of a trace by number, each with its statistics, which are computed when asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gradviz.model.columns import tensor_columns
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, TensorValue, Values


class TensorTable(Mapping[int, TensorRecord]):
    """Look-up of tensors. A recorder leaves the statistics of whole tensors to this table."""

    def __init__(self, records: Sequence[TensorRecord], values: Values) -> None:
        """Takes the records, ordered by number, and what reads their elements."""
        self._records = records
        self._ids = _sequence_of(tensor_columns(records).ids.tolist())
        self._values = values
        self._measured: dict[int, TensorRecord] = {}
        self._most: int | None = None

    def compute_at_most(self, kept_bytes: int) -> None:
        """Looks at no larger tensor by itself from now on, for readers that must not wait.

        The records of larger ones have no statistics then, unless the trace tells them; `measure`
        gives them.
        """
        self._most = kept_bytes

    def bare(self, number: int) -> TensorRecord:
        """The record as far as it is known: nothing is computed.

        Raises:
            KeyError: If there is no tensor of that number.
        """
        known = self._measured.get(number)
        if known is not None:
            return known
        at = self._position(number)
        if at is None:
            raise KeyError(number)
        return self._records[at]

    def measure(self, number: int, value: TensorValue) -> TensorRecord:
        """The record with the statistics of its kept elements; may be called from any thread."""
        record = self.bare(number)
        if record.statistics is None and record.content == "whole":
            return replace(record, statistics=statistics_of(value.array()))
        return record

    def __getitem__(self, number: int) -> TensorRecord:
        """The record; with statistics wherever the trace holds what they are made from."""
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
        """Whether there is a tensor of that number."""
        return isinstance(number, int) and self._position(number) is not None

    def __iter__(self) -> Iterator[int]:
        """The numbers."""
        return iter(self._ids)

    def __len__(self) -> int:
        """How many tensors there are."""
        return len(self._ids)


def _sequence_of(ids: list[int]) -> Sequence[int]:
    """Ascending numbers; those of a recording have no gaps, and need no memory."""
    gapless = bool(ids) and ids[-1] - ids[0] + 1 == len(ids)
    return range(ids[0], ids[-1] + 1) if gapless else ids
