"""The temporary folder for this process's traces, and the removal of abandoned ones."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QLockFile

_PREFIX = "gradviz-window-"
_LOCK = "lock"
_OLD_S = 86_400.0


class OwnFolder:
    """A temporary folder that stays locked while this process runs."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._numbers = itertools.count(1)
        self._lock = QLockFile(str(self.path / _LOCK))
        self._lock.tryLock(0)
        # Remove the folder even if Python exits without closing it.
        self._end = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def room(self) -> Path:
        """Return a new, empty folder for one window."""
        room = self.path / f"window-{next(self._numbers)}"
        room.mkdir()
        return room

    def remove(self) -> None:
        """Remove the folder with its contents."""
        self._lock.unlock()
        self._end()


def remove_stale(salvage: Callable[[Path], object] = lambda folder: None) -> int:
    """Remove folders left by this user's killed processes; return their number.

    A folder without a lock is being created or was partly removed; it is removed after a day.

    Args:
        salvage: Called with each folder before it is removed.
    """
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if _is_mine(folder) and _is_abandoned(folder / _LOCK):
            salvage(folder)
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed


def _age_s(folder: Path) -> float:
    try:
        return time.time() - folder.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0


def _is_mine(folder: Path) -> bool:
    try:
        # A link created by another user could make us remove the folder it points to.
        if folder.is_symlink() or not folder.is_dir():
            return False
        return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
    except OSError:
        return False


def _is_abandoned(path: Path) -> bool:
    if not path.is_file():
        return _age_s(path.parent) > _OLD_S
    lock = QLockFile(str(path))
    # Ignore the lock's age, as a window may be open for days.
    lock.setStaleLockTime(0)
    return lock.tryLock(0)
