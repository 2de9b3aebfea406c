"""The folder of this process for the traces of its runs; folders of dead processes are removed."""

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
    """A temporary folder that is locked for as long as this process lives."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._numbers = itertools.count(1)
        self._lock = QLockFile(str(self.path / _LOCK))
        self._lock.tryLock(0)
        # Python may end without anybody having closed what is here.
        self._end = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def room(self) -> Path:
        """A new, empty folder inside."""
        room = self.path / f"window-{next(self._numbers)}"
        room.mkdir()
        return room

    def remove(self) -> None:
        """Removes it with everything inside."""
        self._lock.unlock()
        self._end()


def remove_stale(salvage: Callable[[Path], object] = lambda folder: None) -> int:
    """Removes what killed processes of this user left behind; returns how many folders.

    One without a lock was being made, or left half removed: it goes when it is a day old.

    Args:
        salvage: Gets each folder before it goes.
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
    except OSError:  # somebody else has removed it meanwhile
        return 0.0


def _is_mine(folder: Path) -> bool:
    try:
        # Somebody else could have put a link here, to have us remove what it points to.
        if folder.is_symlink() or not folder.is_dir():
            return False
        return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
    except OSError:
        return False


def _is_abandoned(path: Path) -> bool:
    if not path.is_file():
        return _age_s(path.parent) > _OLD_S
    lock = QLockFile(str(path))
    # The age tells nothing: a window may be open for days.
    lock.setStaleLockTime(0)
    return lock.tryLock(0)
