"""A message bar that shows one sentence about what ended, and how."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.store.text_limit import cut_visible_text
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce

MessageTone = Literal["info", "warning", "error"]

_LOOKS: dict[MessageTone, tuple[str, PaletteRole, PaletteRole]] = {
    "info": ("info", "accent", "accent_soft"),
    "warning": ("warning", "warning", "warning_fill"),
    "error": ("error", "error", "error_fill"),
}
"""Icon, color of icon and text, and background."""

# An exception's message can be as long as a tensor's text, and the bar grows with it.
MOST_CHARACTERS = 600


class MessageBar(QFrame):
    """Hidden while there is no message.

    Signals:
        closed: The message that the user closed.
        said: Text and tone of a new message.
        page_requested: Name of the guide's page about the message, which the user wants to read.
    """

    said = Signal(str, str)
    closed = Signal(str)
    page_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tone: MessageTone = "info"
        self.setAutoFillBackground(True)
        self._icon = QLabel()
        self._text = PlainLabel(pixels=UI_PIXELS)
        self._page = ""
        self.read = QToolButton()
        self.read.setText(self.tr("Open in Guide"))
        self.read.clicked.connect(lambda: self.page_requested.emit(self._page))
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName(self.tr("Close this message"))
        self.close_button.setToolTip(self.tr("Close this message"))
        self.close_button.clicked.connect(self._on_close_clicked)
        lay_out(
            QHBoxLayout(self),
            (self._icon, 0, Qt.AlignmentFlag.AlignTop),
            (self._text, 1),
            (self.read, 0, Qt.AlignmentFlag.AlignTop),
            (self.close_button, 0, Qt.AlignmentFlag.AlignTop),
            margins=(14, 7, 8, 7),
            gap=10,
        )
        self.hide()
        set_theme_icon(self.close_button, theme, "cancel")
        set_theme_font(self.read, theme)
        self.update_theme()

    @property
    def text(self) -> str:
        """The message; empty while hidden."""
        return "" if self.isHidden() else self._text.text()

    def say(self, text: str, tone: MessageTone, page: str = "") -> None:
        """Replace the message; `page` names the guide's page about it, if there is one."""
        cut = cut_visible_text(text, MOST_CHARACTERS)
        self._text.setText(cut)
        self._tone, self._page = tone, page
        self.read.setVisible(bool(page))
        self.setAccessibleName(cut)
        # Showing it for the first time styles it, which restores its first colors.
        self.show()
        self.update_theme()
        # Screen readers do not read a label just because it appears.
        announce(self, cut)
        self.said.emit(cut, tone)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        name, ink, ground = _LOOKS[self._tone]
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, self._theme.color(ground))
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.color("text"))
        self.setPalette(palette)
        self._icon.setPixmap(
            icon(name, self._theme, ink).pixmap(QSize(self._theme.px(18), self._theme.px(18)))
        )

    def _on_close_clicked(self) -> None:
        text = self.text
        self.hide()
        self.closed.emit(text)
