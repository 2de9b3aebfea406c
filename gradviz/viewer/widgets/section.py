"""A titled section of a panel that can be collapsed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel


class SectionBox(QWidget):
    """A header that collapses and expands its contents.

    Signals:
        folded_changed: ``(key, folded)``.

    Args:
        key: Identifies the section for its owner.
        title: Text of the header.
        hint: A few words after the title.
        theme: Colors and fonts.
        parent: The parent widget.
    """

    folded_changed = Signal(object)

    def __init__(
        self, key: str, title: str, hint: str, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._key = key
        self._theme = theme
        self._folded = False
        self._header = QToolButton()
        self._header.setText(title.replace("&", "&&"))
        self._header.setAutoRaise(True)
        self._header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._header.setAccessibleName(title)
        self._body = QWidget()
        self._rows = lay_out(QVBoxLayout(self._body), margins=(4, 2, 4, 6), gap=10)
        self._hint = PlainLabel(hint, muted=True)
        line = lay_out(QHBoxLayout(), self._header, (self._hint, 1), gap=4)
        lay_out(QVBoxLayout(self), line, self._body, gap=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        set_theme_font(self._header, theme, UI_PIXELS, bold=True)
        self._show_arrow()
        self._header.clicked.connect(self._on_header_clicked)

    @property
    def key(self) -> str:
        """The key that identifies the section for its owner."""
        return self._key

    @property
    def folded(self) -> bool:
        """Whether the contents are collapsed."""
        return self._folded

    @property
    def body(self) -> QVBoxLayout:
        """The layout for the rows."""
        return self._rows

    @property
    def header(self) -> QToolButton:
        """The button that collapses the section."""
        return self._header

    def fold(self, folded: bool) -> None:
        """Collapse or expand the section."""
        if folded != self._folded:
            self._folded = folded
            self._body.setVisible(not folded)
            self._show_arrow()
            self.folded_changed.emit((self._key, folded))

    def _show_arrow(self) -> None:
        name = "expand" if self._folded else "collapse"
        set_theme_icon(self._header, self._theme, name, "text_muted", side=14)
        state = self.tr("collapsed") if self._folded else self.tr("expanded")
        self._header.setAccessibleDescription(state)

    def _on_header_clicked(self) -> None:
        self.fold(not self._folded)
