"""Callbacks of a check for progress and cancellation, and storage for its matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from gradviz.model.jacobian import JacobianReport
from gradviz.model.tensor import TensorValue

Progress = Callable[[int, int], None]
"""Called with (evaluations begun, evaluations expected) as each evaluation begins."""

Cancelled = Callable[[], bool]
"""Called before each evaluation; returning True ends the check."""

Partial = Callable[[JacobianReport], None]
"""Called with an ``incomplete`` report each time a block is finished."""


class MatrixSink(Protocol):
    """Storage for the matrices of a check, each stored as soon as it is complete."""

    def store(self, value: TensorValue) -> int:
        """Store a matrix and return its number in the trace."""


@runtime_checkable
class GrowingSink(MatrixSink, Protocol):
    """A sink that also stores unfinished matrices, to show them during the check."""

    def is_due(self) -> bool:
        """Whether to store unfinished matrices now; called before each evaluation."""

    def keep(self, value: TensorValue, number: int | None) -> int:
        """Store the finished part of a matrix, replacing ``number``; return its number."""

    def release(self, number: int) -> None:
        """Make a number available for the next matrix that is stored."""


class Nowhere:
    """A sink that discards all matrices."""

    def store(self, value: TensorValue) -> int:
        """Discard a matrix and return 0."""
        return 0


def untold(_done: int, _total: int) -> None:
    """Default progress callback: do nothing."""


def unread(_report: JacobianReport) -> None:
    """Default callback for partial reports: do nothing."""


def never() -> bool:
    """Default cancellation callback: never cancel."""
    return False
