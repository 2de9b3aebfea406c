"""The tensors of a trace by number, each with its statistics, which are computed when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, TensorValue, Values


class TensorTable(Mapping[int, TensorRecord]):
    """Look-up of tensors. A recorder leaves the statistics of whole tensors to this table."""

    def __init__(self, records: Sequence[TensorRecord], values: Values) -> None:
        """Takes the records, and what reads their elements."""
        self._records = {record.id: record for record in records}
        self._values = values
        self._most: int | None = None

    def compute_at_most(self, kept_bytes: int) -> None:
        """Looks at no larger tensor by itself from now on, for readers that must not wait.

        The records of larger ones have no statistics then, unless the trace tells them; `measure`
        gives them.
        """
        self._most = kept_bytes

    def bare(self, number: int) -> TensorRecord:
        """The record as far as it is known: nothing is computed."""
        return self._records[number]

    def measure(self, number: int, value: TensorValue) -> TensorRecord:
        """The record with the statistics of its kept elements; may be called from any thread."""
        record = self._records[number]
        if record.statistics is None and record.content == "whole":
            return replace(record, statistics=statistics_of(value.array()))
        return record

    def __getitem__(self, number: int) -> TensorRecord:
        """The record; with statistics wherever the trace holds what they are made from."""
        record = self._records[number]
        if record.statistics is None and record.content == "whole" and self._is_small(record):
            value = self._values(number)
            if value is not None:
                record = self._records[number] = self.measure(number, value)
        return record

    def _is_small(self, record: TensorRecord) -> bool:
        return self._most is None or record.kept_bytes <= self._most

    def __iter__(self) -> Iterator[int]:
        """The numbers."""
        return iter(self._records)

    def __len__(self) -> int:
        """How many tensors there are."""
        return len(self._records)
