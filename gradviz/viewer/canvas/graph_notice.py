"""The page shown instead of a graph: a hint, progress, or an error."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradviz.viewer.theme.theme import TITLE_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text


class GraphNotice(QWidget):
    """A title, a sentence, and an optional button.

    Signals:
        pressed: The button was pressed.
    """

    pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = PlainLabel(pixels=TITLE_PIXELS, bold=True)
        self._text = PlainLabel(pixels=UI_PIXELS, muted=True)
        for label in (self._title, self._text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.button = QPushButton()
        self.button.clicked.connect(self.pressed)
        row = lay_out(QHBoxLayout(), 0, self.button, 0)
        lay_out(QVBoxLayout(self), 0, self._title, self._text, row, 0, margins=48, gap=12)
        set_theme_font(self.button, theme)

    @property
    def text(self) -> str:
        """Title and sentence."""
        return f"{self._title.text()}: {self._text.text()}"

    def say(self, title: str, text: str, button: str = "", *, primary: bool = False) -> None:
        """Show another title and sentence.

        Args:
            title: The title.
            text: The sentence.
            button: Label of the button; it is hidden without one.
            primary: Whether the button is large, as it does what the user came for.
        """
        self.button.setProperty("primary", primary)
        self.button.setMinimumSize(*((160, 44) if primary else (0, 0)))
        self.button.style().unpolish(self.button)
        self.button.style().polish(self.button)
        self._title.setText(title)
        self._text.setText(text)
        show_text(self.button, button)
