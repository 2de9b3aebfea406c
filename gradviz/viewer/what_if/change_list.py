"""Changes of one window for the next run, each enabled or disabled."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from gradviz.model.what_if import ChangeTarget, WhatIfChange


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """One change.

    Attributes:
        change: The change itself.
        on: Whether it applies to the next run.
    """

    change: WhatIfChange
    on: bool = True


_Entries = dict[ChangeTarget, PlannedChange]


class ChangeList(QObject):
    """Changes in the order they were added, at most one for each target.

    Signals:
        changed: The list, or what is enabled in it, has changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: _Entries = {}

    @property
    def entries(self) -> tuple[PlannedChange, ...]:
        """All changes."""
        return tuple(self._entries.values())

    @property
    def chosen(self) -> tuple[WhatIfChange, ...]:
        """The enabled changes."""
        return tuple(each.change for each in self.entries if each.on)

    def of(self, target: ChangeTarget) -> WhatIfChange | None:
        """Return the change of a target; None if there is none."""
        return self._entries[target].change if target in self._entries else None

    def put(self, change: WhatIfChange) -> None:
        """Add an enabled change, replacing any change of the same target."""
        self._set(self._without(change.target) | {change.target: PlannedChange(change=change)})

    def renew(self, change: WhatIfChange) -> None:
        """Replace the change of the same target, keeping it enabled or disabled."""
        entry = replace(self._entries[change.target], change=change)
        self._set(self._entries | {change.target: entry})

    def drop(self, target: ChangeTarget) -> None:
        """Remove the change of a target."""
        self._set(self._without(target))

    def switch(self, target: ChangeTarget, *, on: bool) -> None:
        """Enable or disable the change of a target."""
        self._set(self._entries | {target: replace(self._entries[target], on=on)})

    def switch_all_off(self) -> None:
        """Disable all changes, but keep them in the list."""
        self._set({key: replace(each, on=False) for key, each in self._entries.items()})

    def clear(self) -> None:
        """Remove all changes."""
        self._set({})

    def _without(self, target: ChangeTarget) -> _Entries:
        return {key: each for key, each in self._entries.items() if key != target}

    def _set(self, entries: _Entries) -> None:
        if entries != self._entries:
            self._entries = entries
            self.changed.emit()
