"""A titled section of a panel that can be collapsed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.layouts import lay_out


class SectionBox(QWidget):
    """A header that collapses and expands its contents.

    Attributes:
        body: The layout for the rows.
    """

    def __init__(self, title: str, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._folded = False
        self._header = QToolButton()
        self._header.setText(title.replace("&", "&&"))
        self._header.setAutoRaise(True)
        self._header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._header.setAccessibleName(title)
        self._body = QWidget()
        self.body = lay_out(QVBoxLayout(self._body), margins=(4, 2, 4, 6), gap=10)
        lay_out(QVBoxLayout(self), (self._header, 0, Qt.AlignmentFlag.AlignLeft), self._body, gap=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        set_theme_font(self._header, theme, UI_PIXELS, bold=True)
        self._show_arrow()
        self._header.clicked.connect(lambda: self.fold(not self._folded))

    def fold(self, folded: bool) -> None:
        """Collapse or expand the section."""
        if folded != self._folded:
            self._folded = folded
            self._body.setVisible(not folded)
            self._show_arrow()

    def _show_arrow(self) -> None:
        name = "expand" if self._folded else "collapse"
        set_theme_icon(self._header, self._theme, name, "text_muted", side=14)
        state = self.tr("collapsed") if self._folded else self.tr("expanded")
        self._header.setAccessibleDescription(state)
