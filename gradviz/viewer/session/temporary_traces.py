"""The temporary folder for this process's traces, and the removal of abandoned ones."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QLockFile


class TemporaryTraces:
    """A folder of traces; each is deleted as soon as it is no longer needed."""

    def __init__(self, folder: Path, needed: Callable[[], Iterable[Path]]) -> None:
        """Use a folder, and a function that returns the files the window still needs."""
        self._folder = folder
        self._needed = needed
        self._count = 0
        self._held: Counter[Path] = Counter()
        # By name, because many objects would slow down the garbage collector.
        self._dropped: set[str] = set()

    def new_path(self) -> Path:
        """Return the path for the next run's trace."""
        self._sweep()
        self._count += 1
        return self._folder / f"run-{self._count}.gradviz"

    def owns(self, path: Path) -> bool:
        """Return whether a trace is in the folder, so that a child may still be writing to it."""
        return path.parent == self._folder

    def hold(self, path: Path) -> None:
        """Keep a trace from being deleted until `release` is called as often."""
        self._held[path] += 1

    def release(self, path: Path) -> None:
        """Stop holding a trace; delete it unless it is still needed."""
        if self._held[path] > 1:
            self._held[path] -= 1
        else:
            self._held.pop(path, None)
        self.drop(path)

    def drop(self, path: Path) -> None:
        """Delete a trace in this folder and its logs, unless it is held or still needed."""
        if self.owns(path) and path not in self._held and path not in set(self._needed()):
            self._dropped.add(path.name)
            self._sweep()

    def _sweep(self) -> None:
        """Delete all files of dropped traces.

        A child that is being killed, or a reader that is being opened, can still create some.
        """
        with suppress(FileNotFoundError):
            for each in self._folder.iterdir():
                stem, suffix, _ = each.name.partition(".gradviz")
                if stem + suffix in self._dropped:
                    # Windows removes no file that is open; the next sweep does.
                    with suppress(PermissionError):
                        each.unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete the folder when the window closes."""
        shutil.rmtree(self._folder, ignore_errors=True)


_PREFIX = "gradviz-window-"
_LOCK = "lock"
_OLD_S = 86_400.0


class ProcessFolder:
    """A temporary folder that stays locked while this process runs."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._numbers = itertools.count(1)
        self._lock = QLockFile(str(self.path / _LOCK))
        # The lock tells other processes that the folder is in use; it ends with this process.
        self._lock.tryLock(0)
        # Remove the folder even if Python exits without closing it.
        self._end = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def make_window_folder(self) -> Path:
        """Return a new, empty folder for one window."""
        make_window_folder = self.path / f"window-{next(self._numbers)}"
        make_window_folder.mkdir()
        return make_window_folder

    def remove(self) -> None:
        """Remove the folder with its contents."""
        # Windows removes no file that is open.
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
