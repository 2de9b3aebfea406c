"""Painting of a plane of cells: colors, numbers, and marks for NaN and infinities."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.color_map import HeatValues, colors_of_values, dark_ink_of
from gradviz.drawing.appearance.palette import PaletteTheme
from gradviz.viewer.tensor_view.small.cell_signs import (
    STROKE_FROM,
    CellRectangle,
    clipped_cells,
    hatch_of,
    paint_strokes,
    paint_wedges,
)
from gradviz.viewer.tensor_view.tensor_plane import Plane
from gradviz.viewer.tensor_view.value_marks import (
    SMALLEST,
    mark_of,
    marked_cells,
    paint_mark,
    paint_mark_text,
    thinned,
)
from gradviz.viewer.theme.theme import Theme

MOST_NUMBERS = 2500
"""Planes with more cells than this are painted without numbers, whatever their size."""

PADDING = 4.0
"""Default free space, in pixels, on either side of a number in its cell."""

_ImageKey = tuple[int, int, PaletteTheme]
_GAP_FROM = 9.0
_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)


@dataclass(frozen=True, slots=True, eq=False)
class CellNumbers:
    """The numbers of all cells, formatted with the same number of digits.

    Attributes:
        rows: Text of each cell.
        width: Width of the widest text in the font.
        height: Height of a line in the font.
        padding: Free space on either side of a number in its cell.
    """

    rows: list[list[str]]
    width: float
    height: float
    padding: float

    def fit(self, width: float, height: float) -> bool:
        """Whether every number fits into a cell of that size."""
        return self.width + 2 * self.padding <= width and self.height <= height

    def scaled(self, factor: float) -> CellNumbers:
        """Return the same numbers in another font size.

        Without hinting, width and height scale by the same factor.
        """
        return replace(self, width=self.width * factor, height=self.height * factor)


def cell_numbers_of(
    plane: Plane,
    font: QFont,
    digits: int,
    padding: float = PADDING,
    *,
    most_pixels: float = math.inf,
) -> CellNumbers | None:
    """Format the numbers of a plane.

    Args:
        plane: The plane whose values to format.
        font: Font to measure the texts in.
        digits: Significant digits of a non-integer.
        padding: Free space on either side of a number in its cell.
        most_pixels: Largest whole number of pixels that a text may take.

    Returns:
        None if the plane has more than `MOST_NUMBERS` cells, or if a text is too wide.
    """
    if plane.rows * plane.columns > MOST_NUMBERS:
        return None
    metrics = QFontMetricsF(font)
    rows: list[list[str]] = []
    widest = 0.0
    for values in plane.values.tolist():
        rows.append([])
        for value in values:
            text = number_text(value, digits)
            width = metrics.horizontalAdvance(text)
            # In most planes without space for their numbers, the first one shows it.
            if int(width) > most_pixels:
                return None
            rows[-1].append(text)
            widest = max(widest, width)
    return CellNumbers(rows, widest, metrics.height(), padding)


def image_of(heat: HeatValues, limit: float, theme: PaletteTheme) -> QImage:
    """Return the colors of a plane as an image of one pixel per cell."""
    # QImage reads the raw memory, row by row.
    colors = np.ascontiguousarray(colors_of_values(heat, limit, theme))
    height, width = colors.shape[:2]
    # Without the row length, QImage would expect rows padded to a multiple of four bytes.
    image = QImage(colors.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return image.copy()  # QImage does not own the array's memory, which is freed on return


def extremes(heat: HeatValues, most: tuple[int, int]) -> HeatValues:
    """Reduce to at most ``most[0]`` by ``most[1]`` blocks, keeping extreme values.

    Each block becomes its value of largest magnitude, so that a single large element stays visible;
    an average would hide it. NaN counts as zero here, since it has its own mark.
    """
    for axis in (0, 1):
        size = heat.shape[axis]
        if size > most[axis]:
            starts = np.arange(most[axis]) * size // most[axis]
            # By default `nan_to_num` also replaces infinities, which are the extremes here.
            known = np.nan_to_num(heat, nan=0.0, posinf=np.inf, neginf=-np.inf)
            high = np.maximum.reduceat(known, starts, axis=axis)
            low = np.minimum.reduceat(known, starts, axis=axis)
            heat = np.where(high >= -low, high, low)
    return heat


def cell_rect(rect: QRectF, plane: Plane, row: int, column: int) -> QRectF:
    """Rectangle of a cell when the plane fills ``rect``."""
    return _rect(rect, plane.heat.shape, row, column)


def _rect(rect: QRectF, shape: tuple[int, ...], row: int, column: int) -> QRectF:
    width, height = rect.width() / shape[1], rect.height() / shape[0]
    left, top = rect.left() + column * width, rect.top() + row * height
    return QRectF(left, top, width, height)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlaneCells:
    """A plane prepared for painting.

    Attributes:
        plane: The plane to paint.
        limit: Colors go from ``-limit`` to ``limit``.
        images: The latest image, by its rows and columns and its theme.
        hatches: The latest hatch, by its width and height in pixels and its theme.
        inks: Whether the number of a cell is black, ``[rows, columns]``, by theme.
        marked: Cells that are not finite, ``[n, 2]``.
        clipped: Finite cells beyond the end of the scale, ``[n, 2]``.
        signed: Whether any value is below zero.
    """

    plane: Plane
    limit: float
    images: dict[_ImageKey, QImage]
    hatches: dict[_ImageKey, QImage]
    inks: dict[PaletteTheme, npt.NDArray[np.bool_]]
    marked: npt.NDArray[np.int64]
    clipped: npt.NDArray[np.int64]
    signed: bool

    def paint(
        self, painter: QPainter, rect: QRectF, theme: Theme, texts: CellNumbers | None = None
    ) -> None:
        """Paint all cells.

        Args:
            painter: Must have the font that the texts were measured with.
            rect: The rectangle to fill.
            theme: Colors of the cells, of the marks and of the lines between cells.
            texts: Numbers; left out if they do not fit.
        """
        if self.plane.heat.size == 0:
            return
        painter.save()
        # Marks can be larger than the cells at the edges.
        painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        # Smoothing would mix the colors of neighboring cells into colors of other values.
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(rect, self._image(painter, rect, theme.name))
        width, height = rect.width() / self.plane.columns, rect.height() / self.plane.rows
        written = texts is not None and texts.fit(width, height)
        if texts is not None and written:
            self._paint_numbers(painter, rect, texts, theme.name)
        elif self.signed:
            self._paint_signs(painter, rect, min(width, height), theme.name)
        self._paint_marks(painter, rect, theme, written)
        paint_wedges(painter, self.plane.heat, self.clipped, self._place_in(rect))
        if min(width, height) >= _GAP_FROM:
            self._paint_gaps(painter, rect, theme)
        painter.restore()

    def _blocks(self, painter: QPainter, rect: QRectF) -> tuple[int, int]:
        """Rows and columns of an image that has no more pixels than the rectangle.

        With more, scaling the image down would drop cells.
        """
        device = painter.deviceTransform().mapRect(rect)
        rows = _shown(self.plane.rows, device.height())
        return rows, _shown(self.plane.columns, device.width())

    def _image(self, painter: QPainter, rect: QRectF, theme: PaletteTheme) -> QImage:
        size = self._blocks(painter, rect)
        key = (*size, theme)
        if key not in self.images:
            # Only the latest size is kept, since images of a large plane take much memory.
            self.images.clear()
            self.images[key] = image_of(extremes(self.plane.heat, size), self.limit, theme)
        return self.images[key]

    def _paint_numbers(
        self, painter: QPainter, rect: QRectF, texts: CellNumbers, theme: PaletteTheme
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
        if theme not in self.inks:
            self.inks[theme] = dark_ink_of(self.plane.heat, self.limit, theme)
        dark_ink = self.inks[theme]
        for row, line in enumerate(texts.rows):
            for column, text in enumerate(line):
                painter.setPen(_BLACK if dark_ink[row, column] else _WHITE)
                cell = _rect(rect, self.plane.heat.shape, row, column)
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)

    def _place_in(self, rect: QRectF) -> CellRectangle:
        return partial(_rect, rect, self.plane.heat.shape)

    def _paint_signs(
        self, painter: QPainter, rect: QRectF, side: float, theme: PaletteTheme
    ) -> None:
        """Mark values below zero if numbers, whose minus sign would show, are not painted."""
        if side >= STROKE_FROM:
            paint_strokes(painter, self.plane.heat, self.limit, self._place_in(rect), theme)
            return
        device = painter.deviceTransform().mapRect(rect)
        size = max(1, round(device.width())), max(1, round(device.height()))
        key = (*size, theme)
        if key not in self.hatches:
            self.hatches.clear()
            blocks = extremes(self.plane.heat, self._blocks(painter, rect))
            self.hatches[key] = hatch_of(blocks, self.limit, *size, theme)
        painter.drawImage(rect, self.hatches[key])

    def _paint_marks(self, painter: QPainter, rect: QRectF, theme: Theme, written: bool) -> None:
        shape = self.plane.heat.shape
        width, height = rect.width() / shape[1], rect.height() / shape[0]
        for row, column in thinned(self.marked, SMALLEST / height, SMALLEST / width):
            mark = mark_of(self.plane.heat[row, column])
            if mark is None:
                continue
            cell = _rect(rect, shape, row, column)
            if written:
                paint_mark_text(painter, cell, mark, theme)
                continue
            paint_mark(painter, _at_least(cell, SMALLEST, rect), mark, theme)

    def _paint_gaps(self, painter: QPainter, rect: QRectF, theme: Theme) -> None:
        # In whole pixels, as fractions would make the gaps uneven without antialiasing.
        painter.setPen(theme.color("panel"))
        width, height = rect.width() / self.plane.columns, rect.height() / self.plane.rows
        left, right = round(rect.left()), round(rect.right())
        top, bottom = round(rect.top()), round(rect.bottom())
        for row in range(1, self.plane.rows):
            y = round(rect.top() + row * height)
            painter.drawLine(left, y, right, y)
        for column in range(1, self.plane.columns):
            x = round(rect.left() + column * width)
            painter.drawLine(x, top, x, bottom)


def plane_cells_of(plane: Plane, limit: float) -> PlaneCells:
    """Prepare a plane for painting on a scale from ``-limit`` to ``limit``."""
    return PlaneCells(
        plane=plane,
        limit=limit,
        images={},
        hatches={},
        inks={},
        marked=marked_cells(plane.heat),
        clipped=clipped_cells(plane.heat, limit),
        signed=bool((plane.heat < 0).any()),
    )


def _shown(cells: int, pixels: float) -> int:
    """Number of blocks to paint: all cells, or a power of two for reuse while zooming."""
    if cells <= pixels:
        return cells
    return max(1, 1 << (int(max(pixels, 1.0)).bit_length() - 1))


def _at_least(cell: QRectF, side: float, bounds: QRectF) -> QRectF:
    """Grow a cell to a visible size and move it back inside the bounds."""
    grown = QRectF(0, 0, max(cell.width(), side), max(cell.height(), side))
    grown.moveCenter(cell.center())
    grown.moveLeft(max(bounds.left(), min(grown.left(), bounds.right() - grown.width())))
    grown.moveTop(max(bounds.top(), min(grown.top(), bounds.bottom() - grown.height())))
    return grown
