"""The line above the form: that its inputs are not those that it has by itself."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.plain_text import PlainLabel


class FormNotice(QFrame):
    """Hidden while there is nothing to say.

    Signals:
        reset_pressed: All inputs are to be the first ones again.
    """

    reset_pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self._text = PlainLabel()
        self.reset = QPushButton(self.tr("Reset All"))
        self.reset.setAccessibleName(self.tr("Reset all inputs"))
        self.reset.setToolTip(self.tr("Back to the inputs that it has by itself"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(8)
        row.addWidget(self._text, 1)
        row.addWidget(self.reset, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()
        self.set_theme(theme)
        self.reset.clicked.connect(self.reset_pressed)

    def text(self) -> str:
        """What is said; empty while hidden."""
        return "" if self.isHidden() else self._text.text()

    def say(self, text: str) -> None:
        """Says something else, or nothing."""
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._text.set_theme(theme)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.colour("accent_soft"))
        self.setPalette(palette)
