"""What the clicker shows within a step, before it goes on to the next step."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Signal


class BuildSteps(Protocol):
    """Something that is shown one click at a time, such as the ideas of a Jacobian check.

    Attributes:
        at: Position of what is shown, from 0.
    """

    at: int

    @property
    def count(self) -> int:
        """Number of positions."""

    def go_to(self, at: int) -> None:
        """Show what belongs to a position."""


class ClickSequence(QObject):
    """The clicks within a step: those of the build steps that the audience sees, if any.

    Signals:
        changed: Whether there is a next or a previous build step may have changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: BuildSteps | None = None

    def show_steps(self, shown: BuildSteps | None) -> None:
        """Take clicks for build steps, which call `announce` when they change; None ends it."""
        self._shown = shown
        self.announce()

    def announce(self) -> None:
        """Emit `changed`."""
        self.changed.emit()

    @property
    def has_next(self) -> bool:
        """Whether a click shows a build step instead of going to the next step."""
        return self._shown is not None and self._shown.at + 1 < self._shown.count

    @property
    def has_previous(self) -> bool:
        """Whether a click takes a build step away instead of going to the previous step."""
        return self._shown is not None and self._shown.at > 0

    def rewind(self) -> None:
        """Take all build steps away."""
        if self._shown is not None and self.has_previous:
            self._shown.go_to(0)
            self.announce()

    def forward(self) -> bool:
        """Show the next build step, and return whether there was one."""
        return self.has_next and self._move(1)

    def back(self) -> bool:
        """Take the last build step away, and return whether there was one."""
        return self.has_previous and self._move(-1)

    def _move(self, by: int) -> bool:
        assert self._shown is not None
        self._shown.go_to(self._shown.at + by)
        self.announce()
        return True
