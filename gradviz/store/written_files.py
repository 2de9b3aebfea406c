"""Notices what the recorded code or another process does to the files of a trace being written."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection
from contextlib import suppress

# By name, because user code may replace the functions in the module.
from os import fstat, stat, stat_result
from pathlib import Path
from typing import Literal

from gradviz.store.errors import TraceError
from gradviz.store.header import new_path, read_header, remove_logs, wal_path

FileProblem = Literal["closed", "removed", "changed", "lost"]
"""What has happened: the run has closed a descriptor, or the trace is gone, or it was changed; its
content can still be read through the open connection, or it cannot (``lost``)."""

_BY_SEVERITY: tuple[FileProblem, ...] = ("removed", "lost", "changed")


class WrittenFiles:
    """A trace, its log and its index, as SQLite has left them.

    SQLite notices nothing of this: it would write to another file that was opened under a closed
    number, leave a hole where a log was truncated, or crash at the end of a truncated index.
    """

    def __init__(self, path: Path, earlier: Collection[int]) -> None:
        """Begin to watch the files of an open connection.

        Args:
            path: The trace.
            earlier: Descriptors that were open before the connection was.
        """
        self._trace = Path(os.path.abspath(path))
        self._log = wal_path(self._trace)
        self._index = self._trace.with_name(self._trace.name + "-shm")
        self._sizes: dict[Path, stat_result] = {}
        self.note_commit()
        own = {_identity(file) for file in self._sizes.values()}
        self._descriptors = {
            number: file
            for number, file in open_descriptors().items()
            if file in own and number not in earlier
        }

    def note_commit(self) -> None:
        """Remember the files as they are after a commit, which may have shortened them."""
        for path in (self._trace, self._log, self._index):
            try:
                found = stat(path)
            except OSError:
                # A trace has no log on a file system where processes cannot share memory.
                continue
            # Another file in its place has not been written by SQLite.
            if _identity(found) == _identity(self._sizes.setdefault(path, found)):
                self._sizes[path] = found

    def find_problem(self) -> FileProblem | None:
        """What has happened to the files since the last commit; None if nothing has."""
        if any(_open_file(number) != file for number, file in self._descriptors.items()):
            return "closed"
        found = {self._problem_of(path, known) for path, known in self._sizes.items()}
        return next((each for each in _BY_SEVERITY if each in found), None)

    def rescue(self, connection: sqlite3.Connection) -> None:
        """Replace a changed trace by what its connection can still read, if that is everything."""
        aside = new_path(self._trace)
        try:
            connection.execute("VACUUM INTO ?", (str(aside),))
        except (sqlite3.Error, OSError):
            # Readers of the trace find what is intact.
            aside.unlink(missing_ok=True)
            return
        # If this fails, the only good copy stays beside the trace.
        with suppress(OSError):
            remove_logs(self._trace)
            aside.replace(self._trace)

    def is_intact(self) -> bool:
        """Whether the closed trace begins as it was written."""
        try:
            self._trace.open("rb").close()
            read_header(self._trace)
        except TraceError:
            return False
        except (OSError, RuntimeError):
            # The run may have no more descriptors or access, or an audit hook that refuses to open
            # files; none of this changes the file.
            return True
        return True

    def _problem_of(self, path: Path, known: stat_result) -> FileProblem | None:
        try:
            found = stat(path)
        except FileNotFoundError:
            return "removed" if path == self._trace else "changed"
        except OSError:
            # The run has no more access to the folder, which SQLite does not need.
            return None
        if _identity(found) != _identity(known):
            # Another file in place of the trace is not ours to replace.
            return "lost" if path == self._trace else "changed"
        if found.st_size >= known.st_size:
            return None
        # The index is mapped into memory.
        return "lost" if path == self._index else "changed"


def open_descriptors() -> dict[int, tuple[int, int]]:
    """This process's open files by descriptor; empty on Windows, where SQLite's have none."""
    try:
        numbers = os.listdir("/dev/fd")
    except OSError:
        return {}
    # The descriptor that listed them is closed by now, and its number may be SQLite's next.
    return {int(number): file for number in numbers if (file := _open_file(int(number)))}


def _open_file(descriptor: int) -> tuple[int, int] | None:
    try:
        return _identity(fstat(descriptor))
    except OSError:
        return None


def _identity(file: stat_result) -> tuple[int, int]:
    return file.st_dev, file.st_ino
