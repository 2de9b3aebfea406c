"""Numerical Jacobians by central differences, bit for bit those of ``torch.autograd.gradcheck``.

For a real input, row k is ``(f(x + eps e_k) - f(x - eps e_k)) / (2 eps)``. For a complex one it is
``ds/dx + 1j ds/dy``, the conjugate Wirtinger derivative up to gradcheck's factor.
Source: ``_get_numerical_jacobian`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.elements import Elements
from gradviz.checks.growth import Growth
from gradviz.checks.matrices import new_matrix
from gradviz.checks.parts import Part

Evaluate = Callable[[], tuple[Any, ...]]
"""Runs the function once on its arguments as they are now."""


class OutputChangedError(Exception):
    """The function's outputs have another form where the input is moved a little."""


def numerical_jacobians(
    evaluate: Evaluate,
    moved: Tensor,
    parts: Sequence[Part],
    eps: float,
    rows: Sequence[int] | None = None,
    growth: Growth | None = None,
) -> list[Tensor]:
    """The Jacobian of each part with respect to one input.

    The input is moved in place, element by element, and has its values back afterwards.

    Args:
        evaluate: Runs the function.
        moved: The input, one of the arguments that ``evaluate`` uses.
        parts: What of the outputs is differentiated.
        eps: The step.
        rows: Which elements of the input to move, in ascending order; all when left out.
        growth: Told how far the matrices are; not for a complex input, whose are made in two runs.

    Returns:
        For each part a matrix ``[moved elements, part elements]``.

    Raises:
        OutputChangedError: If shape, type or number of the outputs depends on the input's values.
    """
    if not moved.is_complex():
        return _differences(evaluate, moved, parts, eps, eps, rows, growth or Growth())
    along_real = _differences(evaluate, moved, parts, eps, eps, rows, Growth())
    along_imaginary = _differences(evaluate, moved, parts, eps * 1j, eps, rows, Growth())
    return [
        _combined(dx, dy, moved.dtype) for dx, dy in zip(along_real, along_imaginary, strict=True)
    ]


def _combined(along_real: Tensor, along_imaginary: Tensor, dtype: torch.dtype) -> Tensor:
    """Row by row, as gradcheck does it: with infinities the bits depend on the length of a row."""
    result = along_real.new_zeros(along_real.shape, dtype=dtype)
    for row, dx, dy in zip(result, along_real, along_imaginary, strict=True):
        row.copy_(dx + dy * 1j)
    return result


def _differences(
    evaluate: Evaluate,
    moved: Tensor,
    parts: Sequence[Part],
    step: complex,
    eps: float,
    chosen: Sequence[int] | None,
    growth: Growth,
) -> list[Tensor]:
    """Central differences with a step that may be imaginary."""
    data = moved.data  # Writing through it does not count as a change of the input.
    before = data.clone(memory_format=torch.contiguous_format)
    places = range(data.numel()) if chosen is None else list(chosen)
    flat = before.view(-1) if chosen is None else before.view(-1)[places]
    count = len(places)
    results = [new_matrix(data, count, part.shape.numel(), part.dtype) for part in parts]
    lower = [data.new_empty(part.shape, dtype=part.dtype) for part in parts]
    shaped = (
        result.view(count, *part.shape).unbind()
        for result, part in zip(results, parts, strict=True)
    )
    rows = list(zip(*shaped, strict=True)) if parts else [()] * count
    elements, read = Elements(data), _reader(parts)
    put, values = elements.put, map(elements.listed, (flat, flat - step, flat + step))
    moves = zip(places, *values, rows, strict=True)
    growth.begin("numerical", results, 2 * eps)
    try:
        for done, (place, value, low, high, row) in enumerate(moves, 1):
            put(place, low)
            for buffer, below in zip(lower, read(evaluate()), strict=True):
                buffer.copy_(below)
            put(place, high)
            for out, above, below in zip(row, read(evaluate()), lower, strict=True):
                torch.sub(above, below, out=out)
            put(place, value)
            growth.filled = done
    finally:
        growth.end()
        data.copy_(before)
    return [result.div_(2 * eps) for result in results]


def _reader(parts: Sequence[Part]) -> Callable[[tuple[Any, ...]], Sequence[Tensor]]:
    """`part_values` of always the same parts; quick for a single one that is as it should be."""
    if len(parts) != 1 or parts[0].part:
        return lambda outputs: part_values(parts, outputs)
    position, shape, dtype = parts[0].output, parts[0].shape, parts[0].dtype

    def read(outputs: tuple[Any, ...]) -> Sequence[Tensor]:
        if position < len(outputs):
            value = outputs[position]
            if type(value) is Tensor and value.dtype is dtype and value.shape == shape:
                return (value.detach(),) if value.requires_grad else (value,)
        return part_values(parts, outputs)

    return read


def directional(
    evaluate: Evaluate, moved: Tensor, delta: Tensor, parts: Sequence[Part], eps: float
) -> list[Tensor]:
    """Central differences with one input moved by ``delta``, divided by ``2 eps``.

    Args:
        evaluate: Runs the function.
        moved: The input, one of the arguments that ``evaluate`` uses; has its values back after.
        delta: Of the input's shape.
        parts: What of the outputs is differentiated.
        eps: The step along a direction that ``delta`` is eps times.

    Returns:
        For each part a vector of its elements.

    Raises:
        OutputChangedError: If shape, type or number of the outputs depends on the input's values.
    """
    data = moved.data
    before = data.clone()
    try:
        data.copy_(before - delta)
        below = [each.clone() for each in part_values(parts, evaluate())]
        data.copy_(before + delta)
        above = part_values(parts, evaluate())
        pairs = zip(above, below, strict=True)
        return [((high - low) / (2 * eps)).reshape(-1) for high, low in pairs]
    finally:
        data.copy_(before)


def part_values(parts: Sequence[Part], outputs: tuple[Any, ...]) -> list[Tensor]:
    """The parts of the outputs, without their history.

    Raises:
        OutputChangedError: If shape or type of one is another one, or one is missing.
    """
    found = []
    for part in parts:
        if part.output >= len(outputs) or not isinstance(outputs[part.output], Tensor):
            raise OutputChangedError(f"output {part.output} is no tensor")
        value = part.of(outputs)
        if value.shape != part.shape or value.dtype != part.dtype:
            raise OutputChangedError(
                f"output {part.output} is {_form(value.dtype, value.shape)}"
                f" instead of {_form(part.dtype, part.shape)}"
            )
        found.append(value.detach() if value.requires_grad else value)
    return found


def _form(dtype: torch.dtype, shape: torch.Size) -> str:
    return f"{str(dtype).removeprefix('torch.')}{list(shape)}"
