"""Lookup of tensors that contain NaN or Inf, as far as their values were recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorValue, TensorValues

_PAUSE = 64
"""Number of tensors between two progress reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NonFiniteCounts:
    """Counts of NaN and infinite elements in one tensor.

    Attributes:
        nans: Number of NaN elements.
        infinities: Number of infinite elements of either sign.
    """

    nans: int
    infinities: int


class ValueScan:
    """Looks for NaN and Inf in tensors; computes missing statistics, once for each trace.

    Args:
        index: The trace.
        values: Reads elements of tensors whose statistics are not in the index.
        cancelled: Returns True to stop the scan.
        report: Called with the number of tensors examined so far and their total.
    """

    def __init__(
        self,
        index: TraceIndex,
        values: TensorValues,
        cancelled: Callable[[], bool],
        report: Callable[[int, int], None] | None,
    ) -> None:
        self._index = index
        self._values = values
        self._cancelled = cancelled
        self._report = report
        self.unknown: set[int] = set()
        self.stopped = False

    def look(self, tensors: Iterable[int]) -> dict[int, NonFiniteCounts]:
        """NaN and Inf counts by tensor; tensors without known values are added to `unknown`."""
        numbers = list(dict.fromkeys(tensors))
        found: dict[int, NonFiniteCounts] = {}
        for at, number in enumerate(numbers):
            if at % _PAUSE == 0 and self._pause(at, len(numbers)):
                break
            known = non_finite_in(self._index, number, self._values)
            if known is None:
                self.unknown.add(number)
            else:
                found[number] = known
        return found

    def _pause(self, done: int, total: int) -> bool:
        self.stopped = self._cancelled()
        if self._report is not None and done:
            self._report(done, total)
        return self.stopped


def non_finite_in(index: TraceIndex, tensor: int, values: TensorValues) -> NonFiniteCounts | None:
    """The NaN and Inf counts of a tensor; None if its values are not known.

    Args:
        index: The trace.
        tensor: Number of the tensor.
        values: Reads the elements if all were kept and the index has no statistics.
    """
    record = index.tensor[tensor]
    statistics = record.statistics
    if statistics is None and record.content == "whole":
        value = values(tensor)
        statistics = None if value is None else statistics_of(value.array())
    if statistics is None:
        return None
    return NonFiniteCounts(nans=statistics.nans, infinities=statistics.infinities)


def no_values(tensor: int) -> TensorValue | None:
    """A reader without values, for a trace whose elements are not available."""
    return None
