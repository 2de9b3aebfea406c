"""The line above the form that says that the inputs are not the original ones."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.plain_text import PlainLabel


class FormNotice(QFrame):
    """A notice with a Reset All button; hidden while it has no text.

    Signals:
        reset_pressed: Reset All was clicked.
    """

    reset_pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self._text = PlainLabel()
        self.reset = QPushButton(self.tr("Reset All"))
        self.reset.setAccessibleName(self.tr("Reset all inputs"))
        self.reset.setToolTip(self.tr("Restore the original inputs"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(8)
        row.addWidget(self._text, 1)
        row.addWidget(self.reset, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()
        self.set_theme(theme)
        self.reset.clicked.connect(self.reset_pressed)

    def text(self) -> str:
        """The text of the notice; empty while hidden."""
        return "" if self.isHidden() else self._text.text()

    def say(self, text: str) -> None:
        """Show a text, or hide the notice if it is empty."""
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._text.set_theme(theme)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.colour("accent_soft"))
        self.setPalette(palette)
