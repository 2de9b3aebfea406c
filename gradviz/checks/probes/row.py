"""One element of an input moved by many steps: what each of them makes of its Jacobian's row."""

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
        at: The element's value.
        steps: Ascending.
        value: Of the part there, ``[elements]``.
        right: ``(f(x + h) - f(x)) / h``, ``[steps, elements]``.
        left: ``(f(x) - f(x - h)) / h``, likewise.
    """

    at: float
    steps: Numbers
    value: Numbers
    right: Numbers
    left: Numbers

    @property
    def central(self) -> Numbers:
        """``(f(x + h) - f(x - h)) / 2 h``."""
        return (self.right + self.left) / 2

    @property
    def gap(self) -> Numbers:
        """How far the one-sided quotients are apart: shrinks with the step except at a kink."""
        return np.abs(self.right - self.left)

    def floor(self, unit: float) -> Numbers:
        """The rounding error to be expected of the quotients.

        Args:
            unit: Relative rounding error of a number.
        """
        size = np.abs(self.value) + abs(self.at) * np.abs(np.nan_to_num(self.central))
        return unit * size / self.steps[:, None]


def measure(bench: Bench, part: int, moved: int, element: int, steps: tuple[float, ...]) -> Row:
    """Moves an element of an input, and puts it back.

    Args:
        bench: What is measured.
        part: Index among its parts.
        moved: Index among its inputs.
        element: In row-major order.
        steps: Ascending.

    Raises:
        OutputChangedError: If the outputs have another form there.
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
            raise OutputChangedError(f"output {chosen.output} has another shape")
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
    """The elements of a real tensor in row-major order."""
    return np.array(tensor.detach().to("cpu", torch.float64).reshape(-1).numpy())
