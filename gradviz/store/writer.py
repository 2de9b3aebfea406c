"""Write a trace during the run, so that flushed records survive if the process dies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

# By name, because user code may replace the functions in the modules.
from operator import attrgetter
from os import getpid
from pathlib import Path
from sqlite3 import Error as DatabaseError
from sqlite3 import connect
from threading import RLock
from typing import Any, TypeVar, cast

from gradviz.catalogue.messages import say
from gradviz.model.console import ConsoleCut
from gradviz.model.pass_numbers import PassNumbers
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord
from gradviz.model.trace import Origin, Outcome, Record
from gradviz.store import schema
from gradviz.store.errors import TraceError
from gradviz.store.header import final_path, new_path, read_header, remove_logs
from gradviz.store.packed_rows import (
    ElementData,
    SharedCopy,
    TraceRow,
    join_rows,
    pack_rows,
    pack_text_rows,
)
from gradviz.store.pruning import KeptRecords, without_first_steps
from gradviz.store.row_codec import any_text
from gradviz.store.text_limit import MOST_CHARACTERS
from gradviz.store.trace_file import TraceFile, pruning, unwritable_trace_error
from gradviz.store.writer_process import WriterProcess, start_writer
from gradviz.store.written_files import reraise_asynchronous

A = TypeVar("A")
R = TypeVar("R")

_PLACES: dict[type, tuple[str, Callable[[Any], int]]] = {
    **{kind: (name, attrgetter("id")) for name, kind in schema.KINDS.items() if name != "step"},
    **dict.fromkeys(Step.__args__, ("step", attrgetter("number"))),
    TensorRecord: ("tensor", attrgetter("id")),
    ConsoleCut: ("cut", lambda record: schema.CUT_IDS[record.activity]),
}
"""For each kind of record: its table, and its id there."""


def row_of(record: Record) -> TraceRow:
    """The row of any record but that of a tensor; see `TraceWriter.put_tensor`."""
    table, number_of = _PLACES[type(record)]
    return table, number_of(record), record, None


def _any_is_long(rows: Sequence[TraceRow], size: int) -> bool:
    """Whether the text of one of some rows may be too long; all of them, packed, have a size."""
    if size - sum([len(row[3]) for row in rows if row[3] is not None]) <= MOST_CHARACTERS:
        return False
    return max([len(pack_rows(row[:3])) for row in rows]) > MOST_CHARACTERS


_PASS_NUMBERS = "passes {first:012}"
"""Rows with numbers of passes, in the order of the passes."""


def pass_numbers_key(first: int) -> str:
    """The key of the row that begins with a pass."""
    return _PASS_NUMBERS.format(first=first)


def print_on_stderr(text: str) -> None:
    """Tell the person who waits for the end of a run."""
    if sys.stderr is not None:
        sys.stderr.writelines((text, "\n"))


_ROWS_BEFORE = 1_400
"""Rows, or groups of them put together, after which a second process is worth its start."""


class TraceWriter:
    """Appends records to a trace file, from any thread.

    Records wait in memory until `flush`, which has them written in one transaction. A reader, even
    after a crash, sees all of them or none. Once many were written, a second process writes the
    rest; see `gradviz.store.writer_process`.

    Attributes:
        on_wait: Called with a sentence each second while the end of the run waits for that.
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
        # Later, the run may have purged `sys.modules`.
        pruning()
        # Reentrant, because `highest` and `close` call `flush` while they hold it.
        self._lock = RLock()
        self._packed: list[bytes] = []
        self._written = 0
        # None if a removal was interrupted, so that only its file knows.
        self._removed_steps: int | None = 0
        self._is_closed = False
        # A command reserves a name with an empty file.
        exists = path.exists() and path.stat().st_size > 0
        if exists and not append:
            raise TraceError(say("trace.exists", path=path))
        try:
            # The run may go to another folder.
            self._place = path.absolute()
            if exists:
                read_header(path)
            else:
                _create(path, origin)
        except (DatabaseError, OSError) as error:
            raise unwritable_trace_error(path, error) from None
        self._is_new = not exists
        # Until the second process has the trace.
        self._own_file: TraceFile | None = TraceFile(self._place, path, is_new=not exists)
        self._successor: WriterProcess | None = None
        self._may_start = True
        self.on_wait: Callable[[str], None] | None = None

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
        """Bytes that the trace takes on disk once it is a single file, about."""
        with self._lock:
            return self._file.size()

    def put(self, record: Record) -> None:
        """Add a record, or replace the one of the same kind and id (for steps: number)."""
        self.put_rows([row_of(record)])

    def put_rows(self, rows: Sequence[TraceRow]) -> int:
        """Add records together; returns about how many bytes wait for `flush` because of them."""
        if self._removed_steps != 0:
            rows = self._moved(rows)
        # Here and not in a function, as little may be left of the stack.
        try:
            packed = pack_rows(rows)
            if len(packed) > MOST_CHARACTERS and _any_is_long(rows, len(packed)):
                packed = pack_text_rows(rows)
        except (UnicodeEncodeError, OverflowError):
            packed = pack_text_rows(rows)
        self._packed.append(packed)
        return len(packed)

    def _moved(self, rows: Sequence[TraceRow]) -> list[TraceRow]:
        """The rows in a trace whose first steps were removed."""
        found: list[TraceRow] = []
        for table, _, record, data in rows:
            moved = without_first_steps(cast(Record, record), self._count_removed())
            if moved is not None:
                found.append((table, _PLACES[type(moved)][1](moved), moved, data))
        return found

    def share(self, address: int, size: int, earlier: SharedCopy | None) -> SharedCopy | None:
        """Copy a tensor's elements for the process that writes, which makes of them what is stored.

        Args:
            address: Where they begin.
            size: Their bytes.
            earlier: What this has returned for the same elements.

        Returns:
            What `put_tensor` takes; None if no other process writes, or if it cannot.
        """
        if self._is_inherited:
            return None
        with self._lock:
            process = self._successor
            if process is None:
                return None
            if self._own_file is None:
                return process.share(address, size, earlier)
            # While it starts, as it takes a while until it can use the memory.
            process.offer_memory()
            return None

    def put_tensor(self, record: TensorRecord, data: ElementData) -> None:
        """Add a tensor with its elements.

        Args:
            record: The tensor; without statistics if they are made of a copy.
            data: The stored elements (row-major, little-endian), or a copy of all elements in
                memory order.

        Raises:
            ValueError: If ``data`` does not have the length given by the record.
        """
        size = len(data)
        if not isinstance(data, SharedCopy) and size != record.kept_bytes:
            raise ValueError(f"tensor {record.id} has {size} bytes instead of {record.kept_bytes}")
        self.put_rows([("tensor", record.id, record, data)])

    def put_outcome(self, outcome: Outcome) -> None:
        """Record how the recording ended, flush, and wait until everything is written."""
        self.flush()
        self._put_meta("outcome", outcome)
        self.wait()

    def wait(self) -> None:
        """Wait until readers of the file see everything that was flushed.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        if not self._is_inherited:
            with self._lock:
                self._file.wait(self._say_waiting)

    def compute(self, function: Callable[[Path, A], R], facts: A, kind: type[R]) -> R:
        """Apply a function to the trace, in the process that writes it, where torch is not.

        Args:
            function: A function of one of gradviz's modules; it gets the path of the trace.
            facts: What else it gets, which its annotation describes for `msgspec`.
            kind: The type of its result.

        Raises:
            TraceError: If something was not written, or if it has failed in the other process.
        """
        with self._lock:
            self.flush()
            return self._file.compute(function, self._place, facts, kind)

    def _say_waiting(self, share: float) -> None:
        if self.on_wait is not None:
            path = final_path(self._path)
            self.on_wait(say("file.writing_rest", path=path, percent=int(100 * share)))

    def put_scope(self, scope: RecordingScope) -> None:
        """Record which part of the run the trace contains.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        self._put_meta("scope", scope)

    def put_pass_numbers(self, numbers: PassNumbers) -> None:
        """Record what is known of some consecutive passes, and flush nothing else.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        self._put_meta(pass_numbers_key(numbers.first), numbers)

    def flush(self) -> None:
        """Commit all waiting records, or hand them over to the process that does.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        if self._is_inherited:
            return
        with self._lock:
            count = len(self._packed)
            if not count:
                return
            self._write(join_rows(self._packed[:count]))
            # After that only: what a failed flush has not written is kept.
            del self._packed[:count]
            self._written += count
            if self._successor is not None:
                # Not before, as the copies of rows that are kept must stay.
                self._successor.note_copies()

    def _write(self, rows: bytes) -> None:
        """Write packed rows, or hand them over; start the second process once it is worth while."""
        own = self._own_file
        if self._may_start and own is not None and self._written >= _ROWS_BEFORE:
            self._may_start = False
            self._successor = start_writer(own, self._place, self._path, is_new=self._is_new)
        process = self._successor
        if own is not None and process is not None and process.is_starting():
            process.write_early(rows)
        else:
            self._file.write(rows)

    @property
    def _file(self) -> TraceFile | WriterProcess:
        """What writes the trace: the second process if there is one and it could open the trace."""
        if self._own_file is not None and self._successor is not None:
            self._hand_over(self._own_file, self._successor)
        found = self._own_file or self._successor
        assert found is not None
        return found

    def _hand_over(self, own: TraceFile, process: WriterProcess) -> None:
        """Wait until the second process has the trace; do without it if it cannot open it."""
        if process.wait_until_open() or not self._keeps_out_others(own):
            own.leave()
            self._own_file = None
            process.early.clear()
        else:
            own.write(*process.early)
            self._successor = None

    def _keeps_out_others(self, own: TraceFile) -> bool:
        """Lock the trace, as the process might still open it; False if it has it already."""
        try:
            own.lock(self._process)
        except OSError as error:
            reraise_asynchronous(error)
            return False
        return True

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
            self._removed_steps = None
            kept = self._file.prune(first_step, first_console, tuple(nodes))
            self._removed_steps = first_step - 1
            return kept

    def _count_removed(self) -> int:
        with self._lock:
            if self._removed_steps is None:
                self._removed_steps = self._file.count_removed()
            return self._removed_steps

    def remove_after(self, highest: Mapping[str, int], *, keeps_text: bool) -> None:
        """Remove the last records, to which no other record refers.

        Args:
            highest: The highest id to keep, for each table from which records are removed; for
                steps, its number, which holds for what is inside of them, too.
            keeps_text: Whether printed text is kept, then outside of any step.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        with self._lock:
            self.flush()
            self._file.remove_after({**highest, "inside": highest["step"]}, keeps_text)

    def shrink(self) -> None:
        """Give the space of removed records back to the file system.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        with self._lock:
            self.flush()
            self._file.shrink()

    def _put_meta(self, key: str, value: Outcome | RecordingScope | PassNumbers) -> None:
        if self._is_inherited:
            return
        with self._lock:
            self._file.put_meta(key, any_text(value))

    def highest(self, table: str) -> int:
        """The highest id in a table (``node``, ``tensor``, ``step`` ...), 0 if it is empty."""
        if table != "tensor" and table not in schema.KINDS:
            raise ValueError(f"unknown table {table}")
        with self._lock:
            self.flush()
            return self._file.highest(table)

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
            try:
                self.flush()
            finally:
                try:
                    self._file.close()
                finally:
                    if self._successor is not None:
                        self._successor.leave()


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
                (any_text(origin),),
            )
        finally:
            connection.close()
        # A log left behind by another file of this name would be applied to this one.
        remove_logs(path)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
