"""Analytical Jacobians from one backward pass per output element, bit for bit gradcheck's.

Source: ``_check_analytical_jacobian_attributes`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from gradviz.checks.jacobians.matrices import new_matrix
from gradviz.checks.jacobians.tensor_elements import MutableElements
from gradviz.checks.run.progress import Evaluations, MatrixProgress

Backward = Callable[[Tensor], Sequence[Tensor | None]]
"""A backward pass: maps an output's gradient to the inputs' gradients, None if undefined."""


@dataclass(frozen=True, slots=True)
class AnalyticalJacobians:
    """Result of two identical series of backward passes.

    Attributes:
        matrices: For each input, ``[input elements, output elements]``, from the first series.
        spreads: For each input, the largest difference between the two series; NaN if any is NaN.
        misfits: Indices of inputs whose gradient does not match them in shape or dtype.
    """

    matrices: tuple[Tensor, ...]
    spreads: tuple[float, ...]
    misfits: tuple[int, ...]


def engine_backward(output: Tensor, inputs: Sequence[Tensor], evaluations: Evaluations) -> Backward:
    """Build a function that runs a counted backward pass through the engine."""

    def run(gradient: Tensor) -> Sequence[Tensor | None]:
        evaluations.begin()
        return torch.autograd.grad(output, inputs, gradient, retain_graph=True, allow_unused=True)

    return run


def analytical_jacobians(
    backward: Backward,
    output: Tensor,
    inputs: Sequence[Tensor],
    growth: MatrixProgress | None = None,
    *,
    all_fit: bool = False,
) -> AnalyticalJacobians:
    """Compute the Jacobian of an output for each input, twice, to measure repeatability.

    Args:
        backward: Runs one backward pass; called twice for each output element.
        output: The output to differentiate.
        inputs: The inputs to differentiate with respect to.
        growth: Receives the progress of the matrices.
        all_fit: Whether every gradient is None or known to match its input in shape, dtype, device
            and layout, and needs no further look at it.
    """
    growth = growth or MatrixProgress()
    gathered = _matrices(output.numel(), inputs)
    rows = _rows(gathered, inputs)
    misfits: set[int] = set()
    # Passes fill rows here, which are columns of the Jacobian.
    growth.begin("analytical", [each.t() for each in gathered])
    store = _store_fitting if all_fit else partial(_store, misfits)
    _gather(_passes(backward, output), rows, store, growth)
    is_equal = _is_equal_fitting if all_fit else _is_equal
    spreads = _spreads(_passes(backward, output), rows, len(inputs), is_equal)
    growth.end()
    rows.clear()  # The rows are views: drop them so that memory can be freed input by input.
    return AnalyticalJacobians(
        matrices=tuple(_columns(gathered)),
        spreads=spreads,
        misfits=tuple(sorted(misfits)),
    )


def analytical_columns(
    backward: Backward, output: Tensor, inputs: Sequence[Tensor], chosen: Sequence[int]
) -> list[Tensor]:
    """Selected columns of the Jacobian for each input, as ``[input elements, chosen]``."""
    gathered = _matrices(len(chosen), inputs)
    rows = _rows(gathered, inputs)
    _gather(_passes(backward, output, chosen), rows, partial(_store, set()), MatrixProgress())
    rows.clear()
    return list(_columns(gathered))


def _matrices(passes: int, inputs: Sequence[Tensor]) -> list[Tensor]:
    """For each input, a matrix with one row for each pass."""
    return [new_matrix(passes, each.numel(), each.dtype, each.device) for each in inputs]


def _gather(
    passes: Iterable[Sequence[Tensor | None]],
    rows: Sequence[Sequence[Tensor]],
    store: Callable[[Sequence[Tensor | None], Sequence[Tensor]], None],
    growth: MatrixProgress,
) -> None:
    for done, (gradients, row) in enumerate(zip(passes, rows, strict=True), 1):
        store(gradients, row)
        growth.filled = done


def _spreads(
    passes: Iterable[Sequence[Tensor | None]],
    rows: Sequence[Sequence[Tensor]],
    count: int,
    is_equal: Callable[[Tensor | None, Tensor], bool],
) -> tuple[float, ...]:
    """For each of ``count`` inputs, the largest difference between passes and stored rows."""
    found = [0.0] * count
    for gradients, row in zip(passes, rows, strict=True):
        for i, (gradient, before) in enumerate(zip(gradients, row, strict=True)):
            if not is_equal(gradient, before):
                spread = _spread(gradient, before)
                # Once NaN, always NaN: no later value is larger.
                found[i] = spread if spread > found[i] or math.isnan(spread) else found[i]
    return tuple(found)


def _rows(gathered: Sequence[Tensor], inputs: Sequence[Tensor]) -> list[tuple[Tensor, ...]]:
    """For each pass, the row that receives each input's gradient, viewed in its shape."""
    shaped = (
        matrix.view(len(matrix), *each.shape).unbind()
        for matrix, each in zip(gathered, inputs, strict=True)
    )
    return list(zip(*shaped, strict=True))


def _columns(gathered: list[Tensor]) -> Iterator[Tensor]:
    """Transpose each matrix of rows in a single copy, which is by far the fastest way."""
    while gathered:
        rows = gathered.pop(0)
        matrix = new_matrix(rows.shape[1], rows.shape[0], rows.dtype, rows.device)
        yield matrix.copy_(rows.t())


def _passes(
    backward: Backward, output: Tensor, chosen: Sequence[int] | None = None
) -> Iterator[Sequence[Tensor | None]]:
    """Run a backward pass for each (chosen) output element, in row-major order."""
    # Like gradcheck, refill a single tensor of zeros for each pass.
    gradient = torch.zeros_like(output.detach(), memory_format=torch.contiguous_format)
    elements = MutableElements(gradient)
    put, clear = elements.put, elements.clear
    (one,) = elements.listed(torch.ones(1, dtype=gradient.dtype, device=gradient.device))
    for place in range(gradient.numel()) if chosen is None else chosen:
        clear()
        put(place, one)
        yield backward(gradient)


def _store_fitting(gradients: Sequence[Tensor | None], rows: Sequence[Tensor]) -> None:
    """Copy gradients into rows; each is None or has the shape and dtype of its row."""
    for gradient, row in zip(gradients, rows, strict=True):
        if gradient is None:
            row.zero_()
        else:
            row.copy_(gradient)


def _store(misfits: set[int], gradients: Sequence[Tensor | None], rows: Sequence[Tensor]) -> None:
    """Copy gradients into rows, and collect the indices of those that do not fit."""
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


def _is_equal_fitting(gradient: Tensor | None, before: Tensor) -> bool:
    return gradient is not None and torch.equal(gradient, before)


def _is_equal(gradient: Tensor | None, before: Tensor) -> bool:
    """Fast path: whether a gradient surely equals its row; False for None and misfits."""
    if gradient is None or gradient.dtype is not before.dtype:
        return False
    if gradient.layout is not torch.strided or gradient.device != before.device:
        return False
    return torch.equal(gradient, before)


def _spread(gradient: Tensor | None, before: Tensor) -> float:
    """Largest difference from the stored row; NaN if any element is, as in gradcheck."""
    again = torch.empty_like(before)
    _store(set(), [gradient], [again])
    return 0.0 if torch.equal(before, again) else float((before - again).abs().max())
