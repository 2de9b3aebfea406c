"""A label that elides text too long to fit, with the full text as tooltip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy

from gradviz.catalogue.visible_text import visible_text
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS
from gradviz.viewer.theme.theme_update import set_theme_font, theme_of
from gradviz.viewer.widgets.fitted_text import broken_lines
from gradviz.viewer.widgets.plain_text import plain_tooltip


class ElidedLabel(QLabel):
    """A label without minimum width, so that long text never widens the window.

    Args:
        pixels: Font size.
        bold: Whether the font is semi-bold.
        muted: Whether the color is less prominent.
        wraps: Whether text too long for one line is set smaller, in as many lines as are free.
        keeps: Whether it is as wide as its text where there is space, but no wider.
    """

    def __init__(
        self,
        *,
        pixels: int = UI_PIXELS,
        bold: bool = False,
        muted: bool = False,
        wraps: bool = False,
        keeps: bool = False,
    ) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._type = (pixels, bold)
        self._wraps = wraps
        self._text = ""
        self.update_theme()
        width = QSizePolicy.Policy.Maximum if keeps else QSizePolicy.Policy.Ignored
        self.setSizePolicy(width, QSizePolicy.Policy.Fixed)
        if muted:
            self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setText("")

    def update_theme(self) -> None:
        """Use the theme's font size; colors come from the palette."""
        theme = theme_of(self)
        pixels, bold = self._type
        self._small = theme.font(SMALL_PIXELS, bold=bold)
        set_theme_font(self, theme, pixels, bold=bold)
        # Otherwise Qt, which knows no text, would keep the size of the former font.
        self.setIndent(self.indent())

    def event(self, event: QEvent) -> bool:
        """Take the theme of its window, as soon as it is in one."""
        if event.type() == QEvent.Type.Polish:
            self.update_theme()
        return super().event(event)

    def setText(self, text: str) -> None:
        """Replace the text, with line breaks as spaces."""
        line, tip = visible_text(" ".join(text.split())), plain_tooltip(text)
        if tip != self.toolTip():
            self.setToolTip(tip)
        if line == self._text:
            return
        self._text = line
        if self.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Ignored:
            # Qt would lay out the whole window again, although the size does not depend on it.
            self.setAccessibleName(line)
            self.update()
        else:
            super().setText(line)

    def text(self) -> str:
        """Return the text on one line."""
        return self._text

    def minimumSizeHint(self) -> QSize:
        """Return the height of one line and no width."""
        return QSize(0, self.fontMetrics().height() + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, wrapped or elided where it is too long."""
        painter = QPainter(self)
        place = self.contentsRect()
        text = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, place.width()
        )
        if text != self.text() and self._wraps:
            lines = broken_lines(self.text(), self._small, place.width())
            if len(lines) * QFontMetrics(self._small).height() <= place.height():
                painter.setFont(self._small)
                text = "\n".join(line.rstrip() for line in lines)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(place, self.alignment(), text)
