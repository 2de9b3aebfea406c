"""How large the cells of a plane are in the room there is, and which numbers fit into them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.cells import Texts, texts_of
from gradviz.viewer.tensor_view.plane import Plane

MOST_HEIGHT = 264
"""Pixels that a heatmap in a panel is high at most, at type of the ordinary size."""

_DIGITS = (4, 3)
_SIDE_MOST = 22
_SIDE_LEAST = 14
_CELL = QSize(30, 24)
_SINGLE = QSize(64, 34)
_LARGE_TYPE = (30, 26, 22, 19, 16, 14, 12)
# A large cell is at least so wide and so tall, in heights of its type.
_LARGE_WIDE, _LARGE_TALL = 2.2, 1.9
_LARGE_MOST = 112


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How a plane lies in a widget.

    Attributes:
        size: Of all cells together, in pixels.
        texts: The numbers that fit; None where they do not.
        pixels: Height of their type at scale 1.
    """

    size: QSize
    texts: Texts | None
    pixels: int = SMALL_PIXELS


class Fitter:
    """Fits one plane into rooms of different sizes; its numbers are made when first needed."""

    def __init__(self, plane: Plane, theme: Theme) -> None:
        """Takes the plane, and the theme whose type the numbers have."""
        self._plane = plane
        self._theme = theme
        self._texts: dict[int, Texts | None] = {}

    @property
    def font(self) -> QFont:
        """The type that numbers of a fit in a panel have."""
        return self._theme.font(SMALL_PIXELS)

    def in_panel(self, width: int) -> Fit:
        """Cells of one modest size, as wide as they must be for their numbers."""
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
        """Cells as large as the room allows, with the largest numbers that fit into them."""
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
