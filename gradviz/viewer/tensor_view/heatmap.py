"""A heatmap as a widget: crisp cells, numbers when they fit, a cell cursor by mouse and keys."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.viewer.keys import pressed
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.cells import Cells, cells_of
from gradviz.viewer.tensor_view.cells_picture import CellsPicture
from gradviz.viewer.tensor_view.numbers import exact_number
from gradviz.viewer.tensor_view.outline import grown, paint_outline
from gradviz.viewer.tensor_view.plane import Plane, subscript
from gradviz.viewer.widgets.plain_text import plain_tooltip

Cell = tuple[int, int]

_STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


class Heatmap(QWidget):
    """Shows one plane. Hovering or the arrow keys move a cursor from cell to cell.

    In a panel the arrow keys need Shift, as without it they go from step to step.

    Args:
        theme: Colours and type to draw with.
        large: Whether it fills its room and has the arrow keys for itself.
        parent: The widget around it.

    Signals:
        cursor_moved: ``(row, column)`` of the cell under the cursor, or None.
        picked: ``(row, column)`` of a cell that was clicked, or chosen by Enter; None for Escape.
        open_requested: Somebody wants to see it large.
        origin_requested: ``(row, column)`` of an element whose trouble came from somewhere.
        copy_requested: Somebody wants to copy it.
    """

    cursor_moved = Signal(object)
    picked = Signal(object)
    open_requested = Signal()
    origin_requested = Signal(object)
    copy_requested = Signal()

    def __init__(self, theme: Theme, *, large: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._large = large
        self._name = ""
        self._picture = CellsPicture(theme, large=large)
        self._cursor: Cell | None = None
        self._marked: Cell | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if large:
            policy.setVerticalPolicy(QSizePolicy.Policy.Expanding)
        policy.setHeightForWidth(not large)
        self.setSizePolicy(policy)

    def show_plane(self, plane: Plane, limit: float, name: str) -> None:
        """Shows another plane.

        Args:
            plane: What to show.
            limit: Colours go from ``-limit`` to ``limit``.
            name: Of the tensor, for naming elements.
        """
        self.show_cells(cells_of(plane, limit), name)

    def show_cells(self, cells: Cells, name: str) -> None:
        """Shows what was prepared elsewhere, in the background for instance."""
        self._picture.show(cells, self._theme)
        self._name = name
        self._cursor = self._marked = None
        self.setAccessibleName(self.tr("Heatmap of {name}").format(name=name))
        self.setAccessibleDescription(self._keys_text())
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self._picture.set_theme(theme)
        self.updateGeometry()
        self.update()

    @property
    def plane(self) -> Plane | None:
        """What is shown."""
        cells = self._picture.cells
        return cells.plane if cells else None

    @property
    def cells(self) -> Cells | None:
        """What is shown, as it was prepared for painting."""
        return self._picture.cells

    @property
    def numbers(self) -> list[list[str]] | None:
        """The text in each cell, at the present size; None where numbers do not fit."""
        texts = self._picture.fit().texts
        return texts.rows if texts else None

    @property
    def cursor_cell(self) -> Cell | None:
        """Where the cursor is."""
        return self._cursor

    @property
    def marked_cell(self) -> Cell | None:
        """The cell of the pinned element."""
        return self._marked

    def area(self) -> QRectF:
        """Where the cells lie in the widget."""
        return self._picture.area()

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Where one cell lies in the widget."""
        return self._picture.cell_rect(row, column)

    def cell_at(self, place: QPointF) -> Cell | None:
        """The cell at a place in the widget."""
        return self._picture.cell_at(place)

    def move_cursor(self, cell: Cell | None) -> None:
        """Puts the cursor on a cell, or away."""
        if cell != self._cursor:
            self._cursor = cell
            self.cursor_moved.emit(cell)
            self.update()

    def mark(self, cell: Cell | None) -> None:
        """Marks the cell of the pinned element, or none."""
        if cell != self._marked:
            self._marked = cell
            self.update()

    def element_text(self, cell: Cell) -> str:
        """The element in a cell with its exact value: ``weight[1, 0] = 2.0``."""
        plane = self.plane
        if plane is None:
            return ""
        element = subscript(self._name, plane.index(*cell))
        return f"{element} = {exact_number(plane.elements[cell])}"

    def _keys_text(self) -> str:
        if self._large:
            return self.tr("Arrow keys go from cell to cell; Enter pins an element.")
        return self.tr("Shift with the arrow keys goes from cell to cell; Enter opens it large.")

    def hasHeightForWidth(self) -> bool:
        """The height follows from the width, in a panel."""
        return not self._large

    def heightForWidth(self, width: int) -> int:
        """The height in pixels at a width."""
        return self._picture.size_at(width - 2).height() + 2

    def sizeHint(self) -> QSize:
        """The size it likes to have."""
        if self._large:
            return QSize(self._theme.px(520), self._theme.px(360))
        return self._picture.size_at(self._theme.px(340)) + QSize(2, 2)

    def minimumSizeHint(self) -> QSize:
        """The size below which it is of no use."""
        return QSize(120, 90) if self._large else QSize(40, 16)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints everything."""
        if self.plane is None:
            return
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture.pixmap(self.devicePixelRatioF()))
        if self._marked is not None:
            box = grown(self.cell_rect(*self._marked), 10).adjusted(-1, -1, 1, 1)
            paint_outline(painter, box, 2)
        if self._cursor is not None:
            self._paint_cursor(painter, self.cell_rect(*self._cursor))
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("focus"), 1))
            painter.drawRect(self.area().adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.end()

    def _paint_cursor(self, painter: QPainter, cell: QRectF) -> None:
        """A double outline, black and white, is seen on every colour."""
        outer = grown(cell, 6).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(0, 0, 0), 1))
        painter.drawRect(outer)
        painter.setPen(QPen(QColor(255, 255, 255), 1))
        painter.drawRect(outer.adjusted(1, 1, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Paints everything anew."""
        super().resizeEvent(event)
        self._picture.resize(self.size())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Moves the cursor under the mouse."""
        self.move_cursor(self.cell_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pins the element under the mouse."""
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self.picked.emit(cell)
        else:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Opens it large; of an element that is not finite, asks where that came from."""
        cell, plane = self.cell_at(event.position()), self.plane
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if cell is not None and plane is not None and not np.isfinite(plane.elements[cell]):
            self.origin_requested.emit(cell)
        elif not self._large:
            self.open_requested.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Takes the cursor away."""
        self.move_cursor(None)
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Takes the cursor away."""
        self.move_cursor(None)
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handles the keys that are its own; the others belong to the panel."""
        command = pressed("large" if self._large else "tensor", event)
        if command in _STEPS:
            self._step(_STEPS[command])
        elif command == "enter" and self._cursor is not None:
            self.picked.emit(self._cursor)
        elif command == "enter" and not self._large:
            self.open_requested.emit()
        elif command == "leave" and self._marked is not None:
            self.picked.emit(None)
        elif command == "copy":
            self.copy_requested.emit()
        else:
            event.ignore()

    def _step(self, step: Cell) -> None:
        plane = self.plane
        if plane is None or plane.heat.size == 0:
            return
        at = self._cursor or self._marked
        row, column = at or (0, 0)
        if at is not None:
            row = max(0, min(row + step[0], plane.rows - 1))
            column = max(0, min(column + step[1], plane.columns - 1))
        self.move_cursor((row, column))

    def event(self, event: QEvent) -> bool:
        """Shows the exact value as a tooltip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self.cell_at(QPointF(event.pos()))
            text = self.element_text(cell) if cell else ""
            QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().event(event)
