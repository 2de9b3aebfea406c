"""Cell size of a plane in the available space, and the numbers that fit into the cells."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.cells import Texts, texts_of
from gradviz.viewer.tensor_view.plane import Plane

MOST_HEIGHT = 264
"""Largest height of a heatmap in a panel, in pixels at the normal font size."""

_DIGITS = (4, 3)
_SIDE_MOST = 22
_SIDE_LEAST = 14
_CELL = QSize(30, 24)
_SINGLE = QSize(64, 34)
_LARGE_TYPE = (30, 26, 22, 19, 16, 14, 12)
# Smallest width and height of a cell in the large view, in multiples of its line height.
_LARGE_WIDE, _LARGE_TALL = 2.2, 1.9
_LARGE_MOST = 112


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Layout of a plane in a widget.

    Attributes:
        size: Size of all cells together, in pixels.
        texts: The numbers that fit; None if they do not.
        pixels: Font size of the numbers at scale 1.
    """

    size: QSize
    texts: Texts | None
    pixels: int = SMALL_PIXELS


class Fitter:
    """Fits one plane into different sizes; formats its numbers when first needed."""

    def __init__(self, plane: Plane, theme: Theme) -> None:
        """Set the plane and the theme whose fonts the numbers use."""
        self._plane = plane
        self._theme = theme
        self._texts: dict[int, Texts | None] = {}

    @property
    def font(self) -> QFont:
        """Font of the numbers in a panel."""
        return self._theme.font(SMALL_PIXELS)

    def in_panel(self, width: int) -> Fit:
        """Lay out cells of a moderate size, as wide as their numbers need."""
        if self._plane.heat.size == 0:
            return Fit(QSize(0, 0), None)
        rows, columns = self._plane.heat.shape
        least, high = self._least_cell(), self._theme.px(MOST_HEIGHT)
        for digits in _DIGITS:
            if columns * least.width() > width or rows * least.height() > high:
                break
            texts = self._numbers(digits)
            if texts is None:
                break
            cell = QSize(int(texts.width) + 12, int(texts.height)).expandedTo(least)
            if columns * cell.width() <= width and rows * cell.height() <= high:
                return Fit(QSize(columns * cell.width(), rows * cell.height()), texts)
        side = min(width / columns, high / rows, self._theme.px(_SIDE_MOST))
        side = int(side) if side >= 1 else side
        wide = max(min(_SIDE_LEAST, width), int(columns * side))
        return Fit(QSize(wide, max(_SIDE_LEAST, int(rows * side))), None)

    def in_room(self, room: QSize) -> Fit:
        """Lay out cells as large as the space allows, with the largest numbers that fit."""
        if self._plane.heat.size == 0:
            return Fit(QSize(0, 0), None)
        rows, columns = self._plane.heat.shape
        for digits in _DIGITS:
            texts = self._numbers(digits)
            if texts is None:
                break
            for pixels in _LARGE_TYPE:
                scaled = texts.scaled(pixels / SMALL_PIXELS)
                wide = max(
                    int(scaled.width + 0.8 * scaled.height), int(_LARGE_WIDE * scaled.height)
                )
                cell = QSize(wide, int(_LARGE_TALL * scaled.height))
                if columns * cell.width() <= room.width() and rows * cell.height() <= room.height():
                    return Fit(QSize(columns * cell.width(), rows * cell.height()), scaled, pixels)
        most = self._theme.px(_LARGE_MOST)
        side = min(room.width() / columns, room.height() / rows, most)
        side = int(side) if side >= 1 else side
        wide, tall = max(_SIDE_LEAST, int(columns * side)), max(_SIDE_LEAST, int(rows * side))
        return Fit(QSize(wide, tall), None)

    def _least_cell(self) -> QSize:
        least = _SINGLE if self._plane.rows == self._plane.columns == 1 else _CELL
        return QSize(self._theme.px(least.width()), self._theme.px(least.height()))

    def _numbers(self, digits: int) -> Texts | None:
        if digits not in self._texts:
            self._texts[digits] = texts_of(self._plane, self.font, digits)
        return self._texts[digits]
