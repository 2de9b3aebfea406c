"""The list of changes of one window: what they are, and which of them are switched on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from gradviz.model.changes import Change, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change.

    Attributes:
        change: What it is.
        on: Whether the next run is made with it.
    """

    change: Change
    on: bool = True


class Plan(QObject):
    """Changes in the order in which they were made; of each thing there is one at most.

    Signals:
        changed: The list, or what is switched on, is another one.
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
        """Those that are switched on."""
        return tuple(each.change for each in self._entries if each.on)

    def of(self, target: Target) -> Change | None:
        """The change of a thing; None where there is none."""
        return next((each.change for each in self._entries if each.change.target == target), None)

    def put(self, change: Change) -> None:
        """Adds a change, switched on; it takes the place of another one of the same thing."""
        kept = [each for each in self._entries if each.change.target != change.target]
        self._set((*kept, Entry(change=change)))

    def renew(self, change: Change) -> None:
        """Puts a change into the place of the one of the same thing, on or off as that was."""
        self._set(
            tuple(
                replace(each, change=change) if each.change.target == change.target else each
                for each in self._entries
            )
        )

    def drop(self, target: Target) -> None:
        """Removes the change of a thing."""
        self._set(tuple(each for each in self._entries if each.change.target != target))

    def switch(self, target: Target, *, on: bool) -> None:
        """Switches the change of a thing on or off."""
        self._set(
            tuple(
                replace(each, on=on) if each.change.target == target else each
                for each in self._entries
            )
        )

    def switch_all_off(self) -> None:
        """Keeps the list, but makes the next run without any of it."""
        self._set(tuple(replace(each, on=False) for each in self._entries))

    def clear(self) -> None:
        """Forgets everything."""
        self._set(())

    def _set(self, entries: tuple[Entry, ...]) -> None:
        if entries != self._entries:
            self._entries = entries
            self.changed.emit()
