"""A pen that draws on the window with the mouse."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QHideEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gradviz.viewer.presenter.window_cover import WindowCover
from gradviz.viewer.state import ViewerState

_WIDTH = 2.5
"""Width of a line, before the theme's scale factor."""


class PenLayer(WindowCover):
    """Draws what the mouse drags, until it is hidden; keys still go to the window."""

    def __init__(self, state: ViewerState, window: QWidget) -> None:
        super().__init__(window)
        self._state = state
        self._lines: list[list[QPointF]] = []
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(self.tr("Pen"))

    @property
    def lines(self) -> tuple[tuple[QPointF, ...], ...]:
        """The lines drawn, in pixels of the window."""
        return tuple(tuple(line) for line in self._lines)

    @property
    def _width(self) -> float:
        return _WIDTH * self._state.theme.scale

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a line."""
        self._lines.append([event.position(), event.position()])
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue the line while a button is down."""
        if event.buttons() and self._lines:
            self._lines[-1].append(event.position())
            # The whole window: dashes below do not meet where only a part of them is painted again.
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Keep the window from getting the click."""

    def hideEvent(self, event: QHideEvent) -> None:
        """Remove the lines."""
        super().hideEvent(event)
        self._lines = []

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._state.theme.color("status_now"), self._width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        for line in self._lines:
            painter.drawPolyline(line)
        painter.end()
