"""A page that shows one idea at a time in Presenter Mode."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.state import ViewerState


class IdeaPage(QWidget):
    """Has the clicker, the headline and the dots while it is visible.

    Subclasses override `count`, `is_hidden` and `show_current`.

    Args:
        state: The viewer state.
        view: The content.
        parent: The Qt parent.
    """

    def __init__(self, state: ViewerState, view: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._at = 0
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(view)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        state.clicks.add(self)
        state.presentation.idea_requested.connect(self._on_presentation_idea_requested)
        state.revealed_changed.connect(self.refresh)

    @property
    def at(self) -> int:
        """Position of the current idea, from 0."""
        return self._at

    @property
    def count(self) -> int:
        """Number of ideas."""
        raise NotImplementedError

    @property
    def is_hidden(self) -> bool:
        """Whether Quiz Mode hides the ideas."""
        raise NotImplementedError

    @property
    def has_next(self) -> bool:
        """Whether another click shows the next idea."""
        return self.isVisible() and not self.is_hidden and self._at + 1 < self.count

    @property
    def has_previous(self) -> bool:
        """Whether a click backward shows the previous idea."""
        return self.isVisible() and not self.is_hidden and self._at > 0

    def show_next(self) -> None:
        """Show the next idea."""
        self.go_to(self._at + 1)

    def show_previous(self) -> None:
        """Show the previous idea."""
        self.go_to(self._at - 1)

    def go_to(self, at: int) -> None:
        """Show the idea at a position, from 0."""
        self._at = at
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
        if self.isVisible() and not self.is_hidden and 0 <= at < self.count:
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
