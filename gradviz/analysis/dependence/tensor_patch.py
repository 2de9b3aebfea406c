"""Cut out a few elements of a tensor around one of them, for display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gradviz.analysis.dependence.element_dependence import ElementIndex

PATCH_RADIUS: Final = 2
"""Number of rows and columns shown on each side."""

_MOST: Final = 2 * PATCH_RADIUS + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchElement:
    """One element.

    Attributes:
        element: Its index in the tensor.
        value: Its value as a Python number.
        marked: Whether it is highlighted.
    """

    element: ElementIndex
    value: bool | int | float | complex
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorPatch:
    """A part of one two-dimensional slice of a tensor.

    Attributes:
        tensor: Number of the tensor.
        name: Name of the tensor where it is shown.
        shape: Shape of the whole tensor.
        rows: Index of each row shown; empty for tensors with fewer than two dimensions.
        columns: Index of each column shown; empty for tensors without dimensions.
        cells: Elements by row.
    """

    tensor: int
    name: str
    shape: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    cells: tuple[tuple[PatchElement, ...], ...]

    @property
    def before(self) -> ElementIndex:
        """Index of the slice in the dimensions before its rows and columns."""
        return self.cells[0][0].element[:-2]


def tensor_patch(
    tensor: int, name: str, array: npt.NDArray[Any], marked_elements: Sequence[ElementIndex]
) -> TensorPatch | None:
    """The elements around some elements of a tensor; None if there are none to show.

    Args:
        tensor: Number of the tensor.
        name: Name of the tensor.
        array: All its elements.
        marked_elements: Elements to highlight. The first one is always visible, the others if
            they are near.
    """
    marked = set(marked_elements)
    middle = next(iter(marked_elements), None)
    if middle is None or not array.size:
        return None
    rows = _range(middle[-2], array.shape[-2]) if array.ndim > 1 else ()
    columns = _range(middle[-1], array.shape[-1]) if array.ndim else ()
    ends: list[list[ElementIndex]] = [
        [(*([row] if rows else []), *([column] if columns else [])) for column in columns or (0,)]
        for row in rows or (0,)
    ]
    cells = tuple(
        [
            tuple([_cell(array, (*middle[:-2], *end) if rows else end, marked) for end in line])
            for line in ends
        ]
    )
    return TensorPatch(
        tensor=tensor, name=name, shape=array.shape, rows=rows, columns=columns, cells=cells
    )


def _range(middle: int, size: int) -> tuple[int, ...]:
    # At an end, elements from the other side keep the patch at its full size.
    first = max(0, min(middle - PATCH_RADIUS, size - _MOST))
    return tuple(range(first, min(size, first + _MOST)))


def _cell(
    array: npt.NDArray[Any], element: ElementIndex, marked: set[ElementIndex]
) -> PatchElement:
    value = array[element]
    return PatchElement(
        element=element,
        value=value.item() if isinstance(value, np.generic) else value,
        marked=element in marked,
    )
