"""The temporary traces of one window."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path


class RunFiles:
    """A folder of traces; each is deleted as soon as it is no longer needed."""

    def __init__(self, folder: Path, needed: Callable[[], Iterable[Path]]) -> None:
        """Use a folder, and a function that returns the files the window still needs."""
        self._folder = folder
        self._needed = needed
        self._count = 0
        self._held: set[Path] = set()

    def new_path(self) -> Path:
        """Return the path for the next run's trace."""
        self._count += 1
        return self._folder / f"run-{self._count}.gradviz"

    def owns(self, path: Path) -> bool:
        """Return whether a trace is in the folder, so that a child may still be writing to it."""
        return path.parent == self._folder

    def hold(self, path: Path) -> None:
        """Keep a trace from being deleted until `release` is called."""
        self._held.add(path)

    def release(self, path: Path) -> None:
        """Stop holding a trace; delete it unless it is still needed."""
        self._held.discard(path)
        self.drop(path)

    def drop(self, path: Path) -> None:
        """Delete a trace in this folder and its logs, unless it is held or still needed."""
        if self.owns(path) and path not in self._held and path not in set(self._needed()):
            for each in (path, *path.parent.glob(f"{path.name}-*")):
                each.unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete the folder when the window closes."""
        shutil.rmtree(self._folder, ignore_errors=True)
