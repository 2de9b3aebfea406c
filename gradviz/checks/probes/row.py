"""Measurements of one Jacobian row at many steps of one input element."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gradviz.checks.numerical import OutputChangedError
from gradviz.checks.probes.bench import Bench

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Difference quotients of one part with respect to one element of a real input.

    Attributes:
        at: Value of the element.
        steps: Steps, ascending.
        value: Values of the part at this point, ``[elements]``.
        right: ``(f(x + h) - f(x)) / h``, ``[steps, elements]``.
        left: ``(f(x) - f(x - h)) / h``, ``[steps, elements]``.
    """

    at: float
    steps: Numbers
    value: Numbers
    right: Numbers
    left: Numbers

    @property
    def central(self) -> Numbers:
        """Central quotients ``(f(x + h) - f(x - h)) / 2 h``."""
        return (self.right + self.left) / 2

    @property
    def gap(self) -> Numbers:
        """Distance between the one-sided quotients; it shrinks with the step except at a kink."""
        return np.abs(self.right - self.left)

    def floor(self, unit: float) -> Numbers:
        """Expected rounding error of the quotients.

        Args:
            unit: Relative rounding error of the computation.
        """
        size = np.abs(self.value) + abs(self.at) * np.abs(np.nan_to_num(self.central))
        return unit * size / self.steps[:, None]


def measure(bench: Bench, part: int, moved: int, element: int, steps: tuple[float, ...]) -> Row:
    """Measure an element of an input at many steps, and restore it afterwards.

    Args:
        bench: What is measured.
        part: Index of the part.
        moved: Index of the input among the differentiated inputs.
        element: Index of the element in row-major order.
        steps: Steps, ascending.

    Raises:
        OutputChangedError: If an output changes its shape.
    """
    chosen, tensor = bench.parts[part], bench.subject.tensors[moved]
    data = tensor.data
    index = np.unravel_index(element, tuple(data.shape))
    place = tuple(int(k) for k in index)
    before = data[place].clone()
    bench.evaluations.expect(2 * len(steps))

    def value() -> Numbers:
        outputs = bench.ways.evaluate()
        found = chosen.of(outputs)
        if found.shape != chosen.shape:
            raise OutputChangedError(f"output {chosen.output} changes its shape")
        return numbers(found)

    right, left = [], []
    middle = numbers(chosen.of(bench.outputs))
    try:
        for step in steps:
            data[place] = before + step
            right.append((value() - middle) / step)
            data[place] = before - step
            left.append((middle - value()) / step)
    finally:
        data[place] = before
    return Row(
        at=float(before),
        steps=np.array(steps),
        value=middle,
        right=np.array(right),
        left=np.array(left),
    )


def numbers(tensor: Tensor) -> Numbers:
    """Elements of a real tensor in row-major order."""
    return np.array(tensor.detach().to("cpu", torch.float64).reshape(-1).numpy())
