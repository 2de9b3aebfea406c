"""Finds which element of an argument or output each number of a Jacobian is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.drawing.cells.plane import subscript

MOST_ELEMENTS = 100_000
"""Jacobians of more elements are not searched."""

_MOST_CHOICES = 1_000
_TOLERANCE = 1e-5
"""Relative to the largest number; more than the noise of a central difference."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ElementSource:
    """A tensor whose elements all nonzero numbers of a Jacobian are.

    Attributes:
        name: Name of the tensor.
        indices: Its index for each element, ``[dimensions, rows, columns]``.
        known: Whether an element is nonzero, ``[rows, columns]``; others can have any cause.
    """

    name: str
    indices: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]

    def at(self, row: int, column: int) -> str:
        """The element that a number is, such as ``input[0, 1]``; empty if it is not known."""
        if not self.known[row, column]:
            return ""
        return subscript(self.name, tuple(self.indices[:, row, column].tolist()))


def source_of(
    matrix: npt.NDArray[Any],
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    tensors: Mapping[str, npt.NDArray[Any]],
) -> ElementSource | None:
    """Find the one tensor, and the one order of its indices, that explains all nonzero numbers.

    An index of the tensor is an index of the input or of the output, as in each product of
    matrices or elements.

    Args:
        matrix: The Jacobian, ``[input elements, output elements]``.
        shapes: Shapes of the input and of the output.
        tensors: Values of arguments and outputs, by their names.

    Returns:
        None if none or several explain them, or too few numbers differ to tell.
    """
    known = (matrix != 0) & (np.abs(matrix) > _TOLERANCE * np.abs(matrix).max(initial=0.0))
    wanted = matrix[known]
    if matrix.size > MOST_ELEMENTS or not np.isfinite(wanted).all():
        return None
    if len(np.unique(wanted.round(4))) < 2:
        return None
    places = _places(matrix.shape, shapes)
    limit = _TOLERANCE * float(np.abs(wanted).max())
    found: list[ElementSource] = []
    for name, tensor in tensors.items():
        for chosen in _choices(tensor.shape, (*shapes[0], *shapes[1])):
            indices = np.stack([places[each] for each in chosen])
            if np.abs(tensor[tuple(indices)][known] - wanted).max() > limit:
                continue
            # Indices that are equal wherever there is a number are the same explanation.
            if any(
                each.name != name or (each.indices != indices)[:, known].any() for each in found
            ):
                return None
            found.append(ElementSource(name=name, indices=indices, known=known))
    return found[0] if found else None


def _places(
    size: tuple[int, ...], shapes: Iterable[tuple[int, ...]]
) -> list[npt.NDArray[np.int64]]:
    """Each index of the input and of the output, for all elements of the matrix."""
    places: list[npt.NDArray[np.int64]] = []
    for axis, shape in enumerate(shapes):
        count = np.arange(prod(shape))
        for each in np.unravel_index(count, shape) if shape else ():
            along = each[:, None] if axis == 0 else each[None, :]
            places.append(np.broadcast_to(along, size))
    return places


def _choices(shape: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Which index each dimension of a tensor can be, by their sizes."""
    possible = [[at for at, size in enumerate(sizes) if size == each] for each in shape]
    if shape and prod(map(len, possible)) <= _MOST_CHOICES:
        yield from product(*possible)
