"""What the clicker shows within a step, before it goes on to the next step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class BuildSteps:
    """Something that is shown one click at a time, such as the ideas of a Jacobian check.

    Subclasses override `count` and `go_to`.

    Attributes:
        at: Position of what is shown, from 0.
    """

    at = 0

    @property
    def count(self) -> int:
        """Number of positions."""
        raise NotImplementedError

    @property
    def takes_clicks(self) -> bool:
        """Whether a click may change the position."""
        return True

    def go_to(self, at: int) -> None:
        """Show what belongs to a position."""
        raise NotImplementedError

    @property
    def has_next(self) -> bool:
        """Whether another click shows more of it."""
        return self.takes_clicks and self.at + 1 < self.count

    @property
    def has_previous(self) -> bool:
        """Whether a click backward takes something away."""
        return self.takes_clicks and self.at > 0

    def show_next(self) -> None:
        """Show one more; called only if there is one."""
        self.go_to(self.at + 1)

    def show_previous(self) -> None:
        """Take the last one away; called only if there is one."""
        self.go_to(self.at - 1)


class ClickSequence(QObject):
    """All build steps of a window; those added first are shown first.

    Attributes:
        parts: The build steps in their order.

    Signals:
        changed: Whether there is a next or a previous build step may have changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.parts: list[BuildSteps] = []

    def add(self, part: BuildSteps) -> None:
        """Add build steps; they call `announce` when they change."""
        self.parts.append(part)
        self.announce()

    def add_first(self, part: BuildSteps) -> None:
        """Add build steps in front of all others."""
        self.parts.insert(0, part)
        self.announce()

    def remove(self, part: BuildSteps) -> None:
        """Leave build steps out from now on."""
        self.parts.remove(part)
        self.announce()

    def announce(self) -> None:
        """Emit `changed`."""
        self.changed.emit()

    @property
    def has_next(self) -> bool:
        """Whether a click shows a build step instead of going to the next step."""
        return any(part.has_next for part in self.parts)

    @property
    def has_previous(self) -> bool:
        """Whether a click takes a build step away instead of going to the previous step."""
        return any(part.has_previous for part in self.parts)

    def rewind(self) -> None:
        """Take all build steps away."""
        while self.back():
            pass

    def finish(self) -> None:
        """Show all build steps."""
        while self.forward():
            pass

    def forward(self) -> bool:
        """Show the next build step, and return whether there was one."""
        part = next((part for part in self.parts if part.has_next), None)
        if part is not None:
            part.show_next()
            self.announce()
        return part is not None

    def back(self) -> bool:
        """Take the last build step away, and return whether there was one."""
        part = next((part for part in reversed(self.parts) if part.has_previous), None)
        if part is not None:
            part.show_previous()
            self.announce()
        return part is not None
