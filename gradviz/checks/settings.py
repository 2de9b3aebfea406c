"""What a check is asked to do, and whom it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from gradviz.model.jacobian import JacobianReport
from gradviz.model.tensor import TensorValue

Progress = Callable[[int, int], None]
"""Told (evaluations begun, evaluations expected) as each begins."""

Cancelled = Callable[[], bool]
"""Asked before each evaluation; True ends the check."""

Partial = Callable[[JacobianReport], None]
"""Told a report with the verdict ``incomplete`` each time a block is finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """Step and tolerances; the defaults are those of ``torch.autograd.gradcheck``.

    Attributes:
        eps: Step of the central difference, in units of the input.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        nondet_tol: Largest difference between two equal backwards that still counts as equal.
    """

    eps: float = 1e-6
    atol: float = 1e-5
    rtol: float = 1e-3
    nondet_tol: float = 0.0

    def __post_init__(self) -> None:
        if not self.eps > 0:
            raise ValueError(f"eps must be greater than 0, not {self.eps}")
        for name in ("atol", "rtol", "nondet_tol"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, but is {getattr(self, name)}")


class MatrixSink(Protocol):
    """Keeps the matrices of a check, each as soon as it is finished."""

    def store(self, value: TensorValue) -> int:
        """Keeps a matrix and returns its number in the trace."""


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
