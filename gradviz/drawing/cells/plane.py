"""A tensor of any number of dimensions as a two-dimensional plane of cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.color_map import HeatValues, color_values
from gradviz.model.tensor import TensorValue

ComplexPart = Literal["value", "real", "imag", "abs", "angle"]
"""Which part of a complex element is shown; ``value`` shows both, colored by magnitude."""

PARTS: tuple[ComplexPart, ...] = get_args(ComplexPart)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneCut:
    """The two dimensions of a plane, and its position in the other dimensions.

    Attributes:
        rows: The dimension whose indices are the rows; None for a single row.
        columns: The dimension whose indices are the columns; None for a single column.
        at: Position among the kept indices, per dimension; unused for the rows and the columns.
    """

    rows: int | None
    columns: int | None
    at: tuple[int, ...]

    @property
    def others(self) -> tuple[int, ...]:
        """The dimensions that are neither rows nor columns."""
        return tuple(axis for axis in range(len(self.at)) if axis not in (self.rows, self.columns))

    def through(self, index: tuple[int, ...], steps: tuple[int, ...]) -> PlaneCut:
        """The cut along the same two dimensions that contains an element of the tensor."""
        return replace(self, at=tuple(at // step for at, step in zip(index, steps, strict=True)))


def first_cut(dimensions: int) -> PlaneCut:
    """The last two dimensions, at position 0 of all others."""
    return PlaneCut(
        rows=dimensions - 2 if dimensions >= 2 else None,
        columns=dimensions - 1 if dimensions else None,
        at=(0,) * dimensions,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plane:
    """The cells that one heatmap shows.

    Attributes:
        elements: The elements, ``[rows, columns]``, in their own dtype.
        values: The numbers in the cells: the elements, or the selected part of complex ones.
        heat: The values that are shown as colors, ``[rows, columns]``.
        cut: The position of the plane in the tensor.
        steps: Per dimension, kept position ``k`` is index ``k * step`` of the tensor.
        is_all: Whether its only element stands for all of the tensor.
    """

    elements: npt.NDArray[Any]
    values: npt.NDArray[Any]
    heat: HeatValues
    cut: PlaneCut
    steps: tuple[int, ...]
    is_all: bool = False

    @property
    def rows(self) -> int:
        """Number of rows of cells."""
        return int(self.values.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns of cells."""
        return int(self.values.shape[1])

    def without_repeats(self) -> Plane:
        """The first of several equal elements, or else the first of several equal rows."""
        first = self.elements[:1]
        # As bytes: NaN is like NaN, and -0 unlike 0.
        alike = {row.tobytes() for row in self.elements[:2]}
        if len(alike) != 1 or any(row.tobytes() not in alike for row in self.elements[2:]):
            return self
        count = 1 if len({each.tobytes() for each in first[0]}) == 1 else first.shape[1]
        if (1, count) == self.elements.shape:
            return self
        part = np.s_[:1, :count]
        return replace(
            self,
            elements=self.elements[part],
            values=self.values[part],
            heat=self.heat[part],
            is_all=count == 1,
        )

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """The index into the whole tensor of the element in a cell."""
        at = list(self.cut.at)
        for axis, place in ((self.cut.rows, row), (self.cut.columns, column)):
            if axis is not None:
                at[axis] = place
        return tuple(place * step for place, step in zip(at, self.steps, strict=True))

    def cell_of(self, index: tuple[int, ...]) -> tuple[int, int] | None:
        """Row and column of an element of the tensor; None if the plane does not show it."""
        if len(index) != len(self.steps) or not self.elements.size:
            return None
        at = [place // step for place, step in zip(index, self.steps, strict=True)]
        row = 0 if self.cut.rows is None else at[self.cut.rows]
        column = 0 if self.cut.columns is None else at[self.cut.columns]
        # The index is checked too: an element that a preview left out has no cell.
        inside = row < self.rows and column < self.columns
        return (row, column) if inside and self.index(row, column) == index else None


def plane_of(
    value: TensorValue,
    steps: tuple[int, ...] = (),
    cut: PlaneCut | None = None,
    part: ComplexPart = "value",
) -> Plane:
    """Return one plane of a tensor.

    Args:
        value: The kept elements.
        steps: The record's ``kept_steps``; empty if all elements were kept.
        cut: Which plane; by default the first one of the last two dimensions. A tensor without
            dimensions becomes one cell, and one with a single dimension becomes a row.
        part: Which part of complex elements is shown.
    """
    array = value.array()
    cut = cut or first_cut(array.ndim)
    elements = _cut(array, cut)
    values = part_of(elements, part)
    return Plane(
        elements=elements,
        values=values,
        heat=color_values(values),
        cut=cut,
        steps=steps or (1,) * array.ndim,
    )


def part_of(elements: npt.NDArray[Any], part: ComplexPart) -> npt.NDArray[Any]:
    """The selected part of complex elements; real elements unchanged."""
    if elements.dtype.kind != "c" or part == "value":
        return elements
    with np.errstate(invalid="ignore", over="ignore"):
        match part:
            case "real":
                shown: npt.NDArray[Any] = elements.real
            case "imag":
                shown = elements.imag
            case "abs":
                shown = np.abs(elements)
            case "angle":
                shown = np.angle(elements)
    return shown


def _cut(array: npt.NDArray[Any], cut: PlaneCut) -> npt.NDArray[Any]:
    if not array.size:
        return np.empty((0, 0), array.dtype)
    shown = {cut.rows, cut.columns}
    places = tuple(slice(None) if axis in shown else at for axis, at in enumerate(cut.at))
    plane = array[places]
    # NumPy keeps the order of the dimensions, whichever of them are the rows.
    if cut.rows is not None and cut.columns is not None and cut.rows > cut.columns:
        plane = plane.T
    if plane.ndim < 2:
        plane = plane.reshape((-1, 1) if cut.columns is None and cut.rows is not None else (1, -1))
    return plane


def subscript(name: str, index: tuple[int, ...]) -> str:
    """An element in Python syntax: ``weight[1, 0]``; just the name without dimensions."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name
