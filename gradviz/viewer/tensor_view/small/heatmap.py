"""A heatmap widget: crisp cells, numbers if they fit, a cell cursor by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.analysis.arithmetic.element_arithmetic import ElementMark
from gradviz.catalogue.numbers import exact_number
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import CellGrid, grid_in, grown, widened
from gradviz.drawing.cells.cell_numbers import CellFit, CellFitter
from gradviz.drawing.cells.cells import Cells
from gradviz.drawing.cells.layout import cell_shapes, outline
from gradviz.drawing.cells.plane import Plane, subscript
from gradviz.viewer.arithmetic.element_frames import paint_frames
from gradviz.viewer.local_keys import LARGE_TENSOR_KEYS, TENSOR_KEYS, pressed
from gradviz.viewer.tensor_view.cell_painter import (
    number_font,
    paint_cells,
    qt_rect,
    rect_of,
    screen_pixels,
)
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

HeatmapCell = tuple[int, int]

TURN_PIXELS = 16
"""How far the mouse moves up for the next larger value of a number."""

_STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


class Heatmap(QWidget):
    """Shows one plane; the mouse or the arrow keys move a cursor from cell to cell.

    In a panel, the arrow keys need Shift, because without it they step through the trace.

    Args:
        theme: Colors and fonts to draw with.
        large: Whether it fills the available space and handles the plain arrow keys.
        parent: Parent widget.

    Attributes:
        cells: The plane that is shown, prepared for painting.
        cursor_cell: The cell of the cursor; None without one.
        marked_cell: The cell of the pinned element; None without one.
        framed: The cells of the elements that take part in the arithmetic.

    Signals:
        cursor_moved: ``(row, column)`` of the cell under the cursor, or None.
        picked: Index of an element that was clicked or chosen with Enter; None for Escape.
        open_requested: The large view was requested.
        origin_requested: Index of a non-finite element whose origin was requested.
        copy_requested: Copying was requested.
        turned: Index of an element whose number is to change, or None for the one before, and by
            how many steps; 0 at the end of a drag.
    """

    cursor_moved = Signal(object)
    picked = Signal(object)
    open_requested = Signal()
    origin_requested = Signal(object)
    copy_requested = Signal()
    turned = Signal(object, int)

    def __init__(self, theme: Theme, *, large: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._large = large
        self._name = ""
        self.cells: Cells | None = None
        self._fitter: CellFitter | None = None
        self._pixmap: QPixmap | None = None
        self._picked: HeatmapCell | None = None
        self._is_turning = False
        self._dragged_from: float | None = None
        self.cursor_cell: HeatmapCell | None = None
        self.marked_cell: HeatmapCell | None = None
        self.framed: tuple[tuple[HeatmapCell, ElementMark], ...] = ()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # A wide tensor must not widen its panel; its cells become smaller instead.
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if large:
            policy.setVerticalPolicy(QSizePolicy.Policy.Expanding)
        # Layouts call `heightForWidth` only if the policy says so.
        policy.setHeightForWidth(not large)
        self.setSizePolicy(policy)

    def show_cells(self, cells: Cells, name: str) -> None:
        """Show the cells of another plane; the name of the tensor names its elements."""
        self.cells = cells
        self._fit_anew()
        self._name = name
        self.cursor_cell = self.marked_cell = self._picked = None
        self.framed = ()
        self.setAccessibleName(self.tr("Heatmap of {name}").format(name=name))
        self.setAccessibleDescription(self._keys_text())
        self.updateGeometry()
        self.update()

    def update_theme(self) -> None:
        """Lay out and paint the cells in another theme."""
        self._fit_anew()
        self.updateGeometry()
        self.update()

    def _fit_anew(self) -> None:
        if self.cells is not None:
            self._fitter = CellFitter(self.cells.plane, number_font(), self._theme.scale)
        self._pixmap = None

    @property
    def plane(self) -> Plane | None:
        """The plane that is shown; None before the first one."""
        return self.cells.plane if self.cells else None

    @property
    def numbers(self) -> list[list[str]] | None:
        """Text of each cell at the current size; None if the numbers do not fit."""
        numbers = self._fit().numbers
        return numbers.rows if numbers else None

    def area(self) -> QRectF:
        """Rectangle of all cells in the widget."""
        fit = self._fit()
        left = top = 1
        if self._large:
            left = max(1, (self.width() - fit.width) // 2)
            top = max(1, (self.height() - fit.height) // 2)
        return QRectF(left, top, fit.width, fit.height)

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Rectangle of one cell in the widget."""
        grid = self._grid()
        return QRectF() if grid is None else qt_rect(grid.rect(row, column))

    def cell_at(self, place: QPointF) -> HeatmapCell | None:
        """The cell at a position in the widget; None outside the cells."""
        grid = self._grid()
        return None if grid is None else grid.at(place.x(), place.y())

    def has_numbers(self, width: int) -> bool:
        """Whether every cell has its number in a panel of a width."""
        fit = self._fitter.fit(max(1, width - 2)) if self._fitter else CellFit()
        return fit.numbers is not None

    def _fit(self) -> CellFit:
        # One pixel on each side is left for the focus frame.
        width, height = max(1, self.width() - 2), max(1, self.height() - 2)
        if self._fitter is None:
            return CellFit()
        return self._fitter.fit(width, height if self._large else None)

    def _grid(self, pixels: tuple[float, float] | None = None) -> CellGrid | None:
        """Where the cells are; None without any."""
        if self.cells is None or not self.cells.heat.size:
            return None
        return grid_in(rect_of(self.area()), self.cells.shape, pixels)

    def move_cursor(self, cell: HeatmapCell | None) -> None:
        """Move the cursor to a cell, or remove it."""
        if cell != self.cursor_cell:
            self.cursor_cell = cell
            self.cursor_moved.emit(cell)
            self.update()

    def mark(self, cell: HeatmapCell | None) -> None:
        """Mark the cell of the pinned element, or none."""
        if cell != self.marked_cell:
            self.marked_cell = cell
            self.update()

    def frame(self, marks: Iterable[ElementMark]) -> None:
        """Frame the cells of elements that take part in an arithmetic, if the plane shows them."""
        plane = self.plane
        cells = [] if plane is None else [(plane.cell_of(mark.element), mark) for mark in marks]
        framed = tuple((cell, mark) for cell, mark in cells if cell is not None)
        if framed != self.framed:
            self.framed = framed
            self.update()

    def element_text(self, cell: HeatmapCell) -> str:
        """The element in a cell with its exact value: ``weight[1, 0] = 2.0``."""
        plane = self.plane
        if plane is None:
            return ""
        element = subscript(self._name, plane.index(*cell))
        return f"{element} = {exact_number(plane.elements[cell])}"

    def _keys_text(self) -> str:
        if self._large:
            return self.tr("Arrow keys: move from cell to cell. Enter: pin the element.")
        return self.tr("Shift+arrow keys: move from cell to cell. Enter: enlarge.")

    def hasHeightForWidth(self) -> bool:
        """Whether the height depends on the width, as it does in a panel."""
        return not self._large

    def heightForWidth(self, width: int) -> int:
        """Height in pixels for a given width."""
        return 2 + (self._fitter.fit(max(1, width - 2)).height if self._fitter else 0)

    def sizeHint(self) -> QSize:
        """Preferred size."""
        if self._large:
            return QSize(self._theme.px(520), self._theme.px(360))
        fit = self._fitter.fit(self._theme.px(340)) if self._fitter else CellFit()
        return QSize(fit.width + 2, fit.height + 2)

    def minimumSizeHint(self) -> QSize:
        """Smallest useful size."""
        return QSize(120, 90) if self._large else QSize(40, 16)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells, the mark, the cursor and the focus frame."""
        if self.plane is None:
            return
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._painted(self.devicePixelRatioF()))
        cells = [(self.cell_rect(*cell), mark) for cell, mark in self.framed]
        paint_frames(painter, cells, self._theme)
        if self.marked_cell is not None and self.marked_cell not in dict(self.framed):
            box = widened(grown(rect_of(self.cell_rect(*self.marked_cell)), 10), 1)
            paint_cells(painter, outline(box, 2))
        if self.cursor_cell is not None:
            paint_cells(painter, outline(grown(rect_of(self.cell_rect(*self.cursor_cell)), 6), 1))
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("focus"), 1))
            painter.drawRect(self.area().adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.end()

    def _painted(self, ratio: float) -> QPixmap:
        """All cells, painted once, since every mouse move repaints the cursor on top of them."""
        if self._pixmap is None or self._pixmap.devicePixelRatio() != ratio:
            self._pixmap = QPixmap(self.size() * ratio)
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._pixmap)
            grid = self._grid(screen_pixels(painter))
            if self.cells is not None and grid is not None:
                # Marks can be larger than the cells at the edges.
                painter.setClipRect(self.area())
                paint = theme_paint(self._theme.name)
                paint_cells(painter, cell_shapes(self.cells, grid, paint, self._fit().numbers))
            painter.end()
        return self._pixmap

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the cells into the new size."""
        super().resizeEvent(event)
        self._pixmap = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the cursor to the cell under the mouse, or turn the number that is dragged."""
        if self._dragged_from is None:
            self.move_cursor(self.cell_at(event.position()))
            return
        step = self._theme.px(TURN_PIXELS)
        count = int((self._dragged_from - event.position().y()) / step)
        if count:
            self._dragged_from -= count * step
            self._turn(self._picked, count)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pin the element under the mouse."""
        cell, plane = self.cell_at(event.position()), self.plane
        if event.button() == Qt.MouseButton.LeftButton and cell is not None and plane is not None:
            self.picked.emit(plane.index(*cell))
            # Afterward, as views that mark the element may show their cells again.
            self._picked, self._dragged_from = cell, event.position().y()
        else:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag of a number."""
        if self._dragged_from is not None and self._is_turning:
            self.turned.emit(None, 0)
        self._dragged_from = None
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Request the large view, or the origin of a non-finite element under the mouse."""
        cell, plane = self.cell_at(event.position()), self.plane
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if cell is not None and plane is not None and not np.isfinite(plane.elements[cell]):
            self.origin_requested.emit(plane.index(*cell))
        elif not self._large:
            self.open_requested.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Remove the cursor."""
        self.move_cursor(None)
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Remove the cursor."""
        self.move_cursor(None)
        self._is_turning = False
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the heatmap's own keys; leave all others to the panel."""
        command = pressed(LARGE_TENSOR_KEYS if self._large else TENSOR_KEYS, event)
        plane = self.plane
        if command in _STEPS:
            self._step(_STEPS[command])
        elif command == "enter" and self.cursor_cell is not None and plane is not None:
            self.picked.emit(plane.index(*self.cursor_cell))
        elif command == "enter" and not self._large:
            self.open_requested.emit()
        elif command == "leave" and self.marked_cell is not None:
            self.picked.emit(None)
        elif command == "copy":
            self.copy_requested.emit()
        elif command in ("larger", "smaller"):
            cell = self.cursor_cell or self.marked_cell or self._picked
            self._turn(cell, 1 if command == "larger" else -1)
        else:
            event.ignore()

    def _turn(self, cell: HeatmapCell | None, by: int) -> None:
        # A new run replaces the cells, but not what is turned here.
        if self.plane is not None and (cell is not None or self._is_turning):
            self._is_turning = True
            self.turned.emit(None if cell is None else self.plane.index(*cell), by)

    def _step(self, step: HeatmapCell) -> None:
        plane = self.plane
        if plane is None or plane.heat.size == 0:
            return
        at = self.cursor_cell or self.marked_cell
        row, column = at or (0, 0)
        if at is not None:
            row = max(0, min(row + step[0], plane.rows - 1))
            column = max(0, min(column + step[1], plane.columns - 1))
        self.move_cursor((row, column))

    def event(self, event: QEvent) -> bool:
        """Show the exact value of an element as a tooltip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self.cell_at(QPointF(event.pos()))
            text = self.element_text(cell) if cell else ""
            QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().event(event)
