"""Analytical Jacobians by one backward pass for each output element, bit for bit gradcheck's.

Source: ``_check_analytical_jacobian_attributes`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gradviz.checks.evaluations import Evaluations
from gradviz.checks.growth import Growth
from gradviz.checks.matrices import new_matrix

Backward = Callable[[Tensor], Sequence[Tensor | None]]
"""Gradients of the inputs for one gradient of the output; None where there is none."""

_BLOCK_ELEMENTS = 30_000
"""Rows of gradients are turned into columns in blocks of at most so many elements: small enough
for the cache, and too small for torch to divide among threads, which would wait for each other."""


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


def engine_backward(output: Tensor, inputs: Sequence[Tensor], evaluations: Evaluations) -> Backward:
    """Backward passes through the engine, from one output to the inputs, each counted."""

    def run(gradient: Tensor) -> Sequence[Tensor | None]:
        evaluations.begin()
        return torch.autograd.grad(output, inputs, gradient, retain_graph=True, allow_unused=True)

    return run


def analytical_jacobians(
    backward: Backward,
    output: Tensor,
    inputs: Sequence[Tensor],
    growth: Growth | None = None,
) -> Analytical:
    """The Jacobian of an output with respect to each input, and whether it is always the same.

    Args:
        backward: Runs one backward pass; called twice for each output element.
        output: What is differentiated.
        inputs: With respect to what.
        growth: Told how far the matrices are.
    """
    growth = growth or Growth()
    matrices = [new_matrix(each, each.numel(), output.numel()) for each in inputs]
    misfits: set[int] = set()
    growth.begin("analytical", matrices)
    for start, blocks in _series(backward, output, inputs, misfits, growth=growth):
        for matrix, block in zip(matrices, blocks, strict=True):
            matrix[:, start : start + len(block)].copy_(block.t())
        growth.filled = start + len(blocks[0]) if blocks else 0
    spreads = [_no_spread(matrix) for matrix in matrices]
    for start, blocks in _series(backward, output, inputs, set()):
        for i, (matrix, block) in enumerate(zip(matrices, blocks, strict=True)):
            before = matrix[:, start : start + len(block)].t().contiguous()
            if not torch.equal(before, block):  # maximum hands on NaN, as gradcheck does.
                spreads[i] = torch.maximum(spreads[i], (before - block).abs().max())
    growth.end()
    return Analytical(
        matrices=tuple(matrices),
        spreads=tuple(float(each) for each in spreads),
        misfits=tuple(sorted(misfits)),
    )


def analytical_columns(
    backward: Backward, output: Tensor, inputs: Sequence[Tensor], chosen: Sequence[int]
) -> list[Tensor]:
    """For each input some columns of its Jacobian, ``[input elements, chosen]``."""
    found = [new_matrix(each, each.numel(), len(chosen)) for each in inputs]
    for start, blocks in _series(backward, output, inputs, set(), chosen):
        for matrix, block in zip(found, blocks, strict=True):
            matrix[:, start : start + len(block)].copy_(block.t())
    return found


def _series(
    backward: Backward,
    output: Tensor,
    inputs: Sequence[Tensor],
    misfits: set[int],
    chosen: Sequence[int] | None = None,
    growth: Growth | None = None,
) -> Iterator[tuple[int, list[Tensor]]]:
    """Gradients of one pass after the other, in blocks: (first pass, ``[passes, elements]`` each).

    A block is good until the next one is asked for, and ends early where ``growth`` is in a hurry.
    Adds to ``misfits`` what does not fit.
    """
    widest = max((each.numel() for each in inputs), default=1)
    size = max(1, _BLOCK_ELEMENTS // max(1, widest))
    size = min(size, output.numel() if chosen is None else len(chosen))
    blocks = [
        torch.zeros((size, *each.shape), dtype=each.dtype, device=each.device) for each in inputs
    ]
    rows = list(zip(*(block.unbind() for block in blocks), strict=True))
    flat = [block.view(size, each.numel()) for block, each in zip(blocks, inputs, strict=True)]
    begin, filled = 0, 0
    for gradients in _passes(backward, output, chosen):
        _store(gradients, rows[filled], misfits)
        filled += 1
        if filled == size or (growth is not None and growth.hurry):
            yield begin, [each[:filled] for each in flat]
            if growth is not None:
                growth.hurry = False
            begin, filled = begin + filled, 0
    if filled:
        yield begin, [each[:filled] for each in flat]


def _passes(
    backward: Backward, output: Tensor, chosen: Sequence[int] | None
) -> Iterator[Sequence[Tensor | None]]:
    """One backward pass for each output element, or each chosen one, in row-major order."""
    # Like gradcheck: one tensor of zeros, refilled for each pass.
    gradient = torch.zeros_like(output.detach(), memory_format=torch.contiguous_format)
    flat = gradient.view(-1)
    for element in flat.unbind() if chosen is None else [flat[k] for k in chosen]:
        flat.zero_()
        element.fill_(1.0)
        yield backward(gradient)


def _store(gradients: Sequence[Tensor | None], rows: Sequence[Tensor], misfits: set[int]) -> None:
    """Copies gradients into rows, and notes the indices of those that do not fit."""
    for i, (gradient, row) in enumerate(zip(gradients, rows, strict=True)):
        if gradient is None:
            row.zero_()
            continue
        if gradient.layout is not torch.strided:
            gradient = gradient.to_dense()
        if gradient.shape != row.shape or gradient.dtype is not row.dtype:
            misfits.add(i)
            row.zero_()
        else:
            row.copy_(gradient.detach() if gradient.requires_grad else gradient)


def _no_spread(matrix: Tensor) -> Tensor:
    return matrix.new_zeros(()).abs()  # abs gives the real type for a complex matrix.
