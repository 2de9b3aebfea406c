"""A sentence below a field: a problem or a note."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gradviz.model.palette import Role
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.announce import announce
from gradviz.viewer.widgets.plain_text import PlainLabel

Tone = Literal["error", "note"]

_LOOKS: dict[Tone, tuple[str, Role, QPalette.ColorRole]] = {
    "error": ("error", "error", QPalette.ColorRole.BrightText),
    "note": ("info", "text_muted", QPalette.ColorRole.PlaceholderText),
}
"""Icon, its color role, and the same color's role in Qt's palette."""


class Sentence(QWidget):
    """A sentence with an icon; hidden while it is empty."""

    def __init__(self, tone: Tone, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone = tone
        self._icon = QLabel()
        self._text = PlainLabel()
        self._text.setForegroundRole(_LOOKS[tone][2])
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 2)
        row.setSpacing(5)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        self.hide()
        self.set_theme(theme)

    def text(self) -> str:
        """The text; empty while hidden."""
        return self._text.text()

    def say(self, text: str) -> None:
        """Show a text, or hide the sentence if it is empty."""
        if text != self._text.text():
            self._text.setText(text)
            self.setAccessibleName(text)
            if self._tone == "error":
                announce(self, text)
        self.setVisible(bool(text))

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        name, role, _ = _LOOKS[self._tone]
        self._text.set_theme(theme)
        side = theme.px(14)
        self._icon.setPixmap(icon(name, theme, role).pixmap(QSize(side, side)))
