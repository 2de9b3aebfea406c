"""Writes a trace while the run goes on; what was flushed survives the death of the process."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from threading import RLock

from gradviz.model.codec import encode
from gradviz.model.console import ConsoleCut
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord
from gradviz.model.trace import Origin, Outcome, Record
from gradviz.store import schema
from gradviz.store.errors import TraceError
from gradviz.store.header import read_header, remove_logs
from gradviz.store.row_text import row_text

_STEP_TYPES = Step.__args__
_TABLE_OF: dict[type, str] = {
    kind: name for name, kind in schema.KINDS.items() if isinstance(kind, type)
} | dict.fromkeys(_STEP_TYPES, "step")


class TraceWriter:
    """Appends records to a trace file. Usable from several threads.

    Records wait in memory until `flush`, which writes them in one transaction: a reader, or
    whoever opens the file after a crash, sees all of it or nothing.
    """

    def __init__(self, path: Path, origin: Origin, *, append: bool = False) -> None:
        """Creates the file, or opens an existing trace to add to it.

        Args:
            path: The file. An existing one is refused unless ``append``.
            origin: What produces the trace; ignored with ``append`` where the file exists.
            append: Add to the trace that is there.

        Raises:
            TraceError: If the file exists and may not, is no trace, is of an older format, or
                cannot be written.
        """
        self._path = path
        self._lock = RLock()
        self._waiting: dict[str, dict[int, str]] = {table: {} for table in schema.KINDS}
        self._tensors: dict[int, tuple[str, bytes]] = {}
        exists = path.exists()
        if exists and not append:
            raise TraceError(f"{path} exists already.")
        try:
            if exists:
                _refuse_older(path)
            else:
                _create(path, origin)
            self._connection = _connect(path)
        except (sqlite3.Error, OSError) as error:
            raise TraceError(f"{path} cannot be written: {error}.") from None

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def put(self, record: Record) -> None:
        """Adds a record, or replaces the one of the same kind and id (steps: number)."""
        table = _TABLE_OF[type(record)]
        if table == "step":
            key = record.number  # type: ignore[union-attr]
        elif isinstance(record, ConsoleCut):
            key = schema.CUT_IDS[record.activity]
        else:
            key = record.id  # type: ignore[union-attr]
        # As text at once: thousands of waiting records would keep the garbage collector busy.
        text = row_text(record, Step if table == "step" else None)
        with self._lock:
            self._waiting[table][key] = text

    def put_tensor(self, record: TensorRecord, data: bytes) -> None:
        """Adds a tensor with its kept elements (row-major, little-endian).

        Raises:
            ValueError: If ``data`` has not the length that the record says.
        """
        if len(data) != record.kept_bytes:
            raise ValueError(f"tensor {record.id}: {len(data)} bytes, not {record.kept_bytes}")
        with self._lock:
            self._tensors[record.id] = (row_text(record), data)

    def put_outcome(self, outcome: Outcome) -> None:
        """Says how the recording ended, and flushes."""
        self.flush()
        self._put_meta("outcome", json.dumps(encode(outcome)))

    def flush(self) -> None:
        """Commits all that waits.

        Raises:
            TraceError: If the disk is full or the file is gone.
        """
        with self._lock:
            if not self._tensors and not any(self._waiting.values()):
                return
            try:
                self._write()
            except sqlite3.Error as error:
                raise TraceError(f"{self._path} cannot be written: {error}.") from None
            self._tensors.clear()
            for rows in self._waiting.values():
                rows.clear()

    def _write(self) -> None:
        tensors = [(key, text, data) for key, (text, data) in self._tensors.items()]
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany("INSERT OR REPLACE INTO tensor VALUES (?, ?, ?)", tensors)
            for table, rows in self._waiting.items():
                if rows:
                    statement = f"INSERT OR REPLACE INTO {table} VALUES (?, ?)"
                    connection.executemany(statement, rows.items())
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _put_meta(self, key: str, text: str) -> None:
        with self._lock:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, text))

    def highest(self, table: str) -> int:
        """The highest id in a table (``node``, ``tensor``, ``step`` ...), 0 where it is empty."""
        if table != "tensor" and table not in schema.KINDS:
            raise ValueError(f"no table {table}")
        with self._lock:
            self.flush()
            (highest,) = self._connection.execute(f"SELECT MAX(id) FROM {table}").fetchone()
        return int(highest or 0)

    def close(self) -> None:
        """Flushes and lets go of the file. A second call does nothing."""
        with self._lock:
            try:
                self.flush()
            finally:
                self._connection.close()


def _refuse_older(path: Path) -> None:
    version = read_header(path).version
    if version < schema.FORMAT_VERSION:
        raise TraceError(
            f"{path} was made by an older gradviz (format {version}). It can be opened, but "
            "nothing can be added to it."
        )


def _create(path: Path, origin: Origin) -> None:
    """Makes an empty trace aside and moves it into place, so that no reader meets half of one."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    aside.unlink(missing_ok=True)
    try:
        connection = sqlite3.connect(aside, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = off")
            schema.create(connection)
            connection.execute(
                "INSERT INTO meta VALUES ('origin', ?)", (json.dumps(encode(origin)),)
            )
        finally:
            connection.close()
        remove_logs(path)
        aside.rename(path)
    finally:
        aside.unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    # The death of this process loses nothing that was committed; only a power cut could.
    connection.execute("PRAGMA synchronous = off")
    # Where the file system cannot share memory between processes, SQLite answers with another
    # mode than asked for and keeps a rollback journal: slower, just as safe.
    connection.execute("PRAGMA journal_mode = wal")
    return connection
