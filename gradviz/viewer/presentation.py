"""Whether the window is in Presenter Mode, and what its page shows one click at a time there."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QScreen

from gradviz.drawing.appearance.palette import PaletteRole


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentedIdea:
    """What a page is about at the moment, in place of the step of the run.

    Attributes:
        title: A few words above the sentence.
        sentence: The idea in one sentence.
        at: Position of the idea, from 0.
        count: Number of ideas; with one, there is nothing to step through.
        role: Color of the title.
    """

    title: str
    sentence: str
    at: int = 0
    count: int = 1
    role: PaletteRole = "accent"


class Presentation(QObject):
    """Shared by the presenter and the pages that have a sequence of ideas.

    Signals:
        ready_changed: The pictures of the current place are there, or are wanted.
        presenting_changed: Whether the window is in Presenter Mode.
        idea_changed: The `PresentedIdea`; None if the page in front is about the step of the run.
        idea_requested: Position of the idea that the user asks for.
        values_covered_changed: Whether something else is shown in place of the step's values.

    Attributes:
        is_ready: Whether the pictures of the current place are there.
        screen: The screen that shows the stage; None if it is unknown, as on Wayland if the stage
            does not fill a screen.
    """

    presenting_changed = Signal(bool)
    ready_changed = Signal()
    values_covered_changed = Signal(bool)
    idea_changed = Signal(object)
    idea_requested = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.screen: QScreen | None = None
        self.is_ready = True
        self._presenting = False
        self._values_covered = False
        self._page: QObject | None = None
        self._idea: PresentedIdea | None = None

    @property
    def presenting(self) -> bool:
        """Whether the window is in Presenter Mode."""
        return self._presenting

    @property
    def idea(self) -> PresentedIdea | None:
        """What the page in front is about; None if it is about the step of the run."""
        return self._idea

    def set_presenting(self, presenting: bool) -> None:
        """Announce that Presenter Mode begins or ends."""
        if presenting != self._presenting:
            self._presenting = presenting
            self.presenting_changed.emit(presenting)

    def set_ready(self, ready: bool) -> None:
        """Announce that the stage waits for pictures, or has them."""
        if ready != self.is_ready:
            self.is_ready = ready
            self.ready_changed.emit()

    @property
    def values_covered(self) -> bool:
        """Whether something else is shown in place of the step's values."""
        return self._values_covered

    def set_values_covered(self, covered: bool) -> None:
        """Announce that something else takes the place of the step's values, or gives it back."""
        if covered != self._values_covered:
            self._values_covered = covered
            self.values_covered_changed.emit(covered)

    def show_idea(self, page: QObject, idea: PresentedIdea) -> None:
        """Show the idea of the page that is in front."""
        self._page = page
        self._show(idea)

    def clear_idea(self, page: QObject) -> None:
        """Show the step of the run again, unless another page has shown its idea since."""
        if self._page is page:
            self._page = None
            self._show(None)

    def _show(self, idea: PresentedIdea | None) -> None:
        if idea != self._idea:
            self._idea = idea
            self.idea_changed.emit(idea)
