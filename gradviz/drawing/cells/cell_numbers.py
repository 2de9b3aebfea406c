"""The numbers of cells: written with as many digits, and as large, as fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.text_styles import FONTS

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
