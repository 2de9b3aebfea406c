"""The layout and cached painting of a plane of cells at the size of a widget."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPixmap

from gradviz.viewer.tensor_view.small.plane_cells import (
    CellNumbers,
    PlaneCells,
    cell_numbers_of,
    cell_rect,
)
from gradviz.viewer.tensor_view.tensor_plane import Plane
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

MOST_HEIGHT = 264
"""Largest height of a heatmap in a panel, in pixels at the normal font size."""

_DIGITS = (4, 3)
_SIDE_MOST = 22
_SIDE_LEAST = 14
_AROUND = 12
_CELL = QSize(30, 24)
_SINGLE = QSize(64, 34)
_LARGE_TYPE = (30, 26, 22, 19, 16, 14, 12)
# Smallest width and height of a cell in the large view, in multiples of its line height.
_LARGE_WIDE, _LARGE_TALL = 2.2, 1.9
_LARGE_MOST = 112


@dataclass(frozen=True, slots=True, eq=False)
class CellFit:
    """Layout of a plane in a widget.

    Attributes:
        size: Size of all cells together, in pixels.
        texts: The numbers that fit; None if they do not.
        pixels: Font size of the numbers at scale 1.
    """

    size: QSize
    texts: CellNumbers | None
    pixels: int = SMALL_PIXELS


class CellFitter:
    """Fits one plane into different sizes; formats its numbers when first needed."""

    def __init__(self, plane: Plane, theme: Theme) -> None:
        """Set the plane and the theme whose fonts the numbers use."""
        self._plane = plane
        self._theme = theme
        self._texts: dict[int, CellNumbers] = {}

    @property
    def font(self) -> QFont:
        """Font of the numbers in a panel."""
        return self._theme.font(SMALL_PIXELS)

    def in_panel(self, width: int) -> CellFit:
        """Lay out cells of a moderate size, as wide as their numbers need."""
        if self._plane.heat.size == 0:
            return CellFit(QSize(0, 0), None)
        rows, columns = self._plane.heat.shape
        least, high = self._least_cell(), self._theme.px(MOST_HEIGHT)
        for digits in _DIGITS:
            if columns * least.width() > width or rows * least.height() > high:
                break
            texts = self._numbers(digits, most_pixels=width // columns - _AROUND)
            if texts is None:
                continue
            cell = QSize(int(texts.width) + _AROUND, int(texts.height)).expandedTo(least)
            if columns * cell.width() <= width and rows * cell.height() <= high:
                return CellFit(QSize(columns * cell.width(), rows * cell.height()), texts)
        side = min(width / columns, high / rows, self._theme.px(_SIDE_MOST))
        # Whole pixels make all cells equally large; below one pixel, cells share pixels anyway.
        side = int(side) if side >= 1 else side
        wide = max(min(_SIDE_LEAST, width), int(columns * side))
        return CellFit(QSize(wide, max(_SIDE_LEAST, int(rows * side))), None)

    def fit_into(self, space: QSize) -> CellFit:
        """Lay out cells as large as the space allows, with the largest numbers that fit."""
        if self._plane.heat.size == 0:
            return CellFit(QSize(0, 0), None)
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
                if (
                    columns * cell.width() <= space.width()
                    and rows * cell.height() <= space.height()
                ):
                    return CellFit(
                        QSize(columns * cell.width(), rows * cell.height()), scaled, pixels
                    )
        most = self._theme.px(_LARGE_MOST)
        side = min(space.width() / columns, space.height() / rows, most)
        side = int(side) if side >= 1 else side
        wide, tall = max(_SIDE_LEAST, int(columns * side)), max(_SIDE_LEAST, int(rows * side))
        return CellFit(QSize(wide, tall), None)

    def _least_cell(self) -> QSize:
        least = _SINGLE if self._plane.rows == self._plane.columns == 1 else _CELL
        return QSize(self._theme.px(least.width()), self._theme.px(least.height()))

    def _numbers(self, digits: int, most_pixels: float = math.inf) -> CellNumbers | None:
        """The numbers of the plane; None if there are too many, or if one is too wide."""
        if digits in self._texts:
            return self._texts[digits]
        texts = cell_numbers_of(self._plane, self.font, digits, most_pixels=most_pixels)
        if texts is not None:
            self._texts[digits] = texts
        return texts


_NOTHING = CellFit(QSize(0, 0), None)
_MOST_FITS = 4


class CellsPicture:
    """Fits cells into a widget and caches the painting until something changes."""

    def __init__(self, theme: Theme, *, large: bool) -> None:
        """Start without cells.

        Args:
            theme: Colors and fonts to draw with.
            large: Whether the cells fill the widget; otherwise they have a moderate fixed size.
        """
        self._theme = theme
        self._large = large
        self._cells: PlaneCells | None = None
        self._fitter: CellFitter | None = None
        self._fits: dict[object, CellFit] = {}
        self._pixmap: QPixmap | None = None
        self._size = QSize(0, 0)

    @property
    def cells(self) -> PlaneCells | None:
        """The prepared cells; None before the first `show`."""
        return self._cells

    def show(self, cells: PlaneCells, theme: Theme) -> None:
        """Replace the cells."""
        self._cells = cells
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Lay out and paint with another theme."""
        self._theme = theme
        if self._cells is not None:
            self._fitter = CellFitter(self._cells.plane, theme)
        self._fits.clear()
        self._pixmap = None

    def resize(self, size: QSize) -> None:
        """Fit into a widget of another size."""
        self._size = size
        self._pixmap = None

    def fit(self) -> CellFit:
        """Layout of the cells in the widget."""
        # One pixel on each side is left for the focus frame.
        space = QSize(max(1, self._size.width() - 2), max(1, self._size.height() - 2))
        return self._fit_into(space if self._large else space.width())

    def size_at(self, width: int) -> QSize:
        """Size of all cells in a panel of the given width."""
        return self._fit_into(max(1, width)).size

    def area(self) -> QRectF:
        """Rectangle of all cells in the widget."""
        size = self.fit().size
        left = top = 1
        if self._large:
            left = max(1, (self._size.width() - size.width()) // 2)
            top = max(1, (self._size.height() - size.height()) // 2)
        return QRectF(left, top, size.width(), size.height())

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Rectangle of one cell in the widget."""
        if self._cells is None:
            return QRectF()
        return cell_rect(self.area(), self._cells.plane, row, column)

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """The cell at a position in the widget; None outside the cells."""
        area = self.area()
        if self._cells is None or not area.contains(place) or self._cells.plane.heat.size == 0:
            return None
        plane = self._cells.plane
        row = int((place.y() - area.top()) / area.height() * plane.rows)
        column = int((place.x() - area.left()) / area.width() * plane.columns)
        return min(row, plane.rows - 1), min(column, plane.columns - 1)

    def pixmap(self, ratio: float) -> QPixmap:
        """All cells, painted once, since every mouse move repaints the cursor on top of them."""
        if self._pixmap is None or self._pixmap.devicePixelRatio() != ratio:
            self._pixmap = QPixmap(self._size * ratio)
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._pixmap)
            fit = self.fit()
            painter.setFont(self._theme.font(fit.pixels))
            if self._cells is not None:
                self._cells.paint(painter, self.area(), self._theme, fit.texts)
            painter.end()
        return self._pixmap

    def _fit_into(self, space: QSize | int) -> CellFit:
        """Layout of the cells in an available size, or in an available width."""
        key = space if isinstance(space, int) else (space.width(), space.height())
        if self._fitter is None:
            return _NOTHING
        if key not in self._fits:
            # A layout asks for the same few sizes again, but resizing makes new ones all the time.
            if len(self._fits) > _MOST_FITS:
                self._fits.clear()
            if isinstance(space, int):
                self._fits[key] = self._fitter.in_panel(space)
            else:
                self._fits[key] = self._fitter.fit_into(space)
        return self._fits[key]
