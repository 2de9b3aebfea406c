"""Analytical Jacobians by one backward pass for each output element, bit for bit gradcheck's.

Source: ``_check_analytical_jacobian_attributes`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

Backward = Callable[[Tensor], Sequence[Tensor | None]]
"""Gradients of the inputs for one gradient of the output; None where there is none."""

_CHUNK_ELEMENTS = 1 << 18
"""Elements of the buffer in which the second pass waits to be compared."""


@dataclass(frozen=True, slots=True)
class Analytical:
    """What two equal series of backward passes gave.

    Attributes:
        matrices: For each input, ``[input elements, output elements]``, from the first series.
        spreads: For each input, the largest difference between the two series; NaN if any is.
        misfits: Indices of inputs whose gradient had another shape or type than the input.
    """

    matrices: tuple[Tensor, ...]
    spreads: tuple[float, ...]
    misfits: tuple[int, ...]


def engine_backward(output: Tensor, inputs: Sequence[Tensor]) -> Backward:
    """Backward passes through the engine, from one output to the inputs."""

    def run(gradient: Tensor) -> Sequence[Tensor | None]:
        return torch.autograd.grad(output, inputs, gradient, retain_graph=True, allow_unused=True)

    return run


def analytical_jacobians(
    backward: Backward, output: Tensor, inputs: Sequence[Tensor]
) -> Analytical:
    """The Jacobian of an output with respect to each input, and whether it is always the same.

    Args:
        backward: Runs one backward pass; called twice for each output element.
        output: What is differentiated.
        inputs: With respect to what.
    """
    count = output.numel()
    first = [each.new_zeros((count, each.numel())) for each in inputs]
    misfits: set[int] = set()
    for k, gradients in enumerate(_passes(backward, output)):
        misfits |= _store(gradients, inputs, [matrix[k] for matrix in first])
    spreads = _spreads(_passes(backward, output), inputs, first)
    return Analytical(
        matrices=tuple(matrix.t().contiguous() for matrix in first),
        spreads=spreads,
        misfits=tuple(sorted(misfits)),
    )


def _passes(backward: Backward, output: Tensor) -> Iterator[Sequence[Tensor | None]]:
    """One backward pass for each output element, in row-major order."""
    # The clone gives what gradcheck gives: one tensor of zeros, refilled for each pass.
    gradient = torch.zeros_like(output.detach(), memory_format=torch.contiguous_format)
    flat = gradient.view(-1)
    for element in flat.unbind():
        flat.zero_()
        element.fill_(1.0)
        yield backward(gradient)


def _store(
    gradients: Sequence[Tensor | None], inputs: Sequence[Tensor], rows: Sequence[Tensor]
) -> set[int]:
    """Copies gradients into rows, and gives the indices of those that do not fit."""
    misfits = set()
    for i, (gradient, each, row) in enumerate(zip(gradients, inputs, rows, strict=True)):
        if gradient is None:
            row.zero_()
            continue
        dense = gradient if gradient.layout == torch.strided else gradient.to_dense()
        if dense.shape != each.shape or dense.dtype != each.dtype:
            misfits.add(i)
        if dense.numel() == row.numel():
            row.copy_(dense.detach().reshape(-1))
    return misfits


def _spreads(
    passes: Iterator[Sequence[Tensor | None]], inputs: Sequence[Tensor], first: Sequence[Tensor]
) -> tuple[float, ...]:
    widest = max((matrix.shape[1] for matrix in first), default=1)
    size = max(1, _CHUNK_ELEMENTS // max(1, widest))
    second = [torch.zeros_like(matrix[:size]) for matrix in first]
    found = [_no_spread(matrix) for matrix in first]
    begin, filled = 0, 0
    for gradients in passes:
        _store(gradients, inputs, [matrix[filled] for matrix in second])
        filled += 1
        if filled == size:
            _widen(found, first, second, begin, filled)
            begin, filled = begin + filled, 0
    _widen(found, first, second, begin, filled)
    return tuple(float(each) for each in found)


def _no_spread(matrix: Tensor) -> Tensor:
    return matrix.new_zeros(()).abs()  # abs gives the real type for a complex matrix.


def _widen(
    found: list[Tensor],
    first: Sequence[Tensor],
    second: Sequence[Tensor],
    begin: int,
    count: int,
) -> None:
    """Compares rows ``begin`` to ``begin + count``; ``maximum`` hands on NaN, as gradcheck does."""
    for i, (one, two) in enumerate(zip(first, second, strict=True)):
        difference = one[begin : begin + count] - two[:count]
        if difference.numel():
            found[i] = torch.maximum(found[i], difference.abs().max())
