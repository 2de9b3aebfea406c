"""Recent files, kept between sessions and shared by all windows."""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gradviz.catalogue.visible_text import visible_text
from gradviz.viewer.widgets.plain_text import plain_tooltip


class RecentMenu(QMenu):
    """Shows the recent files; its shortcuts also work while it is closed.

    Signals:
        picked: Path of the file to open.
    """

    picked = Signal(object)

    def __init__(self, recent: RecentFiles, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Open &Recent"))
        self._recent = recent
        self._entries = [self._entry(number) for number in range(1, MOST_RECENT + 1)]
        self.addSeparator()
        self.clear_list = self.addAction(self.tr("&Clear List"))
        self.clear_list.triggered.connect(recent.clear)
        recent.changed.connect(self._on_recent_changed)
        self._on_recent_changed()

    def _entry(self, number: int) -> QAction:
        entry = self.addAction("")
        entry.setShortcut(QKeySequence(f"Ctrl+{number}"))
        entry.triggered.connect(self._on_entry_triggered)
        return entry

    def _on_recent_changed(self) -> None:
        paths = self._recent.paths
        for number, entry in enumerate(self._entries, 1):
            is_used = number <= len(paths)
            entry.setVisible(is_used)
            entry.setEnabled(is_used)
            if is_used:
                path = paths[number - 1]
                entry.setText(f"&{number}  {visible_text(path.name).replace('&', '&&')}")
                entry.setToolTip(plain_tooltip(str(path)))
                entry.setData(path)
        self.menuAction().setEnabled(bool(paths))

    def _on_entry_triggered(self) -> None:
        entry: QObject | None = self.sender()
        if isinstance(entry, QAction):
            self.picked.emit(Path(entry.data()))


MOST_RECENT = 9
"""As many as have a shortcut, Ctrl+1 to Ctrl+9."""

_KEY = "files/recent"
_LOG = logging.getLogger(__name__)


class RecentFiles(QObject):
    """The recently opened files, the newest first.

    Signals:
        changed: The list has changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None, *, stored: bool = True) -> None:
        """Use the stored list, or one that lives in memory only.

        Args:
            parent: The owning object.
            stored: Whether to read and write `QSettings`.
        """
        super().__init__(parent)
        self._stored = stored
        self._own: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """Absolute paths; a file may no longer exist."""
        return tuple(Path(each) for each in self._names())

    def add(self, path: Path) -> None:
        """Move a file to the top of the list, adding it if needed."""
        name = str(path.absolute())
        self._write((name, *(each for each in self._names() if each != name)))

    def remove(self, path: Path) -> None:
        """Remove a file from the list."""
        self._write(tuple(each for each in self._names() if each != str(path.absolute())))

    def clear(self) -> None:
        """Remove all files from the list."""
        self._write(())

    def _names(self) -> tuple[str, ...]:
        if not self._stored:
            return self._own
        # QSettings returns a list with one element as a string.
        found = QSettings().value(_KEY, [])
        names = [found] if isinstance(found, str) else found
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            _LOG.warning("The setting %s is not a list of files.", _KEY)
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
