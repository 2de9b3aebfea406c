"""Temporary traces of an object, and windows for traces."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path
from typing import Any


class TemporaryFolder:
    """A folder that is removed with the object that owns it.

    Attributes:
        path: The folder.
    """

    def __init__(self, owner: Any) -> None:
        folder = tempfile.mkdtemp(prefix="gradviz-")
        self.path = Path(folder)
        self._remove = weakref.finalize(owner, _remove, folder, os.getpid())

    def keep(self) -> None:
        """Leave the folder behind."""
        self._remove.detach()


def open_window(path: Path, folder: TemporaryFolder | None) -> None:
    """Open a trace in a window, which is a process of its own; returns at once.

    Args:
        path: The trace.
        folder: The temporary folder that contains it, which the window may need longer.

    Raises:
        ModuleNotFoundError: If Qt or another package of the window is not installed.
    """
    # Not every recording is shown.
    from gradviz.catalogue.optional_packages import missing_packages

    if missing := missing_packages("view"):
        raise ModuleNotFoundError(missing)
    if folder is not None:
        folder.keep()
    command = [sys.executable, "-P", "-m", "gradviz", str(path.absolute())]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)


def _remove(folder: str, pid: int) -> None:
    """Remove a folder at the end of the process that made it, not of one that it has forked."""
    if os.getpid() == pid:
        shutil.rmtree(folder)
