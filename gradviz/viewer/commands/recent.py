"""The most recently used commands, kept across sessions."""

from __future__ import annotations

from PySide6.QtCore import QSettings

_KEY = "commands/recent"
MOST = 8


class RecentCommands:
    """The ids of the most recently used commands.

    Args:
        stored: Whether to load and save them.
    """

    def __init__(self, *, stored: bool = True) -> None:
        self._stored = stored
        value = QSettings().value(_KEY, "") if stored else ""
        self._ids = [each for each in str(value or "").split("\n") if each][:MOST]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, most recent first."""
        return tuple(self._ids)

    def note(self, command: str) -> None:
        """Move a command to the front and save the list."""
        others = [each for each in self._ids if each != command]
        self._ids = [command, *others][:MOST]
        if self._stored:
            QSettings().setValue(_KEY, "\n".join(self._ids))
