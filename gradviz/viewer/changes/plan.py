"""Changes of one window for the next run, each enabled or disabled."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from gradviz.model.changes import Change, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change.

    Attributes:
        change: The change itself.
        on: Whether it applies to the next run.
    """

    change: Change
    on: bool = True


class Plan(QObject):
    """Changes in the order they were added, at most one for each target.

    Signals:
        changed: The list, or what is enabled in it, has changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All changes."""
        return self._entries

    @property
    def chosen(self) -> tuple[Change, ...]:
        """The enabled changes."""
        return tuple(each.change for each in self._entries if each.on)

    def of(self, target: Target) -> Change | None:
        """Return the change of a target; None if there is none."""
        return next((each.change for each in self._entries if each.change.target == target), None)

    def put(self, change: Change) -> None:
        """Add an enabled change, replacing any change of the same target."""
        kept = [each for each in self._entries if each.change.target != change.target]
        self._set((*kept, Entry(change=change)))

    def renew(self, change: Change) -> None:
        """Replace the change of the same target, keeping it enabled or disabled."""
        self._set(
            tuple(
                replace(each, change=change) if each.change.target == change.target else each
                for each in self._entries
            )
        )

    def drop(self, target: Target) -> None:
        """Remove the change of a target."""
        self._set(tuple(each for each in self._entries if each.change.target != target))

    def switch(self, target: Target, *, on: bool) -> None:
        """Enable or disable the change of a target."""
        self._set(
            tuple(
                replace(each, on=on) if each.change.target == target else each
                for each in self._entries
            )
        )

    def switch_all_off(self) -> None:
        """Disable all changes, but keep them in the list."""
        self._set(tuple(replace(each, on=False) for each in self._entries))

    def clear(self) -> None:
        """Remove all changes."""
        self._set(())

    def _set(self, entries: tuple[Entry, ...]) -> None:
        if entries != self._entries:
            self._entries = entries
            self.changed.emit()
