"""A zoomable map of cells with the indices of its rows and columns, and linked zoom."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import CellGrid, CellLines, CellTexts
from gradviz.drawing.cells.layout import BESIDE
from gradviz.drawing.cells.pair_matrices import PairMatrices
from gradviz.drawing.cells.tensor_axis import (
    TensorAxis,
    column_labels,
    named_blocks,
    row_labels,
    widest_tick,
)
from gradviz.drawing.geometry.rect import Rect
from gradviz.viewer.jacobians.map.map_cells import BEYOND, MAIN_SIZES, SIZES, MapCells, map_grid
from gradviz.viewer.tensor_view.cell_painter import number_font, paint_cells
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing

_GAP = 6.0
_TICK = 3
_BEFORE_TICKS, _BELOW_TICKS = 5, 2
_INSET, _AWAY = 2.0, 2.0
_LEAST_WIDTH, _LEAST_HEIGHT = 120, 120
_LEFT_PIXELS, _LEFT_MORE = 31, 12
_TITLE_PIXELS = 15
_BOTTOM_PIXELS = 48
_MOST_CELL, _MOST_OF_MATRIX = 110, 150
"""Maximum side of a cell, and of a matrix of fewer cells, at scale 1."""

_TALL_CELL, _MOST_TALL = 24, 1.3
"""Height of a cell, at scale 1, and that as a multiple of its width, of which one is allowed."""

_CLOSEST = 4
"""Smallest number of rows and of columns that can be zoomed to."""

_ZOOM = 1.02 ** (1 / 8)
"""Factor of a zoom for each eighth of a degree that a wheel turns."""

_DRAG_ZOOM = 1.02
"""Factor of a zoom for each pixel that the mouse is dragged."""


class MapPlot(QWidget):
    """Shows a matrix: rows downward, columns to the right, cell ``[i, j]`` around ``(j, i)``.

    The wheel and the right button zoom, the other buttons move the cells; beside them, they zoom or
    move along one axis only.

    Attributes:
        cells: Paints its cells.
        above: A map above this one, whose columns are right above those of this one; or None.

    Signals:
        hovered: ``(row, column)`` under the mouse, or None.
        clicked: ``(row, column)`` of a click.
        key_pressed: The `QKeyEvent`; a receiver that uses the key accepts it.
        area_changed: Another area is visible, in cells, or it has another size.
    """

    hovered = Signal(object)
    clicked = Signal(object)
    key_pressed = Signal(object)
    area_changed = Signal(object)

    def __init__(self, theme: Theme, *, is_main: bool = True) -> None:
        """Create a map without cells.

        Args:
            theme: Colors and fonts.
            is_main: Whether it has indices and large numbers; else it is small, beside such a map.
        """
        super().__init__()
        self.cells = MapCells(theme, MAIN_SIZES if is_main else SIZES)
        self._is_main = is_main
        self.above: MapPlot | None = None
        self._axes = TensorAxis(name="", shape=()), TensorAxis(name="", shape=())
        self._titles = "", ""
        self._less = False
        self._seen = QRectF()
        self._pixmap: QPixmap | None = None
        self._pressed: QPointF | None = None
        self._is_dragged = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        FocusRing(self)
        self._theme = theme
        self.update_theme()

    def show_matrices(self, matrices: PairMatrices, which: int) -> None:
        """Show one of the matrices of a pair; reset the zoom if its size differs."""
        before = self.cells.shape
        self.cells.show_matrices(matrices, which)
        # Keep the zoom, so that matrices can be compared by switching between them.
        if before != self.cells.shape:
            self.show_all()
        self._repaint()

    def show_all(self) -> None:
        """Zoom out to the whole matrix."""
        rows, columns = self.cells.shape
        self.show_area(QRectF(-0.5, -0.5, columns, rows))

    def show_area(self, area: QRectF) -> None:
        """Zoom to an area, in cells, and zoom all linked maps."""
        area = self._limited(area)
        if area != self._seen:
            self._seen = area
            self._repaint()
            self.area_changed.emit(area)

    def _limited(self, area: QRectF) -> QRectF:
        """The area, with at least a few cells, moved to where there are cells."""
        rows, columns = self.cells.shape
        width = max(min(_CLOSEST, columns), min(area.width(), columns))
        height = max(min(_CLOSEST, rows), min(area.height(), rows))
        middle = area.center()
        left = max(-0.5, min(middle.x() - width / 2, columns - 0.5 - width))
        top = max(-0.5, min(middle.y() - height / 2, rows - 0.5 - height))
        return QRectF(left, top, width, height)

    def set_axes(self, left: tuple[TensorAxis, str], bottom: tuple[TensorAxis, str]) -> None:
        """Set the axis and the title of the rows and of the columns."""
        self._axes, self._titles = (left[0], bottom[0]), (left[1], bottom[1])
        self._repaint()

    def move_cursor(self, cell: tuple[int, int] | None) -> None:
        """Move the cursor to a cell, or hide it."""
        self.cells.cursor = cell
        self.update()

    def show_compact_text(self, less: bool) -> None:
        """Hide or show the axis titles."""
        self._less = less
        self._repaint()

    def follow(self, other: MapPlot) -> None:
        """Link zoom and pan to another plot."""
        other.area_changed.connect(self.show_area)
        self.area_changed.connect(other.show_area)

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self.setMinimumSize(_LEAST_WIDTH, self._theme.px(_LEAST_HEIGHT))
        self._repaint()

    def _repaint(self) -> None:
        self._pixmap = None
        self.update()

    def area(self) -> QRectF:
        """Rectangle of the cells in the widget."""
        px = self._theme.px
        title = px(_TITLE_PIXELS) if self._less else 0
        left, bottom, space = BEYOND, BEYOND, px(BESIDE)
        if self.above is not None:
            left = round(self.above.area().left())
        if self._is_main:
            # A fixed width: if it followed the visible labels, the maps would move while zooming.
            widest = round(widest_tick(self._axes[0], number_font(), self._tick_size))
            left = px(_LEFT_PIXELS) + widest + _LEFT_MORE - title
            bottom = px(_BOTTOM_PIXELS) - title
        width = max(1, self.width() - left - space - 2)
        height = max(1, self.height() - space - bottom)
        rows, columns = self.cells.shape
        most = px(max(_MOST_CELL, _MOST_OF_MATRIX // max(1, rows, columns)))
        width = min(width, most * max(1, columns))
        tallest = min(most, max(px(_TALL_CELL), round(_MOST_TALL * width / max(1, columns))))
        height = min(height, tallest * max(1, rows))
        return QRectF(left, space, width, height)

    def _grid(self) -> CellGrid:
        return map_grid(self.area(), self._seen, self.cells.shape)

    def block_size(self) -> tuple[int, int]:
        """Rows and columns of the blocks that have one color, as cells are too small."""
        pixels = self.devicePixelRatioF()
        return self.cells.block_size(replace(self._grid(), pixels=(pixels, pixels)))

    def place_of(self, row: float, column: float) -> QPointF:
        """Center of a cell in the widget, or a place near it, in pixels."""
        grid = self._grid()
        return QPointF(grid.x + (column + 0.5) * grid.width, grid.y + (row + 0.5) * grid.height)

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """Cell at a position in the widget, or None."""
        if not self.area().contains(place) or self._seen.isEmpty():
            return None
        return self._grid().at(place.x(), place.y())

    def tick_labels(self) -> tuple[list[tuple[Rect, str]], list[tuple[Rect, str]]]:
        """Rectangles and texts of the indices of rows and of columns."""
        grid, font, size = self._grid(), number_font(), self._tick_size
        return (
            row_labels(grid, self._axes[0], font, size, _TICK + _BEFORE_TICKS),
            column_labels(grid, self._axes[1], font, size, _TICK + _BELOW_TICKS),
        )

    def title_boxes(self) -> tuple[QRectF, QRectF]:
        """Rectangles of the titles; that of the rows before it is turned."""
        metrics, area = QFontMetricsF(self._theme.font(SMALL_PIXELS)), self.area()
        widths = [metrics.horizontalAdvance(title) for title in self._titles]
        high = metrics.height()
        # That of a narrow map is longer than its cells.
        x = max(0.0, min(area.center().x() - widths[1] / 2, self.width() - widths[1]))
        below = area.bottom() + self._theme.px(_BOTTOM_PIXELS)
        bottom = QRectF(x, below - high, widths[1], high)
        return QRectF(-area.center().y() - widths[0] / 2, 0, widths[0], high), bottom

    @property
    def _tick_size(self) -> int:
        return self._theme.px(SMALL_PIXELS - 1)

    def _tick_font(self) -> QFont:
        return self._theme.font(SMALL_PIXELS - 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint everything, of which a moved cursor changes only the outline."""
        painter = QPainter(self)
        ratio = self.devicePixelRatioF()
        if self._pixmap is None or self._pixmap.devicePixelRatio() != ratio:
            self._pixmap = QPixmap(self.size() * ratio)
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(self._theme.color("panel"))
            inner = QPainter(self._pixmap)
            if self._is_main:
                self._paint_axes(inner)
            if not self._seen.isEmpty():
                self.cells.paint(inner, self._grid(), self.area())
            inner.end()
        painter.drawPixmap(0, 0, self._pixmap)
        if not self._seen.isEmpty():
            self.cells.paint_outlines(painter, self._grid(), self.area())
        painter.end()

    def _paint_axes(self, painter: QPainter) -> None:
        area, theme = self.area(), self._theme
        rows, columns = self.tick_labels() if not self._seen.isEmpty() else ([], [])
        left, right, top, bottom = area.left(), area.right(), area.top(), area.bottom()
        lines = [(left, top, left, bottom), (left, bottom, right, bottom)]
        for box, _ in rows:
            y = box.y + box.height / 2
            lines.append((left - _TICK, y, left, y))
        for box, _ in columns:
            x = box.x + box.width / 2
            lines.append((x, bottom, x, bottom + _TICK))
        paint = theme_paint(theme.name)
        texts = [(box, text, paint("text_muted")) for box, text in (*rows, *columns)]
        paint_cells(
            painter,
            [
                CellLines(lines=lines, ink=paint("border_strong")),
                CellTexts(texts=texts, size=self._tick_size),
            ],
        )
        if not self._seen.isEmpty():
            self._paint_blocks(painter)
        if self._less:
            return
        painter.setFont(theme.font(SMALL_PIXELS))
        painter.setPen(theme.color("text_muted"))
        rows_box, columns_box = self.title_boxes()
        painter.drawText(columns_box, Qt.AlignmentFlag.AlignCenter, self._titles[1])
        painter.save()
        painter.rotate(-90)
        painter.drawText(rows_box, Qt.AlignmentFlag.AlignCenter, self._titles[0])
        painter.restore()

    def blocks(self, which: int) -> list[tuple[tuple[float, float], str, bool]]:
        """Extent in pixels of the visible part of each named block, and whether its name fits.

        Args:
            which: 0 for the rows, 1 for the columns.
        """
        grid, axis, metrics = self._grid(), self._axes[which], QFontMetricsF(self._tick_font())
        seen, side = (grid.rows, grid.height) if which == 0 else (grid.columns, grid.width)
        start, area = (grid.y if which == 0 else grid.x), self.area()
        low, high = (area.top(), area.bottom()) if which == 0 else (area.left(), area.right())
        space = metrics.horizontalAdvance(axis.block_name(max(0, seen.stop - 1), 1)) + _GAP
        found = []
        for block, name in named_blocks(axis, seen, side, space):
            begin, end = start + block.start * side, start + block.stop * side
            extent = max(begin, low), min(end, high)
            fits = metrics.horizontalAdvance(name) <= extent[1] - extent[0]
            found.append((extent, name, fits))
        return [each for each in found if each[0][1] - each[0][0] > 2 * _INSET]

    def _paint_blocks(self, painter: QPainter) -> None:
        """Paint a bracket with a name for each block, beyond the ticks."""
        area, font = self.area(), self._tick_font()
        height = QFontMetricsF(font).height()
        painter.setFont(font)
        for which in (0, 1):
            for extent, name, fits in self.blocks(which):
                painter.save()
                if which == 0:
                    beyond = widest_tick(self._axes[0], number_font(), self._tick_size)
                    beyond += _TICK + _BEFORE_TICKS + _INSET
                    painter.translate(area.left() - beyond, extent[1])
                    painter.rotate(-90)
                else:
                    y = area.bottom() + _TICK + height + _INSET + 1
                    painter.translate(extent[0], y + height)
                length = extent[1] - extent[0]
                plate = QRectF(0, -height, length, height)
                edge = plate.bottom() if which == 0 else plate.top()
                painter.setPen(self._theme.color("border_strong"))
                painter.drawLine(QPointF(_INSET, edge), QPointF(length - _INSET, edge))
                if fits:
                    painter.setPen(self._theme.color("text_muted"))
                    # Away from the line, which commas and brackets would touch.
                    away = -_AWAY if which == 0 else 1.0
                    plate = plate.translated(0, away)
                    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, name)
                painter.restore()

    def _zoom(self, place: QPointF, factor: float) -> None:
        """Make the visible area larger by a factor around a place; beside it along one axis."""
        area, seen = self.area(), self._seen
        across = factor if place.x() >= area.left() else 1.0
        down = factor if place.y() <= area.bottom() else 1.0
        x = seen.left() + (place.x() - area.left()) / area.width() * seen.width()
        y = seen.top() + (place.y() - area.top()) / area.height() * seen.height()
        left, top = x - (x - seen.left()) * across, y - (y - seen.top()) * down
        self.show_area(QRectF(left, top, seen.width() * across, seen.height() * down))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the cells anew."""
        super().resizeEvent(event)
        self._pixmap = None
        if not self._seen.isEmpty():
            self.area_changed.emit(self._seen)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse."""
        self._zoom(event.position(), _ZOOM ** -event.angleDelta().y())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        self._pressed, self._is_dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move or zoom while a button is pressed; else report the cell under the mouse."""
        if self._pressed is None or not event.buttons():
            self.hovered.emit(self.cell_at(event.position()))
            return
        moved = event.position() - self._pressed
        if not self._is_dragged and moved.manhattanLength() < QApplication.startDragDistance():
            return
        self._is_dragged, area = True, self.area()
        start, self._pressed = self._pressed, event.position()
        if event.buttons() & Qt.MouseButton.RightButton:
            self._zoom(start, _DRAG_ZOOM ** (moved.y() - moved.x()))
            return
        across = moved.x() / area.width() * self._seen.width()
        down = moved.y() / area.height() * self._seen.height()
        across = across if start.x() >= area.left() else 0.0
        self.show_area(self._seen.translated(-across, -down if start.y() <= area.bottom() else 0.0))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report a click."""
        place, self._pressed = self._pressed, None
        cell = self.cell_at(event.position())
        is_click = place is not None and not self._is_dragged
        if is_click and cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(cell)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom out to the whole matrix."""
        self.show_all()

    def leaveEvent(self, event: QEvent) -> None:
        """Report that no cell is under the mouse."""
        self.hovered.emit(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Forward a key."""
        # Qt delivers keys as accepted; here only a receiver that uses the key accepts it.
        event.ignore()
        self.key_pressed.emit(event)
