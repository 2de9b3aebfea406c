"""Computes the visible cells of a map in pixels, and paints their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTransform

from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.color_map import dark_ink_on
from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

MOST = 2500
"""Maximum number of visible cells with numbers."""

SIZES = (SMALL_PIXELS, SMALL_PIXELS - 2)
"""Font sizes of the numbers, preferred one first."""

ZERO = "\N{MIDDLE DOT}"
"""Text of an exact zero while zeros are highlighted."""

_LEAST_WIDTH, _LEAST_HEIGHT = 16.0, 12.0
_DIGITS = (4, 3, 2)
_FAR_INSIDE = 0.1
FormatCells = Callable[[npt.NDArray[Any], int], list[list[str]]]
"""Function that formats values with a given number of digits."""

_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)


class VisibleCells:
    """The cells within the visible area.

    Args:
        transform: From cells to pixels; cell ``[i, j]`` is centered at ``(j, i)``.
        exposed: Visible area, in cells.
        shape: Rows and columns of the matrix.
    """

    def __init__(self, transform: QTransform, exposed: QRectF, shape: tuple[int, int]) -> None:
        self.transform = transform
        self.exposed = exposed
        self.width = abs(transform.m11())
        self.height = abs(transform.m22())
        self.rows = seen_range(exposed.top(), exposed.bottom(), shape[0])
        self.columns = seen_range(exposed.left(), exposed.right(), shape[1])

    def rect(self, row: int, column: int) -> QRectF:
        """Rectangle of a cell, in whole pixels."""
        box = self.transform.mapRect(QRectF(column - 0.5, row - 0.5, 1, 1))
        # Each edge is rounded by itself, so that neighbors share it without a gap.
        left, top = round(box.left()), round(box.top())
        return QRectF(left, top, round(box.right()) - left, round(box.bottom()) - top)

    @property
    def whole(self) -> QRectF:
        """Rectangle of all visible cells, in whole pixels."""
        first = self.rect(self.rows.start, self.columns.start)
        last = self.rect(self.rows.stop - 1, self.columns.stop - 1)
        # Not `united`, because subpixel cells are empty rectangles, which it ignores.
        return QRectF(first.topLeft(), last.bottomRight())


def paint_numbers(
    painter: QPainter,
    cells: VisibleCells,
    matrices: PairMatrices,
    which: int,
    theme: Theme,
    sizes: tuple[int, ...] = SIZES,
) -> list[str]:
    """Paint the number of each visible cell if all fit, and return the painted texts."""
    found = fitting_numbers(cells, matrices, which, theme, sizes)
    if found is None:
        return []
    texts, font = found
    painter.setFont(font)
    layer = matrices.layers[which]
    dark = dark_ink_on(layer.colors.of(layer.heat[_visible(cells)], theme.name))
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            painter.setPen(_BLACK if dark[row, column] else _WHITE)
            box = cells.rect(cells.rows.start + row, cells.columns.start + column)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    return [text for line in texts for text in line]


def fitting_numbers(
    cells: VisibleCells,
    matrices: PairMatrices,
    which: int,
    theme: Theme,
    sizes: tuple[int, ...] = SIZES,
) -> tuple[list[list[str]], QFont] | None:
    """Return the texts of all visible cells and their font; None if they do not fit.

    Args:
        cells: The visible cells.
        matrices: Matrices that are shown.
        which: Index of the layer.
        theme: Fonts.
        sizes: Font sizes to try, largest first, at scale 1.
    """
    few = 0 < len(cells.rows) * len(cells.columns) <= MOST
    if not few or cells.width < _LEAST_WIDTH or cells.height < _LEAST_HEIGHT:
        return None
    layer = matrices.layers[which]
    part = layer.values[_visible(cells)]
    values, write = without_noise_in_cells(part), even_texts
    if layer.colors.scale == "tolerance":
        values, write = part, _excess_texts
    found = _fitting(cells, values, write, theme, sizes)
    if found is None or not layer.colors.zeros:
        return found
    return _dotted(found[0], part), found[1]


def _visible(cells: VisibleCells) -> tuple[slice, slice]:
    return np.s_[cells.rows.start : cells.rows.stop, cells.columns.start : cells.columns.stop]


def even_texts(values: npt.NDArray[Any], digits: int) -> list[list[str]]:
    """Format numbers with equally many decimals, if that loses no small value.

    This avoids ``1.000`` next to ``2``. Exact zeros stay ``0``.
    """
    texts = [[number_text(each, digits) for each in row] for row in values.tolist()]
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


def _excess_texts(values: npt.NDArray[Any], digits: int) -> list[list[str]]:
    """Format multiples of the tolerance; small ones are only given as an upper bound."""
    return [[_excess_text(value, digits) for value in line] for line in values.tolist()]


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


def _dotted(texts: list[list[str]], values: npt.NDArray[Any]) -> list[list[str]]:
    """Replace exact zeros by dots, as is usual for sparse matrices."""
    return [
        [ZERO if value == 0 else text for text, value in zip(*line, strict=True)]
        for line in zip(texts, values.tolist(), strict=True)
    ]


def _fitting(
    cells: VisibleCells,
    values: npt.NDArray[Any],
    write: FormatCells,
    theme: Theme,
    sizes: tuple[int, ...],
) -> tuple[list[list[str]], QFont] | None:
    """Find the longest texts that fit into the cells, and their font."""
    for digits in _DIGITS:
        texts = write(values, digits)
        for pixels in sizes:
            font = theme.font(pixels)
            metrics = QFontMetricsF(font)
            widest = max(metrics.horizontalAdvance(text) for line in texts for text in line)
            if widest + 4 <= cells.width and metrics.height() <= cells.height + 2:
                return texts, font
    return None


def seen_range(start: float, stop: float, size: int) -> range:
    """Positions visible between two coordinates; each position covers ±0.5 around itself.

    Args:
        start: First coordinate.
        stop: Last coordinate.
        size: Number of positions.
    """
    first = max(0, math.floor(start + 0.5))
    return range(first, max(first, min(size, math.ceil(stop + 0.5))))
