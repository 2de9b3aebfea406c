"""The tensors of a trace by number, each with its statistics, which are computed when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, Values


class TensorTable(Mapping[int, TensorRecord]):
    """Look-up of tensors. A recorder leaves the statistics of whole tensors to this table."""

    def __init__(self, records: Sequence[TensorRecord], values: Values) -> None:
        """Takes the records, and what reads their elements."""
        self._records = {record.id: record for record in records}
        self._values = values

    def __getitem__(self, number: int) -> TensorRecord:
        """The record; with statistics wherever the trace holds what they are made from."""
        record = self._records[number]
        if record.statistics is None and record.content == "whole":
            value = self._values(number)
            if value is not None:
                record = replace(record, statistics=statistics_of(value.array()))
                self._records[number] = record
        return record

    def __iter__(self) -> Iterator[int]:
        """The numbers."""
        return iter(self._records)

    def __len__(self) -> int:
        """How many tensors there are."""
        return len(self._records)
