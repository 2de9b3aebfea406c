"""The numbers of cells, and how large cells are: with as many digits, and as large, as fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.cells.plane import Plane

MOST_NUMBERS = 2500
"""Planes with more visible cells than this have no numbers, whatever their size."""

ZERO = "\N{MIDDLE DOT}"
"""Text of an exact zero while zeros are highlighted, as is usual for sparse matrices."""

_AROUND, _ABOVE = 1.5, -1.0
"""Least free space on either side of a number, and above and below its line."""

_FAR_INSIDE = 0.1

NumberRows = list[list[str]]
WriteNumbers = Callable[[npt.NDArray[Any], int], NumberRows]
"""Function that writes values, ``[rows, columns]``, with a number of significant digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFont:
    """Measures numbers, as fractions of the font size.

    Attributes:
        width: Width of a text.
        height: Height of a line.
    """

    width: Callable[[str], float]
    height: float


@cache
def drawing_font() -> NumberFont:
    """The font of drawings."""
    measure, size = font_measure(), FONTS["line"].size
    return NumberFont(
        width=lambda text: measure(text, "line")[0] / size, height=measure("0", "line")[1] / size
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellNumbers:
    """The numbers of all visible cells, written with the same number of digits.

    Attributes:
        rows: Text of each cell.
        width: Width of the widest text.
        height: Height of a line.
        size: Font size.
    """

    rows: NumberRows
    width: float
    height: float
    size: float

    def fit(self, width: float, height: float) -> bool:
        """Whether every number fits into a cell of that size."""
        return self.width + 2 * _AROUND <= width and self.height + 2 * _ABOVE <= height

    def resized(self, size: float) -> CellNumbers:
        """The same numbers in another font size."""
        factor = size / self.size
        return replace(self, width=self.width * factor, height=self.height * factor, size=size)


def numbers_of(
    rows: Iterable[list[str]], font: NumberFont, size: float, most: float = math.inf
) -> CellNumbers | None:
    """Measure numbers; None if one is wider than ``most``.

    Args:
        rows: The texts; those of further rows are not written once one is too wide.
        font: Measures them.
        size: Font size.
        most: Largest width in whole units.
    """
    found: NumberRows = []
    widest = 0.0
    for row in rows:
        for text in row:
            width = font.width(text) * size
            # In most planes without space for their numbers, the first one shows it.
            if int(width) > most:
                return None
            widest = max(widest, width)
        found.append(row)
    return CellNumbers(rows=found, width=widest, height=font.height * size, size=size)


def fitting_numbers(
    write: Callable[[int], NumberRows],
    font: NumberFont,
    cell: tuple[float, float],
    digits: Sequence[int] = (4, 3, 2),
    sizes: Sequence[float] = (12, 10),
) -> CellNumbers | None:
    """The longest and then largest numbers that fit into cells; None if none do.

    Args:
        write: Writes the numbers with so many digits.
        font: Measures them.
        cell: Width and height of a cell.
        digits: Numbers of digits to try, most first.
        sizes: Font sizes to try, largest first.
    """
    for each in digits:
        # A number that is too wide in the smallest size ends the attempt.
        smallest = numbers_of(write(each), font, sizes[-1], most=cell[0] - 2 * _AROUND)
        for size in sizes if smallest is not None else ():
            if smallest is not None and (found := smallest.resized(size)).fit(*cell):
                return found
    return None


def plain_numbers(values: npt.NDArray[Any], digits: int) -> NumberRows:
    """Write each number by itself."""
    return [[number_text(each, digits) for each in row] for row in values.tolist()]


def measured_numbers(values: npt.NDArray[Any], digits: int) -> NumberRows:
    """Write numbers with equally many decimals, without the noise of a central difference.

    This avoids ``1.000`` next to ``2``. Exact zeros stay ``0``, and the decimals stay different if
    a small value would lose some.
    """
    values = without_noise_in_cells(values)
    texts = plain_numbers(values, digits)
    words = [text for line in texts for text in line]
    if values.dtype.kind == "c" or any("e" in text for text in words):
        return texts
    decimals = min(max((_decimals(text) for text in words), default=0), digits - 1)
    finite = np.abs(values[np.isfinite(values) & (values != 0)])
    # With a fixed number of decimals, small values would lose most of their digits.
    if decimals == 0 or not finite.size or finite.min() < 10.0 ** (1 - decimals):
        return texts
    return [
        [_even(text, value, decimals) for text, value in zip(*line, strict=True)]
        for line in zip(texts, values.tolist(), strict=True)
    ]


def excess_numbers(values: npt.NDArray[Any], digits: int) -> NumberRows:
    """Write multiples of the tolerance; small ones are only given as an upper bound."""
    return [[_excess_text(value, digits) for value in line] for line in values.tolist()]


def dotted_zeros(write: WriteNumbers) -> WriteNumbers:
    """Write exact zeros as dots."""
    return partial(_dotted, write)


def _dotted(write: WriteNumbers, values: npt.NDArray[Any], digits: int) -> NumberRows:
    return [
        [ZERO if value == 0 else text for text, value in zip(*line, strict=True)]
        for line in zip(write(values, digits), values.tolist(), strict=True)
    ]


def _excess_text(value: float, digits: int) -> str:
    if 0 < value < _FAR_INSIDE:
        return f"<{_FAR_INSIDE}"
    return number_text(value, min(digits, 3))


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _even(text: str, value: float, decimals: int) -> str:
    if value == 0 or not math.isfinite(value):
        return text
    return f"{value:.{decimals}f}"


MOST_HEIGHT = 264
"""Largest height of all cells in a panel, at the normal font size."""

_PANEL_TYPE, _SINGLE_TYPE = 14, 20
_DIGITS = (4, 3, 2)
_SIDE_MOST, _SIDE_LEAST, _MARGIN = 22, 14, 10
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
            numbers = self._written(digits, most=width // columns - _MARGIN)
            if numbers is None:
                continue
            wide = max(least[0], int(numbers.width) + _MARGIN)
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
