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


class ChangeList(QObject):
    """Changes in the order they were added, at most one for each target.

    Signals:
        changed: The list, or what is enabled in it, has changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[PlannedChange, ...] = ()

    @property
    def entries(self) -> tuple[PlannedChange, ...]:
        """All changes."""
        return self._entries

    @property
    def chosen(self) -> tuple[WhatIfChange, ...]:
        """The enabled changes."""
        return tuple(each.change for each in self._entries if each.on)

    def of(self, target: ChangeTarget) -> WhatIfChange | None:
        """Return the change of a target; None if there is none."""
        return next((each.change for each in self._entries if each.change.target == target), None)

    def put(self, change: WhatIfChange) -> None:
        """Add an enabled change, replacing any change of the same target."""
        kept = [each for each in self._entries if each.change.target != change.target]
        self._set((*kept, PlannedChange(change=change)))

    def renew(self, change: WhatIfChange) -> None:
        """Replace the change of the same target, keeping it enabled or disabled."""
        self._set(
            tuple(
                replace(each, change=change) if each.change.target == change.target else each
                for each in self._entries
            )
        )

    def drop(self, target: ChangeTarget) -> None:
        """Remove the change of a target."""
        self._set(tuple(each for each in self._entries if each.change.target != target))

    def switch(self, target: ChangeTarget, *, on: bool) -> None:
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

    def _set(self, entries: tuple[PlannedChange, ...]) -> None:
        if entries != self._entries:
            self._entries = entries
            self.changed.emit()
