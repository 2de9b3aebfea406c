"""Fast allocation of matrices, and their conversion to trace values.

Reused rows for the results of many evaluations.

Access to single elements of a tensor, through NumPy if it can share the memory.

Comparison of two Jacobians by the rule of ``torch.allclose``, with the worst element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import torch
from msgspec import Struct
from torch import Tensor

from gradviz.checks.output_parts import OutputPart
from gradviz.model.arrays import index_at
from gradviz.model.jacobian_report import WorstElement
from gradviz.model.tensor import NUMPY_DTYPES, TensorValue
from gradviz.model.tolerance import tolerance_excess

_BLOCK_ELEMENTS = 2**17
"""Maximum number of elements of a block: about as many as fit into the CPU cache."""

_LEAST_ROWS, _MOST_ROWS = 8, 64
"""Minimum and maximum number of rows of a block, or as many as there are evaluations."""


class RowBlocks:
    """Rows for the results of some evaluations, reused for one block of them after another.

    The rows of a small block stay in the cache. Creating a view of each row of a large matrix would
    take as long as filling it.

    Args:
        count: Number of evaluations.
        forms: Tensors or output parts with the shape, dtype and device of each result.

    Attributes:
        ranges: The evaluations of each block.
        matrices: For each form, ``[block size, elements]``.
        rows: For each evaluation of a block, a row for each form, in its shape.
    """

    def __init__(self, count: int, forms: Sequence[Tensor | OutputPart]) -> None:
        elements = sum(each.shape.numel() for each in forms)
        most = max(_LEAST_ROWS, _BLOCK_ELEMENTS // max(1, elements))
        size = max(1, min(count, _MOST_ROWS, most))
        self.ranges = [range(count)[k : k + size] for k in range(0, count, size)]
        self.matrices = [
            new_matrix(size, each.shape.numel(), each.dtype, each.device) for each in forms
        ]
        shaped = (
            matrix.view(size, *form.shape).unbind()
            for matrix, form in zip(self.matrices, forms, strict=True)
        )
        self.rows: list[tuple[Tensor, ...]] = (
            list(zip(*shaped, strict=True)) if forms else [()] * size
        )
        self._taken = 0

    def take(self, filled: int) -> tuple[slice, slice]:
        """Those of the first ``filled`` evaluations that are new since the last call.

        Returns:
            The evaluations, and their rows in the block.
        """
        begin, row = self._taken, self._taken % len(self.rows)
        self._taken = filled
        return slice(begin, filled), slice(row, row + filled - begin)


class MutableElements:
    """The elements of a tensor in row-major order, written directly to its memory.

    Setting one element costs about as much as a small matrix product in torch, and a tenth of that
    in NumPy.

    Attributes:
        put: Sets the element at an index to one of the values returned by `listed`.
        clear: Sets all elements to zero.
    """

    put: Callable[[int, Any], object]
    clear: Callable[[], object]

    def __init__(self, data: Tensor) -> None:
        self._by_numpy = _is_for_numpy(data)
        self._views: Sequence[Tensor] = ()
        if self._by_numpy:
            array = data.numpy()
            self.put = array.flat.__setitem__
            self.clear = partial(array.fill, 0)
        else:
            self._views = _views(data)
            self.put = self._copy
            self.clear = data.zero_

    def listed(self, values: Tensor) -> Iterable[Any]:
        """A vector of the tensor's dtype as values that `put` accepts, with identical bits."""
        return values.numpy() if self._by_numpy else values.unbind()

    def _copy(self, place: int, value: Tensor) -> None:
        self._views[place].copy_(value)


def _is_for_numpy(data: Tensor) -> bool:
    known = str(data.dtype).removeprefix("torch.") in NUMPY_DTYPES
    # NumPy reads memory as it is, without lazy conjugation and negation.
    plain = type(data) is Tensor and not data.is_conj() and not data.is_neg()
    return known and plain and data.device.type == "cpu" and data.layout is torch.strided


def _views(data: Tensor) -> Sequence[Tensor]:
    """Zero-dimensional views of all elements."""
    if data.is_contiguous():
        return data.view(-1).unbind()
    return [data[index] for index in product(*map(range, data.shape))]


_CHUNK_ELEMENTS = 30_000
"""Elements compared at a time: few enough for the CPU cache, and too few for torch to
split among threads, which would wait for each other.
"""


_SURELY_CLOSE = 0.9
"""Below this excess, rounding cannot make `torch.isclose` return False, even in float16."""


class MatrixComparison(Struct, frozen=True):
    """Result of comparing two matrices.

    Attributes:
        wrong: Number of elements outside the tolerance.
        worst: The worst element; None for empty matrices.
    """

    wrong: int
    worst: WorstElement | None


def compare(
    analytical: Tensor,
    numerical: Tensor,
    tolerance: tuple[float, float],
    input_shape: tuple[int, ...],
    output_shape: tuple[int, ...],
) -> MatrixComparison:
    """Compare element by element: ``|a - n| <= atol + rtol * |n|``; NaN never matches.

    Args:
        analytical: ``[input elements, output elements]``.
        numerical: Same shape.
        tolerance: Absolute tolerance, and tolerance relative to the numerical value.
        input_shape: Shape of the input, to convert a row to an index.
        output_shape: Shape of the output, to convert a column to an index.
    """
    atol, rtol = tolerance
    common = torch.promote_types(analytical.dtype, numerical.dtype)
    ours, theirs = analytical.to("cpu", common), numerical.to("cpu", common)
    if ours.numel() == 0:
        return MatrixComparison(0, None)
    # Below every excess, so that even an exact match has a worst element.
    wrong, worst_place = 0, (0, 0, -1.0)
    rows = max(1, _CHUNK_ELEMENTS // ours.shape[1])
    for start in range(0, ours.shape[0], rows):
        a, n = ours[start : start + rows], theirs[start : start + rows]
        row, column, excess = _worst(a, n, atol, rtol)
        if excess > worst_place[2]:
            worst_place = (start + row, column, excess)
        if excess > _SURELY_CLOSE:
            close = torch.isclose(a, n, rtol=rtol, atol=atol)
            wrong += close.numel() - int(close.count_nonzero())
    row, column, excess = worst_place
    worst = WorstElement(
        row=row,
        column=column,
        input_index=index_at(row, input_shape),
        output_index=index_at(column, output_shape),
        analytical=complex(ours[row, column].item()),
        numerical=complex(theirs[row, column].item()),
        excess=excess,
    )
    return MatrixComparison(wrong, worst)


def _worst(
    analytical: Tensor, numerical: Tensor, atol: float, rtol: float
) -> tuple[int, int, float]:
    """Row, column and `tolerance_excess` of the worst element."""
    wide = torch.complex128 if analytical.is_complex() else torch.float64
    a, n = (each.to(wide).numpy(force=True).reshape(-1) for each in (analytical, numerical))
    differs = a != n
    places = None
    # Most elements of most Jacobians are 0 in both matrices, and the excess of equal ones is 0.
    if np.count_nonzero(differs) < len(a) // 8:
        places = np.flatnonzero(differs)
        a, n = a[places], n[places]
    excess = tolerance_excess(a, n, atol=atol, rtol=rtol)
    if places is not None and not excess.any():
        return 0, 0, 0.0
    # argmax returns the first of equal maxima: in row-major order the lowest row, then column.
    largest = int(excess.argmax())
    place = largest if places is None else int(places[largest])
    row, column = divmod(place, analytical.shape[1])
    return row, column, float(excess[largest])


def new_matrix(rows: int, columns: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """An uninitialized matrix.

    Large matrices dominate a check's memory. NumPy requests large pages from the system, torch does
    not, and first touching 50 MB in small pages takes as long as a hundred evaluations.
    """
    numpy_name = NUMPY_DTYPES.get(str(dtype).removeprefix("torch."))
    if device.type != "cpu" or numpy_name is None:
        return torch.empty((rows, columns), dtype=dtype, device=device)
    return torch.from_numpy(np.empty((rows, columns), dtype=numpy_name))


def transposed(matrix: Tensor) -> Tensor:
    """A contiguous copy of a matrix's transpose."""
    rows, columns = matrix.shape
    return new_matrix(columns, rows, matrix.dtype, matrix.device).copy_(matrix.t())


def byte_view(tensor: Tensor) -> Tensor:
    """The bytes of a dense tensor's elements in row-major order, uint8 ``[bytes]``.

    Not copied if the tensor has them in that order.
    """
    dense = tensor.resolve_conj().resolve_neg().contiguous()
    # A dimension of size 1 may have any stride, also in a contiguous tensor, and `view` would keep
    # it, for which torch refuses another dtype.
    return dense.as_strided((dense.numel(),), (1,)).view(torch.uint8)


def matrix_value(matrix: Tensor) -> TensorValue:
    """The elements of a tensor in row-major order, bit for bit.

    Not copied if the tensor has them in that order, so it must not be written any more.
    """
    found = byte_view(matrix.detach().to("cpu"))
    return TensorValue(
        dtype=str(matrix.dtype).removeprefix("torch."),
        shape=tuple(matrix.shape),
        # SQLite takes the address of an empty tensor, which is 0, for NULL.
        data=found.numpy().data.toreadonly() if len(found) else b"",
    )
