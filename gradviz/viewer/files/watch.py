"""Detects that a file was saved, whichever way the editor writes it."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

SETTLE_MS = 150
"""Editors write in several steps; a file counts as saved after this long without a change."""

Stamp = tuple[int, int, int]


class FileWatch(QObject):
    """Watches one file.

    Signals:
        saved: Path of the file; emitted when its content may have changed.
    """

    saved = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path: Path | None = None
        self._stamp: Stamp | None = None
        self._watcher = QFileSystemWatcher(self)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._watcher.fileChanged.connect(self._on_watcher_changed)
        self._watcher.directoryChanged.connect(self._on_watcher_changed)
        self._settle.timeout.connect(self._on_settle_timeout)

    @property
    def path(self) -> Path | None:
        """The watched file, or None."""
        return self._path

    def watch(self, path: Path | None) -> None:
        """Watch another file, or none."""
        if path == self._path:
            return
        self._settle.stop()
        old = [*self._watcher.files(), *self._watcher.directories()]
        if old:
            self._watcher.removePaths(old)
        self._path = path
        self._stamp = _stamp(path)
        self._look_on()

    def _look_on(self) -> None:
        """Watch the file and its folder; a replaced file is reported only by the folder."""
        if self._path is None:
            return
        for each in (self._path, self._path.parent):
            known = (*self._watcher.files(), *self._watcher.directories())
            if str(each) not in known and each.exists():
                self._watcher.addPath(str(each))

    @Slot(str)
    def _on_watcher_changed(self, path: str) -> None:
        self._settle.start()

    @Slot()
    def _on_settle_timeout(self) -> None:
        self._look_on()
        stamp = _stamp(self._path)
        # While the file is being replaced it does not exist; the folder will report the new one.
        if stamp is not None and stamp != self._stamp:
            self._stamp = stamp
            self.saved.emit(self._path)


def _stamp(path: Path | None) -> Stamp | None:
    try:
        found = os.stat(path) if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_size, found.st_ino)
