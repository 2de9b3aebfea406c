"""Keeps the previous stop of a lesson on the screen until the next one is complete."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from gradviz.viewer.background import PATIENCE_MS
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.cover import Cover
from gradviz.viewer.widgets.screen_reader import announce

_PIXELS = 15


class StopCover(Cover):
    """A picture of the window as it was, and a note after a moment; the mouse does not notice it.

    The parts of a stop come one after the other: its trace, its graph, its values. Behind this
    picture, nobody sees a stop of which only a part is there.
    """

    def __init__(self, window: QWidget, state: ViewerState) -> None:
        super().__init__(window)
        self._state = state
        self._picture = QPixmap()
        self._is_late = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._on_patience_timeout)

    @property
    def keeps_picture(self) -> bool:
        """Whether the window is hidden behind a picture of what it showed."""
        return not self._picture.isNull()

    @property
    def note(self) -> str:
        """What is said; empty as long as nothing is late."""
        return self.tr("Preparing…") if self._is_late else ""

    def wait(self) -> None:
        """Say after a moment that a stop is being prepared."""
        self._patience.start()

    def keep_picture(self) -> None:
        """Go on showing what the window shows now."""
        if self._picture.isNull():
            self._picture = self.window().grab()
            self.put_on_top()

    def end(self) -> None:
        """Show the window."""
        self._patience.stop()
        self._is_late, self._picture = False, QPixmap()
        self.hide()

    def _on_patience_timeout(self) -> None:
        self._is_late = True
        self.put_on_top()
        self.update()
        announce(self.window(), self.note)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture and the note."""
        painter = QPainter(self)
        if not self._picture.isNull():
            # Meanwhile, the window may have grown.
            painter.fillRect(self.rect(), self.palette().window())
            painter.drawPixmap(QPoint(), self._picture)
        if self._is_late:
            self._paint_note(painter)

    def _paint_note(self, painter: QPainter) -> None:
        theme = self._state.theme
        font = theme.font(_PIXELS)
        size = QFontMetrics(font).size(0, self.note)
        room = QRect(0, 0, size.width() + theme.px(36), size.height() + theme.px(16))
        # In a corner, as people still look at the previous stop.
        room.moveBottomRight(self.rect().bottomRight() - QPoint(theme.px(16), theme.px(12)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font)
        painter.setPen(theme.color("accent"))
        painter.setBrush(theme.color("panel"))
        painter.drawRoundedRect(room, room.height() / 2, room.height() / 2)
        painter.setPen(theme.color("text"))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self.note)
