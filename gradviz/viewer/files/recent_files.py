"""Which files were opened last: remembered over starts, the same in all windows."""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal

MOST_RECENT = 9
"""As many as there are keys for them."""

_KEY = "files/recent"
_LOG = logging.getLogger(__name__)


class RecentFiles(QObject):
    """The newest first.

    Signals:
        changed: Another file is the newest, or files are gone.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None, *, stored: bool = True) -> None:
        """Reads what is stored.

        Args:
            parent: Who owns it.
            stored: False for a program that shall leave no trace of what it opened.
        """
        super().__init__(parent)
        self._stored = stored
        self._own: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """Absolute paths; a file may be gone meanwhile."""
        return tuple(Path(each) for each in self._names())

    def add(self, path: Path) -> None:
        """Makes a file the newest."""
        name = str(path.absolute())
        self._write((name, *(each for each in self._names() if each != name)))

    def remove(self, path: Path) -> None:
        """Forgets a file."""
        self._write(tuple(each for each in self._names() if each != str(path.absolute())))

    def clear(self) -> None:
        """Forgets all files."""
        self._write(())

    def _names(self) -> tuple[str, ...]:
        if not self._stored:
            return self._own
        # A list of one comes back as its only text.
        found = QSettings().value(_KEY, [])
        names = [found] if isinstance(found, str) else found
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            _LOG.warning("The setting %s is no list of files.", _KEY)
            return ()
        return tuple(each for each in names if each)[:MOST_RECENT]

    def _write(self, names: tuple[str, ...]) -> None:
        names = names[:MOST_RECENT]
        if names == self._names():
            return
        self._own = names
        if self._stored:
            QSettings().setValue(_KEY, list(names))
        self.changed.emit()
