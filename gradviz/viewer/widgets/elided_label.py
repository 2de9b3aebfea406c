"""A one-line label that elides text too long to fit, with the full text as tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gradviz.viewer.theme.theme import LIGHT, UI_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip


class ElidedLabel(QLabel):
    """A label without minimum width, so that long text never widens the window."""

    def __init__(
        self,
        text: str = "",
        *,
        pixels: int = UI_PIXELS,
        bold: bool = False,
        muted: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._type = (pixels, bold)
        self.set_theme(LIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        if muted:
            self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setText(text)

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's font size; colors come from the palette."""
        pixels, bold = self._type
        self.setFont(theme.font(pixels, bold=bold))

    def setText(self, text: str) -> None:
        """Replace the text, with line breaks as spaces."""
        super().setText(" ".join(text.split()))
        self.setToolTip(plain_tooltip(text))

    def minimumSizeHint(self) -> QSize:
        """Return the height of one line and no width."""
        return QSize(0, self.fontMetrics().height() + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the elided text."""
        painter = QPainter(self)
        width = self.contentsRect().width()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), self.alignment(), text)
