"""The column left of the source: breakpoints, line numbers and execution signs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.source.line_marks import LineMarks, tip_of
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.plain_text import plain_tooltip

_DOT, _SIGN, _PAD = 13, 12, 3
"""Widths of the parts beside the numbers, before the theme's scale factor."""

_LEAST_DIGITS = 2


class GutterHost(Protocol):
    """The text that a gutter belongs to."""

    @property
    def rows(self) -> LineMarks | None:
        """What is marked beside the lines."""

    def line_count(self) -> int:
        """Number of lines."""

    def boxes(self) -> list[tuple[int, QRectF]]:
        """The numbers of the visible lines and their rectangles."""

    def line_at(self, place: QPoint, /) -> int:
        """Number of the line at a position; 0 if there is none."""


class Gutter(QWidget):
    """The gutter of a text.

    Attributes:
        active: Whether the text beside it contains the current step.
        breakable: Whether a click requests a breakpoint.
        breakpoints: The lines with breakpoints, and whether each is enabled.

    Signals:
        clicked: Number of the line beside which the gutter was clicked.
    """

    clicked = Signal(object)

    def __init__(self, host: GutterHost, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = host
        self._theme = theme
        self.active = True
        self.breakpoints: Mapping[int, bool] = {}
        self.breakable = False
        self._hovered = 0
        self.setMouseTracking(True)
        set_theme_font(self, theme, SMALL_PIXELS, mono=True)

    def set_active(self, active: bool) -> None:
        """Set whether the text beside it contains the current step."""
        self.active = active

    def set_breakable(self) -> None:
        """Let clicks request breakpoints."""
        self.breakable = True
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_breakpoints(self, breakpoints: Mapping[int, bool]) -> None:
        """Show breakpoints by line number.

        Args:
            breakpoints: For each line, whether its breakpoint is enabled; a disabled one is hollow.
        """
        if breakpoints != self.breakpoints:
            self.breakpoints = dict(breakpoints)
            self.update()

    def sizeHint(self) -> QSize:
        """Return the width of the largest line number and the signs beside it."""
        digits = max(_LEAST_DIGITS, len(str(self._host.line_count())))
        number = self.fontMetrics().horizontalAdvance("0") * digits
        return QSize(number + self._theme.px(_DOT + _SIGN + 2 * _PAD), 10)

    def _paint_line(self, painter: QPainter, rows: LineMarks, line: int, box: QRectF) -> None:
        theme = self._theme
        is_current = self.active and rows.block[0] <= line <= rows.block[1]
        self._paint_breakpoint(painter, line, box)
        width = self.width() - theme.px(_SIGN + _PAD)
        painter.setPen(theme.color("text" if is_current else "gutter_text"))
        number = QRectF(0, box.top(), width, box.height())
        painter.drawText(
            number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(line)
        )
        place = QRectF(self.width() - theme.px(_SIGN), box.top(), theme.px(_SIGN), box.height())
        self._paint_sign(painter, rows, line, place)
        if is_current and line == rows.block[0]:
            self._paint_arrow(painter, rows, place)

    def _paint_breakpoint(self, painter: QPainter, line: int, box: QRectF) -> None:
        known = line in self.breakpoints
        if not known and not (self.breakable and line == self._hovered):
            return
        side = self._theme.px(9)
        place = QRectF(self._theme.px(_PAD), box.center().y() - side / 2, side, side)
        color = self._theme.color("breakpoint")
        painter.setPen(QPen(color, 1.5, Qt.PenStyle.SolidLine if known else Qt.PenStyle.DotLine))
        full = known and self.breakpoints[line]
        painter.setBrush(color if full else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(place)

    def _paint_sign(self, painter: QPainter, rows: LineMarks, line: int, place: QRectF) -> None:
        """Paint a solid bar for a line that ran, a dotted one for later, a cross if it raised."""
        sign = rows.mark(line).sign
        if sign in ("", "never"):
            return
        phase = rows.passage.phase
        role: PaletteRole = "accent" if phase == "other" else phase
        bar = QRectF(
            place.right() - self._theme.px(5), place.top(), self._theme.px(4), place.height()
        )
        if sign == "ran":
            painter.fillRect(bar, self._theme.color(role))
        elif sign == "later":
            painter.setPen(QPen(self._theme.color(role), 1, Qt.PenStyle.DotLine))
            x = bar.center().x()
            painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))
        else:
            painter.setPen(QPen(self._theme.color("error"), 2))
            side = self._theme.px(6)
            cross = QRectF(0, 0, side, side)
            cross.moveCenter(place.center() + QPointF(self._theme.px(1), 0))
            painter.drawLine(cross.topLeft(), cross.bottomRight())
            painter.drawLine(cross.topRight(), cross.bottomLeft())

    def _paint_arrow(self, painter: QPainter, rows: LineMarks, place: QRectF) -> None:
        if rows.mark(rows.block[0]).sign == "raised":
            return
        side = self._theme.px(7)
        left, y = place.left() + self._theme.px(1), place.center().y()
        arrow = QPolygonF(
            [QPointF(left, y - side / 2), QPointF(left + side, y), QPointF(left, y + side / 2)]
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("accent"))
        painter.drawPolygon(arrow)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible lines."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("panel"))
        painter.setPen(self._theme.color("border"))
        painter.drawLine(self.rect().topRight(), self.rect().bottomRight())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rows = self._host.rows
        if rows is not None:
            for line, box in self._host.boxes():
                self._paint_line(painter, rows, line, box)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Request a breakpoint at the clicked line."""
        line = self._host.line_at(event.position().toPoint())
        if line and self.breakable and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(line)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Outline a breakpoint at the line under the mouse."""
        self._hover(self._host.line_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Remove the outline."""
        self._hover(0)

    def _hover(self, line: int) -> None:
        if line != self._hovered:
            self._hovered = line
            self.update()

    def _tip(self, place: QPoint) -> str:
        rows, line = self._host.rows, self._host.line_at(place)
        return "" if rows is None or not line else tip_of(rows.mark(line))

    def event(self, event: QEvent) -> bool:
        """Explain the sign of a line in a tooltip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tooltip(self._tip(event.pos())), self)
            return True
        return super().event(event)
