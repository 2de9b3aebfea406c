"""The trace file as the process sees it that writes it: rows in transactions, and what fails.

Neither the model nor numpy is imported here, so that the second process starts quickly. The errors
name the trace that was asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

# By name, because user code may replace the functions in the modules.
from sqlite3 import connect
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from gradviz.catalogue.messages import say
from gradviz.store.errors import TraceError
from gradviz.store.header import final_path
from gradviz.store.row_texts import unpack_rows
from gradviz.store.writer_lock import lock_trace
from gradviz.store.written_files import FileProblem, WrittenFiles, open_descriptors

if TYPE_CHECKING:
    from gradviz.store.pruning import KeptRecords

# SQLite's names for a write past RLIMIT_FSIZE, to the file or its log.
_CUT_WRITES = ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_FULL")
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""Beginnings of SQLite's names for what it finds in a file that it has not written so."""


def changed_trace_error(path: Path) -> TraceError:
    """The error of a trace that the run or another process has changed."""
    return TraceError(say("file.changed", path=final_path(path)))


def unwritable_trace_error(path: Path, reason: sqlite3.Error | OSError | str) -> TraceError:
    """The error of a trace that cannot be written, with its reason; a limit is named."""
    limit = file_size_limit()
    if limit is not None and getattr(reason, "sqlite_errorname", "") in _CUT_WRITES:
        text = say("file.size_limit", limit=limit)
    else:
        text = str(getattr(reason, "strerror", None) or reason)
    return TraceError(say("file.not_written", path=final_path(path), reason=text))


def failed_write_error(path: Path, error: sqlite3.Error | OSError) -> TraceError:
    """The error of a trace that was intact when it was opened."""
    is_damaged = getattr(error, "sqlite_errorname", "").startswith(_DAMAGE)
    return changed_trace_error(path) if is_damaged else unwritable_trace_error(path, error)


def file_size_limit() -> int | None:
    """Bytes that this process may write to a file; None if there is no limit."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return None
    limit = int(resource.getrlimit(resource.RLIMIT_FSIZE)[0])
    return None if limit == resource.RLIM_INFINITY else limit


@cache
def pruning() -> ModuleType:
    """The module that removes records; it needs the model, and in a run it is imported early."""
    from gradviz.store import pruning as module

    return module


A = TypeVar("A")
R = TypeVar("R")


class TraceFile:
    """An open trace to which rows are added."""

    def __init__(self, place: Path, path: Path, *, is_new: bool) -> None:
        """Open a trace that exists.

        Args:
            place: The trace, as an absolute path.
            path: Its path in messages.
            is_new: Whether it has just been created.

        Raises:
            TraceError: If it cannot be opened.
        """
        self._path = path
        self._removed_steps = 0
        self._problem: FileProblem | None = None
        self._is_closed = False
        try:
            earlier = open_descriptors()
            self._open_connection = _connect(place)
            # Opens the log and its index now, and reads a new file, which then survives in memory.
            first = "PRAGMA quick_check" if is_new else "SELECT 1 FROM meta"
            self._open_connection.execute(first).fetchall()
            self._files = WrittenFiles(place, earlier)
        except (sqlite3.Error, OSError) as error:
            raise unwritable_trace_error(path, error) from None

    def checked_connection(self) -> sqlite3.Connection:
        """The connection to the file.

        Raises:
            TraceError: If the run or another process has closed, removed or changed the file. What
                can still be read is in it, and nothing more is written.
        """
        if self._problem is None:
            self._problem = self._files.find_problem()
            if self._problem == "changed":
                self._files.rescue(self._open_connection)
        match self._problem:
            case None:
                return self._open_connection
            case "closed":
                raise unwritable_trace_error(self._path, say("file.closed"))
            case "removed":
                raise TraceError(say("file.removed", path=final_path(self._path)))
            case _:
                raise changed_trace_error(self._path)

    def size(self) -> int:
        """Bytes that the trace takes on disk once it is a single file."""
        values = [
            int(self.checked_connection().execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        ]
        pages, free, page_size = values
        return (pages - free) * page_size

    def highest(self, table: str) -> int:
        """The highest id in a table, 0 if it is empty."""
        (highest,) = self.checked_connection().execute(f"SELECT MAX(id) FROM {table}").fetchone()
        return int(highest or 0)

    def write(self, *batches: bytes) -> None:
        """Add packed rows, or replace those with the same ids, in one transaction."""
        tables = unpack_rows(batches)

        def insert(connection: sqlite3.Connection) -> None:
            for table, rows in tables.items():
                # A tensor has its elements, too.
                places = "?, ?, ?" if table == "tensor" else "?, ?"
                statement = f"INSERT OR REPLACE INTO {table} VALUES ({places})"
                connection.executemany(statement, rows.values())

        self._commit(insert)

    def put_meta(self, key: str, text: str) -> None:
        """Store what holds for the whole trace."""
        statement = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
        self._commit(lambda connection: connection.execute(statement, (key, text)))

    def wait(self, on_wait: Callable[[float], None]) -> None:
        """Do nothing, as everything is written at once."""

    def prune(self, first_step: int, first_console: int, nodes: Iterable[int]) -> KeptRecords:
        """Remove the first steps; see `gradviz.store.pruning.prune`.

        Args:
            first_step: The first step to keep, in the numbers of the run.
            first_console: As there.
            nodes: As there.
        """
        kept: KeptRecords = self._commit(
            lambda connection: pruning().prune(
                connection,
                first_step=first_step - self._removed_steps,
                first_console=first_console,
                nodes=nodes,
            )
        )
        self._removed_steps = first_step - 1
        return kept

    def count_removed(self) -> int:
        """How many steps were removed at the beginning."""
        return self._removed_steps

    def remove_after(self, limits: Mapping[str, int], keeps_text: bool) -> None:
        """Remove the rows of each table behind an id, or move printed text out of its steps."""

        def remove(connection: sqlite3.Connection) -> None:
            for table, number in limits.items():
                if table == "console" and keeps_text:
                    pruning().move_text_out(connection, after=limits["step"], text=number)
                    continue
                connection.execute(f"DELETE FROM {table} WHERE id > ?", (number,))

        self._commit(remove)

    def shrink(self) -> None:
        """Give the space of removed rows back to the file system."""
        try:
            self.checked_connection().execute("VACUUM")
            self._files.note_commit()
        except sqlite3.Error as error:
            raise failed_write_error(self._path, error) from None

    def _commit(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Do some work in one transaction, and return its result.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        try:
            return self._in_transaction(work)
        except sqlite3.Error as error:
            raise failed_write_error(self._path, error) from None

    def _in_transaction(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Run some work between the beginning and the end of a transaction.

        Not a context manager: an exception from outside, as another thread may raise, could come
        between its beginning and the block.
        """
        connection = self.checked_connection()
        try:
            # Locks at once: a later upgrade of a read lock could fail without waiting for the
            # timeout. Inside: Ctrl+C may arrive as soon as the transaction is open.
            connection.execute("BEGIN IMMEDIATE")
            result = work(connection)
            connection.execute("COMMIT")
            self._files.note_commit()
            return result
        except BaseException:
            # On a full disk, SQLite has already rolled back.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def compute(self, function: Callable[[Path, A], R], place: Path, facts: A, kind: type[R]) -> R:
        """Read the trace here; see `gradviz.store.writer.TraceWriter.compute`."""
        return function(place, facts)

    def lock(self, run: int, *, starting: bool = False) -> int:
        """Lock the trace until it is closed; see `gradviz.store.writer_lock.lock_trace`.

        Returns:
            The descriptor with the lock.

        Raises:
            OSError: If that is not possible.
        """
        descriptor = self._files.descriptor()
        lock_trace(descriptor, run, starting=starting)
        return descriptor

    def leave(self) -> None:
        """Close the file, which another process has open.

        Raises:
            TraceError: If something has happened to it.
        """
        if self._is_closed:
            # An exception from outside has come after that.
            return
        try:
            connection = self.checked_connection()
            self._is_closed = True
            connection.close()
            self._files.close()
        except TraceError:
            _CUT_OFF.append(self._open_connection)
            self._files.leave()
            raise

    def close(self) -> None:
        """Close the file, which SQLite then merges with its log.

        Raises:
            TraceError: If the file is not as it was written.
        """
        self.leave()
        if not self._files.is_intact():
            raise changed_trace_error(self._path)


_CUT_OFF: list[sqlite3.Connection] = []
"""Connections whose files are no longer theirs.

They are kept, because closing one would close descriptors that may be those of other files by now,
and move a log that was changed into the trace.
"""


def _connect(path: Path) -> sqlite3.Connection:
    connection = connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    # If this process dies, nothing that was committed is lost. Only a power failure loses data.
    connection.execute("PRAGMA synchronous = off")
    # If processes cannot share memory on the file system, SQLite keeps a rollback journal instead,
    # which is slower but just as safe.
    connection.execute("PRAGMA journal_mode = wal")
    return connection
