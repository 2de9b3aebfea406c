"""Write a trace during the run, so that flushed records survive if the process dies.

The errors of a trace that cannot be written, under the name that was asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping

# By name, because user code may replace the functions in the modules.
from json import dumps
from operator import attrgetter
from os import getpid
from pathlib import Path
from sqlite3 import connect
from threading import RLock
from typing import Any, TypeVar

from gradviz.catalogue.messages import say
from gradviz.model.codec import encode
from gradviz.model.console import ConsoleCut
from gradviz.model.pass_numbers import PassNumbers
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord
from gradviz.model.trace import Origin, Outcome, Record
from gradviz.store import schema
from gradviz.store.errors import TraceError
from gradviz.store.header import final_path, new_path, read_header, remove_logs
from gradviz.store.pruning import KeptRecords, move_text_out, prune, without_first_steps
from gradviz.store.row_codec import prepare, row_text
from gradviz.store.text_limit import cut_texts
from gradviz.store.written_files import FileProblem, WrittenFiles, open_descriptors

# SQLite's names for a write past RLIMIT_FSIZE, to the file or its log.
_CUT_WRITES = ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_FULL")
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""Beginnings of SQLite's names for what it finds in a file that it has not written so."""


def changed_error(path: Path) -> TraceError:
    """The error of a trace that the run or another process has changed."""
    return TraceError(say("file.changed", path=final_path(path)))


def not_written_error(path: Path, reason: sqlite3.Error | OSError | str) -> TraceError:
    """The error of a trace that cannot be written, with its reason; a limit is named."""
    limit = _file_size_limit()
    if limit is not None and getattr(reason, "sqlite_errorname", "") in _CUT_WRITES:
        text = say("file.size_limit", limit=limit)
    else:
        text = str(getattr(reason, "strerror", None) or reason)
    return TraceError(say("file.not_written", path=final_path(path), reason=text))


def failed_write_error(path: Path, error: sqlite3.Error | OSError) -> TraceError:
    """The error of a trace that was intact when it was opened."""
    is_damaged = getattr(error, "sqlite_errorname", "").startswith(_DAMAGE)
    return changed_error(path) if is_damaged else not_written_error(path, error)


def _file_size_limit() -> int | None:
    """Bytes that this process may write to a file; None if there is no limit."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return None
    limit = int(resource.getrlimit(resource.RLIMIT_FSIZE)[0])
    return None if limit == resource.RLIM_INFINITY else limit


R = TypeVar("R")

_PLACES: dict[type, tuple[str, Callable[[Any], int]]] = {
    **{kind: (name, attrgetter("id")) for name, kind in schema.KINDS.items() if name != "step"},
    **dict.fromkeys(Step.__args__, ("step", attrgetter("number"))),
    ConsoleCut: ("cut", lambda record: schema.CUT_IDS[record.activity]),
}
"""For each kind of record: its table, and its id there."""


_PASS_NUMBERS = "passes {first:012}"
"""Rows with numbers of passes, in the order of the passes."""


def pass_numbers_key(first: int) -> str:
    """The key of the row that begins with a pass."""
    return _PASS_NUMBERS.format(first=first)


def prepare_rows() -> None:
    """Find the types of all rows once in a process; see `gradviz.store.row_codec.prepare`."""
    prepare((*_PLACES, *schema.KINDS.values(), TensorRecord))


class TraceWriter:
    """Appends records to a trace file, from any thread.

    Records wait in memory until `flush`, which writes them in one transaction. A reader, even after
    a crash, sees all of them or none.
    """

    def __init__(self, path: Path, origin: Origin, *, append: bool = False) -> None:
        """Create the file, or open an existing trace to append to it.

        Args:
            path: Path of the file. One that exists and is not empty is refused unless ``append``
                is set.
            origin: Origin of the trace; ignored if ``append`` is set and the file exists.
            append: Whether to append to an existing trace.

        Raises:
            TraceError: If the file is refused, is not a trace, has an older format, or cannot be
                written.
        """
        self._path = path
        self._process = getpid()
        prepare_rows()
        # Reentrant, because `highest` and `close` call `flush` while they hold it.
        self._lock = RLock()
        # By id, so that a record that changes before the next flush is written once.
        self._waiting: dict[str, dict[int, str]] = {table: {} for table in schema.KINDS}
        # Two dictionaries: a tuple for each waiting tensor would slow down the garbage collector.
        self._tensor_rows: dict[int, str] = {}
        self._tensor_data: dict[int, bytes | memoryview] = {}
        self._removed_steps = 0
        self._problem: FileProblem | None = None
        self._is_closed = False
        # A command reserves a name with an empty file.
        exists = path.exists() and path.stat().st_size > 0
        if exists and not append:
            raise TraceError(say("trace.exists", path=path))
        try:
            if exists:
                read_header(path)
            else:
                _create(path, origin)
            earlier = open_descriptors()
            self._open_connection = _connect(path)
            # Opens the log and its index now, and reads a new file, which then survives in memory.
            first = "SELECT 1 FROM meta" if exists else "PRAGMA quick_check"
            self._open_connection.execute(first).fetchall()
            self._files = WrittenFiles(path, earlier)
        except (sqlite3.Error, OSError) as error:
            raise not_written_error(path, error) from None

    @property
    def _connection(self) -> sqlite3.Connection:
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
                raise not_written_error(self._path, say("file.closed"))
            case "removed":
                raise TraceError(say("file.removed", path=final_path(self._path)))
            case _:
                raise changed_error(self._path)

    @property
    def _is_inherited(self) -> bool:
        """Whether this is a fork, in which SQLite must not use the connection; nothing happens."""
        return getpid() != self._process

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._path

    @property
    def size(self) -> int:
        """Bytes that the trace takes on disk once it is a single file."""
        with self._lock:
            values = [
                int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("page_count", "freelist_count", "page_size")
            ]
        pages, free, page_size = values
        return (pages - free) * page_size

    def put(self, record: Record) -> None:
        """Add a record, or replace the one of the same kind and id (for steps: number)."""
        if self._removed_steps:
            moved = without_first_steps(record, self._removed_steps)
            if moved is None:
                return
            record = moved
        table, number = _PLACES[type(record)]
        key = number(record)
        # Stored as text, because what is inside a step may change after this.
        text = row_text(record)
        with self._lock:
            self._waiting[table][key] = text

    def put_tensor(self, record: TensorRecord, data: bytes | memoryview) -> None:
        """Add a tensor with its stored elements (row-major, little-endian).

        Raises:
            ValueError: If ``data`` does not have the length given by the record.
        """
        if len(data) != record.kept_bytes:
            raise ValueError(
                f"tensor {record.id} has {len(data)} bytes instead of {record.kept_bytes}"
            )
        row = row_text(record)
        with self._lock:
            self._tensor_data[record.id] = data
            self._tensor_rows[record.id] = row

    def put_outcome(self, outcome: Outcome) -> None:
        """Record how the recording ended, and flush."""
        self.flush()
        self._put_meta("outcome", dumps(encode(cut_texts(outcome))))

    def put_scope(self, scope: RecordingScope) -> None:
        """Record which part of the run the trace contains.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        self._put_meta("scope", dumps(encode(scope)))

    def put_pass_numbers(self, numbers: PassNumbers) -> None:
        """Record what is known of some consecutive passes, and flush nothing else.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        self._put_meta(pass_numbers_key(numbers.first), dumps(encode(numbers)))

    def flush(self) -> None:
        """Commit all waiting records.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        if self._is_inherited:
            return
        with self._lock:
            if not self._tensor_rows and not any(self._waiting.values()):
                return
            self._write()
            # After the commit only: what a failed flush has not written is kept.
            self._tensor_rows.clear()
            self._tensor_data.clear()
            for rows in self._waiting.values():
                rows.clear()

    def _write(self) -> None:
        data = self._tensor_data
        tensors = ((number, row, data[number]) for number, row in self._tensor_rows.items())

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO tensor VALUES (?, ?, ?)", tensors)
            for table, rows in self._waiting.items():
                if rows:
                    statement = f"INSERT OR REPLACE INTO {table} VALUES (?, ?)"
                    connection.executemany(statement, rows.items())

        self._commit(write)

    def remove_before(
        self, *, first_step: int, first_console: int, nodes: Iterable[int] = ()
    ) -> KeptRecords:
        """Remove the first steps; in the file, the others are numbered from 1.

        Args:
            first_step: The first step to keep. Here and in records to come, the numbers go on as
                if no step had been removed.
            first_console: The first printed text to keep, of those outside of steps.
            nodes: Nodes to keep because later records may refer to them.

        Returns:
            What is left; later records must refer to nothing else that exists already.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        with self._lock:
            self.flush()
            place = first_step - self._removed_steps
            kept = self._commit(
                lambda connection: prune(
                    connection, first_step=place, first_console=first_console, nodes=nodes
                )
            )
            self._removed_steps = first_step - 1
            return kept

    def remove_after(self, highest: Mapping[str, int], *, keeps_text: bool) -> None:
        """Remove the last records, to which no other record refers.

        Args:
            highest: The highest id to keep, for each table from which records are removed; for
                steps, its number, which holds for what is inside of them, too.
            keeps_text: Whether printed text is kept, then outside of any step.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        limits = {**highest, "inside": highest["step"]}

        def remove(connection: sqlite3.Connection) -> None:
            for table, number in limits.items():
                if table == "console" and keeps_text:
                    move_text_out(connection, after=highest["step"], text=number)
                    continue
                connection.execute(f"DELETE FROM {table} WHERE id > ?", (number,))

        with self._lock:
            self.flush()
            self._commit(remove)

    def shrink(self) -> None:
        """Give the space of removed records back to the file system.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        with self._lock:
            self.flush()
            try:
                self._connection.execute("VACUUM")
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
        connection = self._connection
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

    def _put_meta(self, key: str, text: str) -> None:
        if self._is_inherited:
            return
        with self._lock:
            statement = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
            self._commit(lambda connection: connection.execute(statement, (key, text)))

    def highest(self, table: str) -> int:
        """The highest id in a table (``node``, ``tensor``, ``step`` ...), 0 if it is empty."""
        if table != "tensor" and table not in schema.KINDS:
            raise ValueError(f"unknown table {table}")
        with self._lock:
            self.flush()
            (highest,) = self._connection.execute(f"SELECT MAX(id) FROM {table}").fetchone()
        return int(highest or 0)

    def close(self) -> None:
        """Flush and close the file; further calls do nothing.

        Raises:
            TraceError: If what was recorded could not be written, or is not in the file any more.
        """
        if self._is_inherited:
            return
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            connection = self._open_connection
            try:
                self.flush()
                # SQLite now moves the log into the file.
                connection = self._connection
            finally:
                if self._problem is None:
                    connection.close()
                else:
                    _CUT_OFF.append(connection)
            if not self._files.is_intact():
                raise changed_error(self._path)


_CUT_OFF: list[sqlite3.Connection] = []
"""Connections whose files are no longer theirs.

They are kept, because closing one would close descriptors that may be those of other files by now,
and move a log that was changed into the trace.
"""


def _create(path: Path, origin: Origin) -> None:
    """Create an empty trace and move it into place, so that no reader sees half a file."""
    aside = new_path(path)
    aside.unlink(missing_ok=True)
    try:
        # SQLite does not say why it cannot create a file.
        aside.touch(exist_ok=False)
        connection = connect(aside, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = off")
            schema.create(connection)
            connection.execute(
                "INSERT INTO meta VALUES ('origin', ?)",
                (dumps(encode(cut_texts(origin))),),
            )
        finally:
            connection.close()
        # A log left behind by another file of this name would be applied to this one.
        remove_logs(path)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    connection = connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    # If this process dies, nothing that was committed is lost. Only a power failure loses data.
    connection.execute("PRAGMA synchronous = off")
    # If processes cannot share memory on the file system, SQLite keeps a rollback journal instead,
    # which is slower but just as safe.
    connection.execute("PRAGMA journal_mode = wal")
    return connection
