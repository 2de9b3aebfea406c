"""Notices what the recorded code or another process does to the files of a trace being written."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection
from contextlib import suppress
from operator import attrgetter

# By name, because user code may replace the functions in the module.
from os import fstat, stat, stat_result
from pathlib import Path
from struct import Struct
from typing import Literal

from gradviz.store.errors import TraceError
from gradviz.store.forks import call_after_fork
from gradviz.store.header import new_path, read_header, remove_logs, wal_path

FileProblem = Literal["closed", "removed", "changed", "lost"]
"""What has happened: the run has closed a descriptor, or the trace is gone, or it was changed; its
content can still be read through the open connection, or it cannot (``lost``)."""

_identity: Callable[[stat_result], tuple[int, int]] = attrgetter("st_dev", "st_ino")
_pread = getattr(os, "pread", None)
"""None on Windows, where SQLite's files have no descriptors either."""

_written_here: set[tuple[int, int]] = set()
"""Traces, by device and inode, that this process writes through SQLite."""

_BY_SEVERITY: tuple[FileProblem, ...] = ("removed", "lost", "changed")


class WrittenFiles:
    """A trace, its log and its index, as SQLite has left them.

    SQLite notices no damage: it would write to another file that was opened under a closed
    number, leave a hole where a log was truncated, or crash at the end of a truncated index.
    """

    def __init__(self, path: Path, earlier: Collection[int]) -> None:
        """Begin to watch the files of an open connection.

        Args:
            path: The trace.
            earlier: Descriptors that were open before the connection was.
        """
        self._trace = Path(os.path.abspath(path))
        # As texts, which take less time at each commit.
        self._place, self._log = str(self._trace), str(wal_path(self._trace))
        self._index = f"{self._place}-shm"
        self._sizes: dict[str, stat_result] = {}
        self.note_commit()
        own = {_identity(file) for file in self._sizes.values()}
        _written_here.add(_identity(self._sizes[self._place]))
        self._descriptors = {
            number: file
            for number, file in open_descriptors().items()
            if file in own and number not in earlier
        }
        self._descriptor: int | None = None

    def descriptor(self) -> int:
        """A descriptor of the trace, for locks, until `close`.

        Raises:
            OSError: If it cannot be opened.
        """
        if self._descriptor is None:
            self._descriptor = os.open(self._trace, os.O_RDWR)
            # A fork that goes on after the run would keep the locks.
            call_after_fork(self, WrittenFiles.close)
        # Each time, as an interrupt may have come before it.
        self._descriptors.setdefault(self._descriptor, _identity(fstat(self._descriptor)))
        return self._descriptor

    def close(self) -> None:
        """Close the descriptor, after SQLite's: that gives up all locks of a process on a file."""
        self.leave()
        own, self._descriptor = self._descriptor, None
        # Its number may be that of another file by now.
        if own in self._descriptors and _open_file(own) == self._descriptors[own]:
            os.close(own)

    def leave(self) -> None:
        """Note that this process does not write the trace any more."""
        _written_here.discard(_identity(self._sizes[self._place]))

    def note_commit(self) -> None:
        """Remember the files as they are after a commit, which may have shortened them."""
        for path in (self._place, self._log, self._index):
            try:
                found = stat(path)
            except OSError as error:
                reraise_asynchronous(error)
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
            # Exclusively, as for every new file: a link there would lead to another one.
            aside.touch(exist_ok=False)
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

    def _problem_of(self, path: str, known: stat_result) -> FileProblem | None:
        try:
            found = stat(path)
        except FileNotFoundError:
            return "removed" if path == self._place else "changed"
        except OSError as error:
            reraise_asynchronous(error)
            # The run has no more access to the folder, which SQLite does not need.
            return None
        if _identity(found) != _identity(known):
            # Another file in place of the trace is not ours to replace.
            return "lost" if path == self._place else "changed"
        if found.st_size >= known.st_size:
            return None
        if path == self._index:
            # It is mapped into memory.
            return "lost"
        needed = self._needed_sizes().get(path)
        return "changed" if needed is None or found.st_size < needed else None

    def _needed_sizes(self) -> dict[str, int]:
        """Sizes of trace and log in which no page is missing, as SQLite's index has it.

        Another process that moves the log into the trace shortens both, after it has changed the
        index. Empty if the index cannot be read.
        """
        index = self._sizes.get(self._index)
        for number, file in self._descriptors.items():
            # To open and close it again would give up SQLite's locks, which belong to the process.
            if _pread is not None and index is not None and file == _identity(index):
                return _sizes_in(_pread(number, 2 * _INDEX_HEADER.size, 0), self._place, self._log)
        return {}


# From https://www.sqlite.org/walformat.html, sections 2.1 and 2.2.
_INDEX_HEADER = Struct("=IIIBBHII24x")
_INDEX_VERSION = 3007000
_LOG_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24


def _sizes_in(headers: bytes, trace: str, log: str) -> dict[str, int]:
    """The needed sizes, from the two copies of the header of SQLite's index."""
    first, second = headers[: _INDEX_HEADER.size], headers[_INDEX_HEADER.size :]
    if first != second or len(first) < _INDEX_HEADER.size:
        return {}
    version, _, _, is_set, _, page_bytes, frames, pages = _INDEX_HEADER.unpack(first)
    # The number of pages is unknown as long as the log has had none.
    if version != _INDEX_VERSION or not is_set or not pages:
        return {}
    page_bytes = page_bytes if page_bytes > 1 else 1 << 16
    logged = _LOG_HEADER_BYTES + frames * (_FRAME_HEADER_BYTES + page_bytes)
    return {trace: pages * page_bytes, log: logged if frames else 0}


def is_written_here(path: Path) -> bool:
    """Whether this process writes a trace through SQLite.

    To open and close its file past SQLite would give up SQLite's locks, which belong to the
    process: then, the next reader that leaves removes the log.
    """
    try:
        return _identity(stat(path)) in _written_here
    except OSError as error:
        reraise_asynchronous(error)
        return False


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
    except OSError as error:
        reraise_asynchronous(error)
        return None


def reraise_asynchronous(error: OSError) -> None:
    """Raise an error again if not the system but another thread of the run has raised it here.

    The thread may raise a ``TimeoutError``, which is an ``OSError`` without a number.
    """
    if error.errno is None:
        raise error
