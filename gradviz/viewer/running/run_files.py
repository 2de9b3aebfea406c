"""The temporary traces of one window, and which of them are needed yet."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path


class RunFiles:
    """A folder of traces; each is removed as soon as nobody needs it."""

    def __init__(self, folder: Path, needed: Callable[[], Iterable[Path]]) -> None:
        """Takes the folder, and what tells which files the window itself needs."""
        self._folder = folder
        self._needed = needed
        self._count = 0
        self._held: set[Path] = set()

    def new_path(self) -> Path:
        """Where a further run may be recorded."""
        self._count += 1
        return self._folder / f"run-{self._count}.gradviz"

    def owns(self, path: Path) -> bool:
        """Whether a trace lies in the folder, where a child may still write to it."""
        return path.parent == self._folder

    def hold(self, path: Path) -> None:
        """Keeps a trace from being removed, until `release`."""
        self._held.add(path)

    def release(self, path: Path) -> None:
        """Removes a trace of our own that was held, unless it is needed yet."""
        self._held.discard(path)
        self.drop(path)

    def drop(self, path: Path) -> None:
        """Removes a trace of our own that nothing needs any more, with its logs."""
        if self.owns(path) and path not in self._held and path not in set(self._needed()):
            for each in (path, *path.parent.glob(f"{path.name}-*")):
                each.unlink(missing_ok=True)

    def clear(self) -> None:
        """Removes the folder: the window goes."""
        shutil.rmtree(self._folder, ignore_errors=True)
