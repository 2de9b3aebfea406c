"""Numerical Jacobians by central differences, bit for bit those of ``torch.autograd.gradcheck``.

For a real input, row k is ``(f(x + eps e_k) - f(x - eps e_k)) / (2 eps)``. For a complex one it is
``ds/dx + 1j ds/dy``, the conjugate Wirtinger derivative up to gradcheck's factor.
Source: ``_get_numerical_jacobian`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.parts import Part

Evaluate = Callable[[], tuple[Any, ...]]
"""Runs the function once on its arguments as they are now."""

_CHUNK_ELEMENTS = 1 << 18
"""Elements of the buffer that holds one side of the differences."""


class OutputChangedError(Exception):
    """The function's outputs have another form where the input is moved a little."""


def numerical_jacobians(
    evaluate: Evaluate, moved: Tensor, parts: Sequence[Part], eps: float
) -> list[Tensor]:
    """The Jacobian of each part with respect to one input.

    The input is moved in place and put back element by element; whoever calls sees to it that it
    is put back after an exception too.

    Args:
        evaluate: Runs the function.
        moved: The input, one of the arguments that ``evaluate`` uses.
        parts: What of the outputs is differentiated.
        eps: The step.

    Returns:
        For each part a matrix ``[moved elements, part elements]``.

    Raises:
        OutputChangedError: If shape, type or number of the outputs depends on the input's values.
    """
    along_real = _differences(evaluate, moved, parts, eps, eps)
    if not moved.is_complex():
        return along_real
    along_imaginary = _differences(evaluate, moved, parts, eps * 1j, eps)
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
    evaluate: Evaluate, moved: Tensor, parts: Sequence[Part], step: complex, eps: float
) -> list[Tensor]:
    """Central differences with a step that may be imaginary."""
    data = moved.data  # Writing through it does not count as a change of the input.
    count = data.numel()
    results = [data.new_empty((count, part.shape.numel()), dtype=part.dtype) for part in parts]
    widest = max((part.shape.numel() for part in parts), default=1)
    size = max(1, _CHUNK_ELEMENTS // max(1, widest))
    before = data.clone(memory_format=torch.contiguous_format).view(-1)
    sides = (before - step, before + step)
    elements = _elements(data)
    for start in range(0, count, size):
        stop = min(count, start + size)
        below = [torch.empty_like(result[start:stop]) for result in results]
        above = [result[start:stop] for result in results]
        values = [each[start:stop].unbind() for each in (before, *sides)]
        rows = (_rows(below, stop - start), _rows(above, stop - start))
        for k, element in zip(range(stop - start), elements, strict=False):
            for side in (0, 1):
                element.copy_(values[side + 1][k])
                _fill(rows[side][k], parts, evaluate())
            element.copy_(values[0][k])
        for low, high in zip(below, above, strict=True):
            high.sub_(low).div_(2 * eps)
    return results


def _elements(data: Tensor) -> Iterator[Tensor]:
    """Each element as a view without dimensions, in row-major order."""
    if data.is_contiguous():
        return iter(data.view(-1).unbind())
    return (data[index] for index in product(*map(range, data.shape)))


def _rows(matrices: Sequence[Tensor], count: int) -> list[tuple[Tensor, ...]]:
    """The rows number k of all matrices together, for each k."""
    if not matrices:
        return [()] * count
    return list(zip(*(matrix.unbind() for matrix in matrices), strict=True))


def _fill(rows: tuple[Tensor, ...], parts: Sequence[Part], outputs: tuple[Any, ...]) -> None:
    for row, part in zip(rows, parts, strict=True):
        if part.output >= len(outputs) or not isinstance(outputs[part.output], Tensor):
            raise OutputChangedError(f"output {part.output} is no tensor")
        value = part.of(outputs)
        if value.shape != part.shape or value.dtype != part.dtype:
            raise OutputChangedError(
                f"output {part.output} is {_form(value.dtype, value.shape)}"
                f" instead of {_form(part.dtype, part.shape)}"
            )
        row.copy_(value.detach().reshape(-1))


def _form(dtype: torch.dtype, shape: torch.Size) -> str:
    return f"{str(dtype).removeprefix('torch.')}{list(shape)}"
