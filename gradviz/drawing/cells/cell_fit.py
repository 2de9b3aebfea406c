"""How large the cells of a plane are in a panel, or in all of a window."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.catalogue.messages import say
from gradviz.drawing.cells.cell_numbers import (
    MOST_NUMBERS,
    CellNumbers,
    NumberFont,
    numbers_of,
    plain_numbers,
)
from gradviz.drawing.cells.plane import Plane

MOST_HEIGHT = 264
"""Largest height of all cells in a panel, at the normal font size."""

_PANEL_TYPE, _SINGLE_TYPE = 14, 20
_DIGITS = (4, 3)
_SIDE_MOST, _SIDE_LEAST, _AROUND = 22, 14, 10
_CELL, _SINGLE = (28, 22), (56, 28)
_LARGE_TYPE = (30, 26, 22, 19, 16, 14, 12)
# Smallest width and height of a cell in the large view, in multiples of its line height.
_LARGE_WIDE, _LARGE_TALL = 2.2, 1.9
_LARGE_MOST = 112
_MOST_FITS = 4


@dataclass(frozen=True, slots=True, eq=False)
class CellFit:
    """Size of a plane in a panel or a window.

    Attributes:
        width: Width of all cells together, in pixels.
        height: Height of all cells together.
        numbers: The numbers that fit; None if they do not.
    """

    width: int = 0
    height: int = 0
    numbers: CellNumbers | None = None


class CellFitter:
    """Fits one plane into different sizes; writes its numbers when first needed."""

    def __init__(self, plane: Plane, font: NumberFont, scale: float = 1.0) -> None:
        """Set the plane.

        Args:
            plane: The plane.
            font: Measures its numbers.
            scale: Factor for font sizes and the lengths that go with them.
        """
        self._plane, self._font, self._scale = plane, font, scale
        self._numbers: dict[int, CellNumbers] = {}
        self._fits: dict[tuple[int, ...], CellFit] = {}

    def fit(self, width: int, height: int | None = None) -> CellFit:
        """Lay out all cells.

        Args:
            width: Available width in pixels.
            height: Available height, which they fill as far as they can; without it they have a
                moderate size, as wide as their numbers need.
        """
        key = (width,) if height is None else (width, height)
        if key not in self._fits:
            # A layout asks for the same few sizes again, but resizing makes new ones all the time.
            if len(self._fits) > _MOST_FITS:
                self._fits.clear()
            made = self._in_panel(width) if height is None else self._filling(width, height)
            self._fits[key] = made if self._plane.heat.size else CellFit()
        return self._fits[key]

    def _in_panel(self, width: int) -> CellFit:
        rows, columns = max(1, self._plane.rows), max(1, self._plane.columns)
        single = self._plane.rows == self._plane.columns == 1
        least = tuple(self._px(each) for each in (_SINGLE if single else _CELL))
        high = self._px(MOST_HEIGHT)
        for digits in _DIGITS:
            if columns * least[0] > width or rows * least[1] > high:
                break
            numbers = self._written(digits, most=width // columns - _AROUND)
            if numbers is None:
                continue
            wide = max(least[0], int(numbers.width) + _AROUND)
            tall = max(least[1], int(numbers.height))
            if columns * wide <= width and rows * tall <= high:
                return CellFit(columns * wide, rows * tall, numbers)
        side = min(width / columns, high / rows, self._px(_SIDE_MOST))
        # Whole pixels make all cells equally large; below one pixel, cells share pixels anyway.
        side = int(side) if side >= 1 else side
        wide = max(min(_SIDE_LEAST, width), int(columns * side))
        return CellFit(wide, max(_SIDE_LEAST, int(rows * side)))

    def _filling(self, width: int, height: int) -> CellFit:
        rows, columns = max(1, self._plane.rows), max(1, self._plane.columns)
        for digits in _DIGITS:
            numbers = self._written(digits)
            if numbers is None:
                break
            for size in _LARGE_TYPE:
                found = numbers.resized(self._px(size))
                line = found.height
                wide = max(int(found.width + 0.8 * line), int(_LARGE_WIDE * line))
                tall = int(_LARGE_TALL * line)
                if columns * wide <= width and rows * tall <= height:
                    return CellFit(columns * wide, rows * tall, found)
        side = min(width / columns, height / rows, self._px(_LARGE_MOST))
        side = int(side) if side >= 1 else side
        return CellFit(max(_SIDE_LEAST, int(columns * side)), max(_SIDE_LEAST, int(rows * side)))

    def _px(self, pixels: float) -> int:
        return round(pixels * self._scale)

    def _written(self, digits: int, most: float = math.inf) -> CellNumbers | None:
        """The numbers of the plane; None if there are too many, or if one is too wide."""
        if self._plane.values.size > MOST_NUMBERS:
            return None
        if digits not in self._numbers:
            # Row by row, as in most planes without space for their numbers, the first shows it.
            values = self._plane.values
            rows: Iterator[list[str]] = (plain_numbers(row[None], digits)[0] for row in values)
            if self._plane.is_all:
                rows = ([say("facts.all_equal", value=each) for each in row] for row in rows)
            single = self._plane.rows == self._plane.columns == 1
            size = self._px(_SINGLE_TYPE if single else _PANEL_TYPE)
            numbers = numbers_of(rows, self._font, size, most)
            if numbers is None:
                return None
            self._numbers[digits] = numbers
        return self._numbers[digits]
