"""The placeholder for a value that is hidden in Quiz Mode: its name and a question mark."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.viewer.theme.theme import UI_PIXELS, Theme

_BOX_WIDTH, _BOX_HEIGHT = 120, 52
_GAP = 4
_MARK_PIXELS = 24


class HiddenTensor(QWidget):
    """Looks the same for every value, so that it reveals nothing, not even the shape."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = ""
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_name(self, name: str) -> None:
        """Set the name of the hidden value."""
        # Names can contain line breaks, but there is one line for them.
        self.name = " ".join(name.split())
        self.setAccessibleName(self.tr("{name}: hidden until revealed").format(name=self.name))
        self.update()

    def _line(self) -> int:
        # Qt would measure with the widget's own font, which is not the theme's.
        return self._theme.px(UI_PIXELS * 1.35)

    def sizeHint(self) -> QSize:
        """Size of a line for the name and a box below it."""
        box = self._theme.px(_BOX_HEIGHT)
        return QSize(self._theme.px(_BOX_WIDTH), self._line() + _GAP + box)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the name, and below it a question mark in a dashed box."""
        theme, line = self._theme, self._line()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(UI_PIXELS, bold=True))
        painter.setPen(theme.color("text"))
        name = painter.fontMetrics().elidedText(
            self.name, Qt.TextElideMode.ElideMiddle, self.width()
        )
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(0, 0, self.width(), line), left, name)
        width = min(theme.px(_BOX_WIDTH), self.width() - 2)
        box = QRectF(1, line + _GAP, width, self.height() - line - _GAP - 1)
        paint_hidden(painter, box, theme)
        painter.end()


def paint_hidden(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """Paint a question mark in a dashed box."""
    pen = QPen(theme.color("border_strong"), max(1.0, 1.4 * theme.scale))
    pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(theme.color("raised"))
    painter.drawRoundedRect(box, theme.px(6), theme.px(6))
    painter.setFont(theme.font(_MARK_PIXELS, bold=True))
    painter.setPen(theme.color("accent"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "?")
