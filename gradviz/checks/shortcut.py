"""Fast computation of both Jacobians of a single custom Function, verified by the engine.

Each matrix is computed without the engine, and a few of its rows or columns are compared bit for
bit with the engine's. If a bit differs, or the Function needs the engine, the result is None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.analytical import (
    Analytical,
    Backward,
    analytical_columns,
    analytical_jacobians,
)
from gradviz.checks.attempt import Attempt
from gradviz.checks.direct import UnfitError, direct_backward, direct_forward
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.growth import Growth
from gradviz.checks.numerical import Evaluate, numerical_jacobians
from gradviz.checks.parts import Part, as_tuple

T = TypeVar("T")

LEAST_ELEMENTS = 32
"""With fewer elements, the comparison would cost as much as the shortcut saves."""


class Shortcut:
    """The fast path for one Function and its arguments, used only on the CPU."""

    def __init__(
        self, cls: type[Function], arguments: Sequence[Any], evaluations: Evaluations
    ) -> None:
        self._arguments = arguments
        self._evaluations = evaluations
        self._forward = direct_forward(cls, arguments)
        self._on_cpu = all(
            each.device.type == "cpu" for each in arguments if isinstance(each, Tensor)
        )
        self._forward_fits = True

    def probes(self, count: int) -> int:
        """How many of ``count`` elements are also computed by the engine, for comparison."""
        return len(self._probed(count)) if self._is_worth(count) else 0

    def numerical(
        self,
        general: Evaluate,
        moved: Tensor,
        parts: Sequence[Part],
        eps: float,
        growth: Growth,
    ) -> list[Tensor] | None:
        """Like `numerical_jacobians`, or None if the engine has to be used."""
        if not self._forward_fits or not self._is_worth(moved.numel()):
            return None
        with torch.no_grad():
            found = self._attempt(
                lambda: numerical_jacobians(self._evaluate, moved, parts, eps, growth=growth)
            )
        if found is not None:
            rows = self._probed(moved.numel())
            expected = numerical_jacobians(general, moved, parts, eps, rows)
            if _same_bits([matrix[rows] for matrix in found], expected):
                return found
        self._forward_fits = False
        return None

    def analytical(
        self, general: Backward, output: Tensor, inputs: Sequence[Tensor], growth: Growth
    ) -> Analytical | None:
        """Like `analytical_jacobians` for the only output, or None if the engine is needed."""
        if not self._is_worth(output.numel()):
            return None
        with torch.no_grad():
            found = self._attempt(
                lambda: analytical_jacobians(self._backward(output), output, inputs, growth)
            )
        if found is None:
            return None
        columns = self._probed(output.numel())
        expected = analytical_columns(general, output, inputs, columns)
        same = _same_bits([matrix[:, columns] for matrix in found.matrices], expected)
        return found if same else None

    def _is_worth(self, count: int) -> bool:
        return self._on_cpu and count >= LEAST_ELEMENTS

    def _probed(self, count: int) -> list[int]:
        return sorted({0, count // 2, count - 1})

    def _evaluate(self) -> tuple[Any, ...]:
        self._evaluations.begin()
        return as_tuple(self._forward())

    def _backward(self, output: Tensor) -> Backward:
        run = direct_backward(output, self._arguments)

        def counted(gradient: Tensor) -> Sequence[Tensor | None]:
            self._evaluations.begin()
            return run(gradient)

        return counted

    def _attempt(self, work: Callable[[], T]) -> T | None:
        try:
            with Attempt():
                return work()
        except UnfitError:
            pass
        return None


def _same_bits(ours: Sequence[Tensor], theirs: Sequence[Tensor]) -> bool:
    pairs = zip(map(_bits, ours), map(_bits, theirs), strict=True)
    return all(torch.equal(*pair) for pair in pairs)


def _bits(matrix: Tensor) -> Tensor:
    return matrix.contiguous().view(-1).view(torch.uint8)
