"""The page of a comparison in Presenter Mode: both runs above, a value of both below; or a list."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from gradviz.viewer.compare.walkthrough.large_values import LargeValues
from gradviz.viewer.compare.walkthrough.side_column import SideColumn
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.walkthrough.fitted_sentences import FittedSentences

_TEXT_PIXELS, _LEAST_PIXELS = 16, 10
_ABOVE, _BELOW = 56, 44
"""Shares of the height for the two runs and for the value."""

_EDGE, _BETWEEN = 12, 16


class CompareWalkthroughView(QWidget):
    """Each part has a fixed place, so that only what changes moves."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sides = (SideColumn(theme), SideColumn(theme))
        self.values = LargeValues(theme)
        self.message = FittedSentences(theme, pixels=_TEXT_PIXELS, least=_LEAST_PIXELS)
        self._above = QHBoxLayout()
        for side in self.sides:
            self._above.addWidget(side, 1)
        both = QWidget()
        self._columns = (QVBoxLayout(both), QVBoxLayout())
        self._columns[0].addLayout(self._above, _ABOVE)
        self._columns[0].addWidget(self.values, _BELOW)
        alone = QWidget()
        alone.setLayout(self._columns[1])
        self._columns[1].addWidget(self.message)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(both)
        self._pages.addWidget(alone)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._theme = theme
        self.update_theme()

    @property
    def shows_runs(self) -> bool:
        """Whether both runs are shown, not only text."""
        return self._pages.currentIndex() == 0

    def show_runs(self) -> None:
        """Show both runs and the value."""
        self._pages.setCurrentIndex(0)

    def show_message(self, sentences: tuple[str, ...]) -> None:
        """Show only text."""
        self._pages.setCurrentIndex(1)
        self.message.show_sentences(sentences)

    def update_theme(self) -> None:
        """Repaint in another theme."""
        edge, between = self._theme.px(_EDGE), self._theme.px(_BETWEEN)
        self._above.setSpacing(between)
        for column in self._columns:
            column.setContentsMargins(edge, self._theme.px(4), edge, self._theme.px(4))
            column.setSpacing(self._theme.px(8))
