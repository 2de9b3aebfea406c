"""Pages that explain something one idea at a time in Presenter Mode."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from gradviz.viewer.click_sequence import BuildSteps
from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.walkthrough.fitted_sentences import FittedSentences

TEXT_PIXELS, LEAST_PIXELS = 18, 10
"""Preferred and minimum font size of sentences, before the theme's scale factor."""

_EDGE, _FOOT, _SPACING = 12, 4, 6


class IdeaView(QWidget):
    """Shows the evidence of an idea, each part in a fixed place, or only text.

    Attributes:
        evidence: Column of the parts of the evidence.
        text: Column of the text.
        message: The text.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.message = FittedSentences(theme, pixels=TEXT_PIXELS, least=LEAST_PIXELS)
        self._pages = QStackedLayout(self)
        self.evidence, self.text = self._add_page(), self._add_page()
        self.text.addWidget(self.message, 1)
        self.update_theme()

    def _add_page(self) -> QVBoxLayout:
        page = QWidget()
        self._pages.addWidget(page)
        return QVBoxLayout(page)

    @property
    def shows_evidence(self) -> bool:
        """Whether evidence is shown, not only text."""
        return self._pages.currentIndex() == 0

    def show_evidence(self) -> None:
        """Show the evidence."""
        self._pages.setCurrentIndex(0)

    def show_message(self, sentences: tuple[str, ...]) -> None:
        """Show only text."""
        self._pages.setCurrentIndex(1)
        self.message.show_sentences(sentences)

    def update_theme(self) -> None:
        """Fit margins to the theme."""
        edge, foot = self._theme.px(_EDGE), self._theme.px(_FOOT)
        for column in (self.evidence, self.text):
            column.setContentsMargins(edge, 0, edge, foot)
            column.setSpacing(self._theme.px(_SPACING))


class IdeaPage(QWidget, BuildSteps):
    """Has the clicker, the headline and the dots while it is visible.

    Subclasses override `count`, `is_hidden` and `show_current`.

    Args:
        state: The viewer state.
        view: The content.
        parent: The Qt parent.
    """

    def __init__(self, state: ViewerState, view: IdeaView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(view)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        state.clicks.add(self)
        state.presentation.idea_requested.connect(self._on_presentation_idea_requested)
        state.revealed_changed.connect(self.refresh)

    @property
    def is_hidden(self) -> bool:
        """Whether Quiz Mode hides the ideas."""
        raise NotImplementedError

    @property
    def takes_clicks(self) -> bool:
        """Whether the ideas can be seen."""
        return self.isVisible() and not self.is_hidden

    def go_to(self, at: int) -> None:
        """Show the idea at a position, from 0."""
        self.at = at
        self.refresh()

    def refresh(self) -> None:
        """Show the current idea again, if this page is visible."""
        if self.isVisible():
            self._state.presentation.show_idea(self, self.show_current())
            self._state.clicks.announce()

    def show_current(self) -> PresentedIdea:
        """Show the current idea in the view, and return what the header says about it."""
        raise NotImplementedError

    @Slot(int)
    def _on_presentation_idea_requested(self, at: int) -> None:
        if self.takes_clicks and 0 <= at < self.count:
            self.go_to(at)

    def showEvent(self, event: QShowEvent) -> None:
        """Take over the headline and the clicker."""
        super().showEvent(event)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the headline and the clicker back."""
        super().hideEvent(event)
        self._state.presentation.clear_idea(self)
        self._state.clicks.announce()
