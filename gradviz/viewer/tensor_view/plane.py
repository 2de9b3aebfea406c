"""A tensor of any number of dimensions as one two-dimensional plane of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.drawing.heat import Floats, heat_of
from gradviz.model.tensor import TensorValue


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plane:
    """What one heatmap shows.

    Attributes:
        values: The elements, ``[rows, columns]``, in their own dtype.
        heat: What is shown as colour, ``[rows, columns]``.
        dimensions: How many dimensions the tensor has.
        leading: Index into the tensor's leading dimensions, all but the last two.
        steps: Row and column ``k`` are index ``k * step`` of the tensor.
    """

    values: npt.NDArray[Any]
    heat: Floats
    dimensions: int
    leading: tuple[int, ...]
    steps: tuple[int, int]

    @property
    def rows(self) -> int:
        """Number of rows of cells."""
        return int(self.values.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns of cells."""
        return int(self.values.shape[1])

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """The index into the whole tensor of the element in a cell."""
        last = (row * self.steps[0], column * self.steps[1])
        return (*self.leading, *last)[-self.dimensions :] if self.dimensions else ()


def plane_of(
    value: TensorValue, steps: tuple[int, ...] = (), leading: tuple[int, ...] = ()
) -> Plane:
    """The plane of the last two dimensions.

    A tensor without dimensions is one cell, one with a single dimension is a row.

    Args:
        value: The kept elements.
        steps: The record's ``kept_steps``; empty where all elements were kept.
        leading: Positions among the kept elements in the leading dimensions; empty means the first.
    """
    array = value.array()
    steps = steps or (1,) * array.ndim
    leading = leading or (0,) * max(0, array.ndim - 2)
    last = array[leading] if leading and array.size else array
    values = np.atleast_2d(last) if array.size else np.empty((0, 0), array.dtype)
    places = (*(at * step for at, step in zip(leading, steps, strict=False)),)
    return Plane(
        values=values,
        heat=heat_of(values),
        dimensions=array.ndim,
        leading=places,
        steps=((1, 1, *steps)[-2], (1, 1, *steps)[-1]),
    )


def subscript(name: str, index: tuple[int, ...]) -> str:
    """An element as Python writes it: ``weight[1, 0]``; just the name without dimensions."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name
