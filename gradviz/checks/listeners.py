"""Whom a check tells of how far it is, and who keeps its matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from gradviz.model.jacobian import JacobianReport
from gradviz.model.tensor import TensorValue

Progress = Callable[[int, int], None]
"""Told (evaluations begun, evaluations expected) as each begins."""

Cancelled = Callable[[], bool]
"""Asked before each evaluation; True ends the check."""

Partial = Callable[[JacobianReport], None]
"""Told a report with the verdict ``incomplete`` each time a block is finished."""


class MatrixSink(Protocol):
    """Keeps the matrices of a check, each as soon as it is finished."""

    def store(self, value: TensorValue) -> int:
        """Keeps a matrix and returns its number in the trace."""


@runtime_checkable
class GrowingSink(MatrixSink, Protocol):
    """A sink that also keeps matrices which are not whole yet, for who looks on."""

    def is_due(self) -> bool:
        """Whether it is time to keep what there is; asked before each evaluation."""

    def keep(self, value: TensorValue, number: int | None) -> int:
        """Keeps what there is of a matrix, in the place of ``number``; returns its number."""

    def release(self, number: int) -> None:
        """Says that a number is free for the next matrix that is stored."""


class Nowhere:
    """A sink for matrices that nobody will look at."""

    def store(self, value: TensorValue) -> int:
        """Forgets a matrix."""
        return 0


def untold(_done: int, _total: int) -> None:
    """Progress that nobody wants to know."""


def unread(_report: JacobianReport) -> None:
    """A partial report that nobody reads."""


def never() -> bool:
    """A check that nobody cancels."""
    return False
