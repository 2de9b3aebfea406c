"""Numerical Jacobians by central differences, bit for bit as ``torch.autograd.gradcheck``.

For a real input, row k is ``(f(x + eps e_k) - f(x - eps e_k)) / (2 eps)``. For a complex one it
is ``ds/dx + 1j ds/dy``, the conjugate Wirtinger derivative up to gradcheck's factor.
Source: ``_get_numerical_jacobian`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.jacobians.matrices import MutableElements, RowBlocks, new_matrix
from gradviz.checks.output_parts import OutputPart
from gradviz.checks.run.progress import MatrixProgress
from gradviz.recorder.patching.signals import calls_user_code

Evaluate = Callable[[], tuple[Any, ...]]
"""Callable that runs the function once on the current values of its arguments."""


class OutputChangedError(Exception):
    """Perturbing an input changed the number, shape, or dtype of the function's outputs."""


def numerical_jacobians(
    evaluate: Evaluate,
    moved: Tensor,
    parts: Sequence[OutputPart],
    eps: float,
    rows: Sequence[int] | None = None,
    growth: MatrixProgress | None = None,
) -> list[Tensor]:
    """Compute the Jacobian of each part with respect to one input.

    The input is modified in place, element by element, and restored afterwards.

    Args:
        evaluate: Runs the function.
        moved: The input, one of the arguments that ``evaluate`` uses.
        parts: The parts of the outputs to differentiate.
        eps: The step.
        rows: Which elements of the input to vary, in ascending order; all if omitted.
        growth: Receives the progress of the matrices; unused for a complex input, whose matrices
            are computed in two runs.

    Returns:
        For each part a matrix ``[varied elements, part elements]`` on the part's device.

    Raises:
        OutputChangedError: If number, shape, or dtype of the outputs depends on the input's values.
    """
    if not moved.is_complex():
        return _differences(evaluate, moved, parts, eps, eps, rows, growth or MatrixProgress())
    along_real = _differences(evaluate, moved, parts, eps, eps, rows, MatrixProgress())
    along_imaginary = _differences(evaluate, moved, parts, eps * 1j, eps, rows, MatrixProgress())
    return [
        _combined(dx, dy, moved.dtype) for dx, dy in zip(along_real, along_imaginary, strict=True)
    ]


def _combined(along_real: Tensor, along_imaginary: Tensor, dtype: torch.dtype) -> Tensor:
    """Combine row by row like gradcheck: with infinities, the row length affects the bits."""
    result = along_real.new_zeros(along_real.shape, dtype=dtype)
    for row, dx, dy in zip(result, along_real, along_imaginary, strict=True):
        row.copy_(dx + dy * 1j)
    return result


def _differences(
    evaluate: Evaluate,
    moved: Tensor,
    parts: Sequence[OutputPart],
    step: complex,
    eps: float,
    chosen: Sequence[int] | None,
    growth: MatrixProgress,
) -> list[Tensor]:
    """Central differences with a real or imaginary step."""
    data = moved.data  # Writing through ``.data`` does not bump the version counter.
    before = data.clone(memory_format=torch.contiguous_format)
    places = range(data.numel()) if chosen is None else list(chosen)
    flat = before.view(-1) if chosen is None else before.view(-1)[places]
    count = len(places)
    results = [new_matrix(count, part.shape.numel(), part.dtype, part.device) for part in parts]
    below, above = RowBlocks(count, parts), RowBlocks(count, parts)
    copy = _row_writer(parts)
    elements = MutableElements(data)
    put, values = elements.put, map(elements.listed, (flat, flat - step, flat + step))
    moves = zip(places, *values, strict=True)

    def flush(filled: int) -> None:
        done, rows = below.take(filled)
        for result, low, high in zip(results, below.matrices, above.matrices, strict=True):
            torch.sub(high[rows], low[rows], out=result[done])

    # Each row holds undivided differences until the end, so a partial matrix needs the divisor.
    growth.begin("numerical", results, 2 * eps, flush)
    try:
        for block in below.ranges:
            # The moves come last, so that `zip` takes none that has no row.
            for k, low_row, high_row, (place, value, low, high) in zip(
                block, below.rows, above.rows, moves, strict=False
            ):
                put(place, low)
                # Copied, because the function may return a buffer that its next call overwrites.
                copy(low_row, evaluate())
                put(place, high)
                copy(high_row, evaluate())
                # Restored exactly: adding and subtracting eps would leave a rounding error.
                put(place, value)
                growth.filled = k + 1
            flush(block.stop)
    finally:
        growth.end()
        data.copy_(before)
    # Divided once for all rows: faster, and with the same bits as row by row.
    return [result.div_(2 * eps) for result in results]


def _row_writer(
    parts: Sequence[OutputPart],
) -> Callable[[tuple[Tensor, ...], tuple[Any, ...]], None]:
    """Return a function that copies outputs to a row, which has a tensor for each part."""

    @calls_user_code
    def copy(row: tuple[Tensor, ...], outputs: tuple[Any, ...]) -> None:
        for target, value in zip(row, part_values(parts, outputs), strict=True):
            target.copy_(value)

    if len(parts) != 1:
        return copy
    read = _reader(parts[0])

    # For a single part, the loop would take as long as the copy.
    @calls_user_code
    def copy_one(row: tuple[Tensor, ...], outputs: tuple[Any, ...]) -> None:
        row[0].copy_(read(outputs))

    return copy_one


def _reader(part: OutputPart) -> Callable[[tuple[Any, ...]], Tensor]:
    """`part_values` for a single part, with a fast path for a well-formed one."""
    position, shape, dtype, is_whole = part.output, part.shape, part.dtype, not part.part

    def read(outputs: tuple[Any, ...]) -> Tensor:
        if is_whole and position < len(outputs):
            value = outputs[position]
            # A subclass may override `detach`; it takes the general path.
            if type(value) is Tensor and value.dtype is dtype and value.shape == shape:
                return value.detach() if value.requires_grad else value
        return part_values((part,), outputs)[0]

    return read


def directional(
    evaluate: Evaluate, moved: Tensor, delta: Tensor, parts: Sequence[OutputPart], eps: float
) -> list[Tensor]:
    """Central difference along ``delta`` for one input, divided by ``2 eps``.

    Args:
        evaluate: Runs the function.
        moved: The input, one of the arguments that ``evaluate`` uses; restored afterwards.
        delta: Perturbation in the input's shape: ``eps`` times a direction.
        parts: The parts of the outputs to differentiate.
        eps: The step along that direction.

    Returns:
        For each part a vector of its elements.

    Raises:
        OutputChangedError: If number, shape, or dtype of the outputs depends on the input's values.
    """
    data = moved.data
    before = data.clone()
    try:
        data.copy_(before - delta)
        # Cloned, because the function may return a buffer that its next call overwrites.
        below = [each.clone() for each in part_values(parts, evaluate())]
        data.copy_(before + delta)
        above = part_values(parts, evaluate())
        pairs = zip(above, below, strict=True)
        return [((high - low) / (2 * eps)).reshape(-1) for high, low in pairs]
    finally:
        data.copy_(before)


@calls_user_code
def part_values(parts: Sequence[OutputPart], outputs: tuple[Any, ...]) -> list[Tensor]:
    """The parts of the outputs, detached.

    Raises:
        OutputChangedError: If a part is missing or has a different shape or dtype.
    """
    found = []
    for part in parts:
        if part.output >= len(outputs) or not isinstance(outputs[part.output], Tensor):
            raise OutputChangedError(say("changed.no_tensor", number=part.output))
        value = part.of(outputs)
        if value.shape != part.shape or value.dtype != part.dtype:
            found_form = _form(value.dtype, value.shape)
            expected = _form(part.dtype, part.shape)
            raise OutputChangedError(
                say("changed.form", number=part.output, found=found_form, expected=expected)
            )
        found.append(value.detach() if value.requires_grad else value)
    return found


def _form(dtype: torch.dtype, shape: torch.Size) -> str:
    return f"{str(dtype).removeprefix('torch.')}{list(shape)}"
