"""Which commands were used last, remembered over starts."""

from __future__ import annotations

from PySide6.QtCore import QSettings

_KEY = "commands/recent"
MOST = 8


class RecentCommands:
    """The ids of the last few commands, the last one first.

    Args:
        stored: Whether they are read and written.
    """

    def __init__(self, *, stored: bool = True) -> None:
        self._stored = stored
        value = QSettings().value(_KEY, "") if stored else ""
        self._ids = [each for each in str(value or "").split("\n") if each][:MOST]

    @property
    def ids(self) -> tuple[str, ...]:
        """The last one first."""
        return tuple(self._ids)

    def note(self, command: str) -> None:
        """Puts a command first."""
        others = [each for each in self._ids if each != command]
        self._ids = [command, *others][:MOST]
        if self._stored:
            QSettings().setValue(_KEY, "\n".join(self._ids))
