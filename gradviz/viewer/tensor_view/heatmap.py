"""A heatmap as a widget: crisp cells, numbers when they fit, a cell cursor by mouse and keys."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.viewer.plain_text import plain_tooltip
from gradviz.viewer.tensor_view.cells import Cells, Texts, cell_rect, cells_of, texts_of
from gradviz.viewer.tensor_view.numbers import exact_number
from gradviz.viewer.tensor_view.plane import Plane, subscript
from gradviz.viewer.theme import LIGHT, SMALL_PIXELS, Theme

MOST_HEIGHT = 264
"""Pixels that a heatmap in a panel is high at most."""

_DIGITS = (4, 3)
_SIDE_MOST = 22
_SIDE_LEAST = 14
_CELL = QSize(30, 24)
_SINGLE = QSize(64, 34)
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """How the plane lies in the widget: its size in pixels, and the numbers that fit."""

    size: QSize
    texts: Texts | None


class Heatmap(QWidget):
    """Shows one plane. Hovering or Shift with the arrow keys moves a cursor from cell to cell.

    Signals:
        cursor_moved: ``(row, column)`` of the cell under the cursor, or None.
    """

    cursor_moved = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = ""
        self._cells: Cells | None = None
        self._texts: list[Texts] = []
        self._fits: dict[int, _Fit] = {}
        self._cursor: tuple[int, int] | None = None
        self.setFont(LIGHT.font(SMALL_PIXELS))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_plane(self, plane: Plane, limit: float, name: str) -> None:
        """Shows another plane.

        Args:
            plane: What to show.
            limit: Colours go from ``-limit`` to ``limit``.
            name: Of the tensor, for naming elements.
        """
        self._cells = cells_of(plane, limit)
        texts = (texts_of(plane, self.font(), digits) for digits in _DIGITS)
        self._texts = [each for each in texts if each is not None]
        self._name = name
        self._fits = {}
        self._cursor = None
        self.setAccessibleName(self.tr("Heatmap of {name}").format(name=name))
        self.setAccessibleDescription(self.tr("Shift with the arrow keys goes from cell to cell."))
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self.update()

    @property
    def plane(self) -> Plane | None:
        """What is shown."""
        return self._cells.plane if self._cells else None

    @property
    def numbers(self) -> list[list[str]] | None:
        """The text in each cell, at the present size; None where numbers do not fit."""
        texts = self._fit(self.width()).texts
        return texts.rows if texts else None

    def area(self) -> QRectF:
        """Where the cells lie in the widget."""
        return QRectF(QRect(1, 1, 0, 0).topLeft(), self._fit(self.width()).size)

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Where one cell lies in the widget."""
        return (
            QRectF()
            if self._cells is None
            else cell_rect(self.area(), self._cells.plane, row, column)
        )

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """The cell at a place in the widget."""
        area = self.area()
        if self._cells is None or not area.contains(place) or self._cells.plane.heat.size == 0:
            return None
        plane = self._cells.plane
        row = int((place.y() - area.top()) / area.height() * plane.rows)
        column = int((place.x() - area.left()) / area.width() * plane.columns)
        return min(row, plane.rows - 1), min(column, plane.columns - 1)

    def move_cursor(self, cell: tuple[int, int] | None) -> None:
        """Puts the cursor on a cell, or away."""
        if cell != self._cursor:
            self._cursor = cell
            self.cursor_moved.emit(cell)
            self.update()

    def element_text(self, cell: tuple[int, int]) -> str:
        """The element in a cell with its exact value: ``weight[1, 0] = 2.0``."""
        if self._cells is None:
            return ""
        plane = self._cells.plane
        element = subscript(self._name, plane.index(*cell))
        return f"{element} = {exact_number(plane.values[cell])}"

    def _fit(self, width: int) -> _Fit:
        if width not in self._fits:
            self._fits = {width: self._fit_anew(max(1, width - 2))}
        return self._fits[width]

    def _fit_anew(self, width: int) -> _Fit:
        if self._cells is None or self._cells.plane.heat.size == 0:
            return _Fit(QSize(0, 0), None)
        rows, columns = self._cells.plane.heat.shape
        least = _SINGLE if rows == columns == 1 else _CELL
        for texts in self._texts:
            cell = QSize(int(texts.width) + 12, int(texts.height)).expandedTo(least)
            if columns * cell.width() <= width and rows * cell.height() <= MOST_HEIGHT:
                return _Fit(QSize(columns * cell.width(), rows * cell.height()), texts)
        side = min(width / columns, MOST_HEIGHT / rows, _SIDE_MOST)
        side = int(side) if side >= 1 else side
        wide = max(min(_SIDE_LEAST, width), int(columns * side))
        return _Fit(QSize(wide, max(_SIDE_LEAST, int(rows * side))), None)

    def hasHeightForWidth(self) -> bool:
        """The height follows from the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height in pixels at a width."""
        return self._fit_anew(max(1, width - 2)).size.height() + 2

    def sizeHint(self) -> QSize:
        """The size it likes to have."""
        return self._fit_anew(340).size + QSize(2, 2)

    def minimumSizeHint(self) -> QSize:
        """The size below which it is of no use."""
        return QSize(40, 16)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints everything."""
        if self._cells is None:
            return
        painter = QPainter(self)
        painter.setFont(self.font())
        self._cells.paint(painter, self.area(), self._theme, self._fit(self.width()).texts)
        if self._cursor is not None:
            self._paint_cursor(painter, self.cell_rect(*self._cursor))
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("focus"), 1))
            painter.drawRect(self.area().adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.end()

    def _paint_cursor(self, painter: QPainter, cell: QRectF) -> None:
        """A double outline, black and white, is seen on every colour."""
        grow = max(0.0, (6 - min(cell.width(), cell.height())) / 2)
        outer = cell.adjusted(-grow, -grow, grow, grow).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(0, 0, 0), 1))
        painter.drawRect(outer)
        painter.setPen(QPen(QColor(255, 255, 255), 1))
        painter.drawRect(outer.adjusted(1, 1, -1, -1))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Moves the cursor under the mouse."""
        self.move_cursor(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Takes the cursor away."""
        self.move_cursor(None)
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Takes the cursor away."""
        self.move_cursor(None)
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handles the keys that are its own."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or event.modifiers() != Qt.KeyboardModifier.ShiftModifier:
            # Without Shift the arrow keys belong to the panel: they go from step to step.
            event.ignore()
            return
        plane = self.plane
        if plane is None or plane.heat.size == 0:
            return
        row, column = self._cursor or (0, 0)
        if self._cursor is not None:
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
