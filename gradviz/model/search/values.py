"""Which tensors hold NaN or Inf, as far as that was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gradviz.model.index import Index
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorValue, Values

_PAUSE = 64
"""Tensors between two reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NonFinite:
    """What is not finite in one tensor.

    Attributes:
        nans: Elements that are NaN.
        infinities: Elements that are infinite, of either sign.
    """

    nans: int
    infinities: int


class ValueScan:
    """Looks into tensors; statistics that were not recorded are computed, once for each trace.

    Args:
        index: The trace.
        values: Reads elements of which the index tells no statistics.
        cancelled: Whether nobody waits any more.
        report: Gets how many of how many tensors were looked into.
    """

    def __init__(
        self,
        index: Index,
        values: Values,
        cancelled: Callable[[], bool],
        report: Callable[[int, int], None] | None,
    ) -> None:
        self._index = index
        self._values = values
        self._cancelled = cancelled
        self._report = report
        self.unknown: set[int] = set()
        self.stopped = False

    def look(self, tensors: Iterable[int]) -> dict[int, NonFinite]:
        """What is known of each tensor; those of which nothing is known become `unknown`."""
        numbers = list(dict.fromkeys(tensors))
        found: dict[int, NonFinite] = {}
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


def non_finite_in(index: Index, tensor: int, values: Values) -> NonFinite | None:
    """What is not finite in a tensor; None where its values are not known.

    Args:
        index: The trace.
        tensor: Number of the tensor.
        values: Reads its elements, where it is whole and the index tells no statistics.
    """
    record = index.tensor[tensor]
    statistics = record.statistics
    if statistics is None and record.content == "whole":
        value = values(tensor)
        statistics = None if value is None else statistics_of(value.array())
    if statistics is None:
        return None
    return NonFinite(nans=statistics.nans, infinities=statistics.infinities)


def no_values(tensor: int) -> TensorValue | None:
    """For a trace whose elements are not at hand."""
    return None
