"""Open and read a trace file, even an untrusted one: records at once, elements on demand."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeVar
from urllib.parse import quote

from msgspec.structs import replace

from gradviz.catalogue.messages import say, say_count
from gradviz.model.codec import CodecError, decode
from gradviz.model.console import ConsoleText
from gradviz.model.gc_pause import gc_paused
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.pass_numbers import PassNumbers
from gradviz.model.settings.recording_scope import WHOLE_RUN, RecordingScope
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.tensor_table import TensorTable
from gradviz.model.trace import Origin, Outcome, Trace
from gradviz.model.validation.trace_rules import TraceValidation
from gradviz.store import schema, writer_lock
from gradviz.store.errors import TraceError
from gradviz.store.header import read_header
from gradviz.store.lazy_rows import (
    LazyInsides,
    LazySteps,
    LazyTensors,
    ValueReader,
    bounded_rows,
    file_bytes,
    read_unchecked_texts,
)
from gradviz.store.repair import part_before_damage, records_before_damage, snapshot_of
from gradviz.store.row_codec import row_reader
from gradviz.store.text_limit import cut_texts, visible_texts
from gradviz.store.written_files import is_written_here

T = TypeVar("T")

_TABLES = {
    "nodes": "node",
    "edges": "edge",
    "saved": "saved",
    "modules": "module",
    "calls": "call",
    "sources": "source",
    "console": "console",
    "cuts": "cut",
    "findings": "finding",
    "reports": "report",
    "changes": "change",
    "writes": "write",
}
"""Tables of the fields of `Trace` that are decoded at once."""

_DAMAGE = (sqlite3.Error, CodecError, KeyError, ValueError, RecursionError)
"""What reading a damaged file raises."""

_MOST_BYTES = 1 << 30
"""Maximum length of a text or blob in a trace."""
_LEAST_LIMIT = 1 << 24
"""What a check may append to a trace while it is read."""


class TraceReader:
    """An open trace, created by `open_trace`; close it, or use it as a context manager.

    Attributes:
        on_damage: Called once with a sentence, by any thread, when elements turn out to be damaged
            in a trace that is opened for repair.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        own: bool = False,
        repair: bool = False,
        visible: bool = False,
        folder: TemporaryDirectory[str] | None = None,
    ) -> None:
        """Use a checked connection to a trace; see `open_trace`.

        Args:
            path: The trace.
            connection: Reads it, or a copy.
            own: Whether this process writes it.
            repair: Whether to read what is before the damage.
            visible: Whether control characters in names and messages are escaped.
            folder: The copy's folder, which is removed in the end.
        """
        self._folder = folder
        self.path = path
        self._own = own
        self._repair = repair
        self._visible = visible
        self._connection = connection
        self._values = ValueReader(path, connection)
        self._tensors: TensorTable | None = None
        self.on_damage: Callable[[str], None] | None = None

    @property
    def is_closed(self) -> bool:
        """Whether it has been closed."""
        return self._values.is_closed

    def trace(self, pause: Callable[[], None] = lambda: None) -> Trace:
        """Read all records; if the trace is opened for repair, those before the damage.

        Args:
            pause: Called from time to time; an exception that it raises ends the reading.

        Raises:
            TraceError: If the file is damaged or its records are inconsistent, beyond repair.
        """
        # Otherwise the garbage collector scans the growing number of records again and again.
        with self._one_moment(), gc_paused():
            trace, validation = self._read_all(pause)
        self._refuse_invalid(validation)
        if isinstance(trace.steps, LazySteps) and isinstance(trace.tensors, LazyTensors):
            trace.steps.step_columns = validation.steps.columns.built()
            trace.tensors.tensor_columns = validation.tensors.columns.built()
        self._tensors = TensorTable(trace.tensors, self.value)
        return trace

    def step_counts(self) -> Counter[str]:
        """How many steps there are of each class, by its name; nothing else is read.

        Raises:
            TraceError: If the file is damaged.
        """
        query = "SELECT json_extract(json, '$[0]'), COUNT(*) FROM step GROUP BY 1"
        try:
            return Counter(dict(self._connection.execute(query).fetchall()))
        except sqlite3.Error as error:
            raise TraceError(say("trace.damaged", path=self.path, reason=error)) from None

    def scope(self) -> RecordingScope:
        """The part of the program that was to be recorded."""
        return _scope_in(self._connection)

    def _read_all(self, pause: Callable[[], None]) -> tuple[Trace, TraceValidation]:
        try:
            trace = self._read()
            validation = TraceValidation(trace, pause, is_own=self._own)
        except _DAMAGE as error:
            if not self._repair:
                raise
            problem = str(error)
        else:
            if not (validation.problems and self._repair):
                return trace, validation
            problem = validation.problems[0]
        repaired = self._repaired(problem)
        return repaired, TraceValidation(repaired, pause)

    def _repaired(self, problem: str) -> Trace:
        """What a damaged trace contains before the damage."""
        source = self._connection
        kinds = {**_TABLES, "steps": "step", "insides": "inside"}
        kept: dict[str, Any] = {
            field: records_before_damage(source, table, self._row_reader(schema.KINDS[table]))
            for field, table in kinds.items()
        }
        tensors = records_before_damage(source, "tensor", self._row_reader(schema.TENSOR_KIND))
        origin, outcome = self._origin_and_outcome(source)
        part = Trace(
            origin=origin,
            outcome=outcome,
            scope=_scope_in(source),
            numbers=_numbers_in(source),
            tensors=tensors,
            **kept,
        )
        return part_before_damage(part, problem)

    def _refuse_invalid(self, validation: TraceValidation) -> None:
        if problems := validation.problems:
            sentence = say_count(
                "trace.invalid", len(problems), path=self.path, problem=problems[0]
            )
            raise TraceError(sentence)

    def _read(self) -> Trace:
        source = self._connection
        read = read_unchecked_texts if self._own else _texts
        texts = {table: read(source, table) for table in ("tensor", *schema.KINDS)}
        origin, outcome = self._origin_and_outcome(source)
        return Trace(
            origin=origin,
            outcome=outcome,
            scope=_scope_in(source),
            numbers=_numbers_in(source),
            steps=LazySteps(texts["step"], self._row_reader(schema.KINDS["step"])),
            insides=LazyInsides(texts["inside"], self._row_reader(schema.KINDS["inside"])),
            tensors=LazyTensors(texts["tensor"], self._row_reader(schema.TENSOR_KIND)),
            **{
                field: tuple(map(self._row_reader(schema.KINDS[table]), texts[table]))
                for field, table in _TABLES.items()
            },
        )

    def read_appended(self, trace: Trace) -> Trace:
        """Add to a trace what checks have appended to the file since it was read.

        A check appends only reports with their matrices, sources, printed text and findings. The
        steps are not read again, so that this does not take longer for a longer run.

        Args:
            trace: Result of `trace`, or of an earlier call.

        Raises:
            TraceError: If the file is damaged or the appended records are inconsistent.
        """
        if not isinstance(trace.tensors, LazyTensors):
            return self.trace()
        with self._one_moment():
            tail, texts = self._read_tail(trace)
            # The lines of its records are in sources of either part.
            both = replace(tail, sources=(*trace.sources, *tail.sources))
            validation = TraceValidation(both)
        self._refuse_invalid(validation)
        tensors = trace.tensors.followed_by(texts, validation.tensors.columns.built())
        self._tensors = TensorTable(tensors, self.value)
        return replace(
            trace,
            tensors=tensors,
            sources=(*trace.sources, *tail.sources),
            console=(*trace.console, *tail.console),
            cuts=tail.cuts,
            findings=(*trace.findings, *tail.findings),
            reports=(*trace.reports, *tail.reports),
        )

    def _read_tail(self, trace: Trace) -> tuple[Trace, list[str]]:
        """The appended records as a trace without steps, and the texts of its tensors."""
        last = trace.tensors[-1].id if len(trace.tensors) else 0
        texts = _texts(self._connection, "tensor", last or None)
        tail = Trace(
            origin=trace.origin,
            tensors=tuple(map(self._row_reader(schema.TENSOR_KIND), texts)),
            sources=self._rows_after("source", trace.sources),
            console=self._rows_after("console", trace.console),
            cuts=self._rows_after("cut", ()),
            findings=self._rows_after("finding", trace.findings),
            reports=self._rows_after("report", trace.reports),
        )
        if tail.tensors and tail.tensors[0].id <= last:
            raise ValueError("ids of kind tensor do not ascend")
        return tail, texts

    def _rows_after(self, table: str, known: tuple[Any, ...]) -> tuple[Any, ...]:
        """The records of a table that follow the known ones."""
        last = known[-1].id if known else 0
        texts = _texts(self._connection, table, last or None)
        records = tuple(map(self._row_reader(schema.KINDS[table]), texts))
        # The query has compared the column; the record contains its id once more.
        if last and records and records[0].id <= last:
            raise ValueError(f"ids of kind {table} do not ascend")
        return records

    def printed(self) -> tuple[ConsoleText, ...]:
        """What has been printed so far, even while the run goes on; reads nothing else.

        Raises:
            TraceError: If the file is damaged.
        """
        with self._one_moment():
            return self._rows_after("console", ())

    def value(self, tensor: int) -> TensorValue | None:
        """Read the stored elements of a tensor; None if none were stored.

        If the trace is opened for repair, also None if they are damaged, or if the trace has been
        closed; the first error about damage is given to `on_damage`.

        Raises:
            TraceError: If there is no such tensor or its elements are damaged.
        """
        try:
            return self.intact_value(tensor)
        except TraceError as error:
            if not self._repair:
                raise
            tell, self.on_damage = self.on_damage, None
            if tell is not None and not self.is_closed:
                tell(str(error))
            return None

    def intact_value(self, tensor: int) -> TensorValue | None:
        """Read the stored elements of a tensor; None if none were stored.

        The value has the shape ``kept_shape`` of its record.

        Raises:
            TraceError: If there is no such tensor or its elements are damaged.
        """
        return self._values.value(self._record(tensor))

    def last_report(self) -> tuple[JacobianReport, dict[int, TensorValue]] | None:
        """The last report and its unfinished matrices, even while a check is still running.

        Reads nothing else, however long the trace is; None if there is no report.

        Raises:
            TraceError: If the file is damaged.
        """
        query = "SELECT json FROM report ORDER BY id DESC LIMIT 1"
        with self._one_moment():
            row = self._connection.execute(query).fetchone()
            if row is None:
                return None
            report: JacobianReport = self._row_reader(schema.KINDS["report"])(row[0])
            blocks = report.unfinished
            numbers = {n for block in blocks for n in (block.numerical, block.analytical)}
            return report, {number: self._now(number) for number in numbers}

    def _now(self, tensor: int) -> TensorValue:
        """The current elements of a tensor that is still being computed."""
        query = "SELECT json, data FROM tensor WHERE id = ?"
        row = self._connection.execute(query, (tensor,)).fetchone()
        if row is None or not isinstance(row[1], bytes):
            raise ValueError(f"tensor {tensor} does not exist")
        record: TensorRecord = self._row_reader(schema.TENSOR_KIND)(row[0])
        if len(row[1]) != record.kept_bytes:
            raise ValueError(f"the elements of tensor {tensor} are incomplete")
        return TensorValue(dtype=record.dtype, shape=record.kept_shape, data=row[1])

    def blobs(self, tensors: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Read the stored elements of many tensors directly from the file.

        Args:
            tensors: Ascending numbers; tensors between them are included.

        Raises:
            TraceError: If the file is damaged.
        """
        return self._values.blobs(tensors)

    def close(self) -> None:
        """Close the file, after the reads that are in progress in other threads."""
        self._values.close()
        if self._folder is not None:
            self._folder.cleanup()

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """Run all reads inside on one commit, even while the writer goes on.

        Raises:
            TraceError: If the file is damaged.
        """
        try:
            # In write-ahead mode, a transaction keeps seeing the commit that its first read saw.
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.rollback()
        except _DAMAGE as error:
            raise TraceError(say("trace.damaged", path=self.path, reason=error)) from None

    def _row_reader(self, kind: type[T]) -> Callable[[str], T]:
        return row_reader(kind, visible=self._visible)

    def _origin_and_outcome(self, connection: sqlite3.Connection) -> tuple[Origin, Outcome | None]:
        meta = dict(connection.execute(_ORIGIN_AND_OUTCOME).fetchall())
        if "origin" not in meta:
            raise TraceError(say("trace.no_origin", path=self.path))
        origin = self._limited(decode(Origin, json.loads(meta["origin"])))
        if "outcome" not in meta:
            return origin, None
        return origin, self._limited(decode(Outcome, json.loads(meta["outcome"])))

    def _limited(self, record: T) -> T:
        return visible_texts(record) if self._visible else cut_texts(record)

    def _record(self, tensor: int) -> TensorRecord:
        if self._tensors is None:
            self.trace()
        if self._tensors is None or tensor not in self._tensors:
            raise TraceError(say("trace.no_tensor", path=self.path, tensor=tensor))
        return self._tensors.bare(tensor)

    def __enter__(self) -> Self:
        """Return the reader itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()


def open_trace(
    path: Path,
    *,
    live: bool = False,
    own: bool = False,
    repair: bool = False,
    visible: bool = False,
) -> TraceReader:
    """Open a trace for reading; nothing in it is executed or trusted.

    Args:
        path: Path of the file.
        live: Whether what is written to it from now on is read, too. This needs a writable folder
            of this machine; otherwise, a trace with a log is read from a copy.
        own: Whether this process writes it, so that its records need not be checked.
        repair: Whether to read a damaged trace up to the damage. A finding then says so.
        visible: Whether control characters in names and messages are escaped, for a reader that
            shows them.

    Raises:
        TraceError: If it is missing, not a trace, of a newer format, truncated or tampered with.
    """
    path = Path(path)
    folder, file, frozen = None, path, False
    if not (is_own_file := is_written_here(path)):
        writer_lock.wait_for_writer(path, unless=live)
        header = read_header(path, whole=not repair)
        if header.has_log and not live:
            folder, file = snapshot_of(path)
        # Without its log, a file in write-ahead mode can only be read as immutable.
        frozen = header.uses_wal and not header.has_log and not live
    with ExitStack() as undone:
        if folder is not None:
            undone.callback(folder.cleanup)
        connection = undone.enter_context(closing(_connect(file, path, frozen=frozen)))
        _inspect(connection, path, repair=repair)
        if not (live or is_own_file):
            # In a file that no longer grows, no text or blob is larger than the file.
            most = min(max(file_bytes(connection), _LEAST_LIMIT), _MOST_BYTES)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most)
        undone.pop_all()
    return TraceReader(path, connection, own=own, repair=repair, visible=visible, folder=folder)


def _connect(file: Path, path: Path, *, frozen: bool) -> sqlite3.Connection:
    mode = "mode=ro&immutable=1" if frozen else "mode=ro"
    uri = f"file:{quote(os.fsencode(file.absolute()))}?{mode}"
    try:
        # The window reads from several threads, one at a time.
        return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise TraceError(say("file.unreadable", path=path, reason=error)) from None


def _inspect(connection: sqlite3.Connection, path: Path, *, repair: bool) -> None:
    """Raise `TraceError` if the tables are not those of a trace."""
    try:
        if repair:
            # SQLite then opens a file whose end is missing. Nothing can be written all the same.
            connection.execute("PRAGMA writable_schema = on")
        _distrust(connection)
        found = schema.objects(connection)
    except (sqlite3.Error, ValueError) as error:
        raise TraceError(say("trace.damaged", path=path, reason=error)) from None
    # A view or trigger in a file from a stranger would run its SQL.
    if found != schema.expected_objects():
        raise TraceError(say("trace.other_tables", path=path))


_ORIGIN_AND_OUTCOME = "SELECT key, json FROM meta WHERE key IN ('origin', 'outcome')"


def _numbers_in(connection: sqlite3.Connection) -> tuple[PassNumbers, ...]:
    """The numbers of all passes; empty if all were recorded."""
    rows = connection.execute("SELECT json FROM meta WHERE key LIKE 'passes %' ORDER BY key")
    return tuple([decode(PassNumbers, json.loads(text)) for (text,) in rows])


def _scope_in(connection: sqlite3.Connection) -> RecordingScope:
    """The scope of a recording; the default if it was not limited."""
    row = connection.execute("SELECT json FROM meta WHERE key = 'scope'").fetchone()
    return WHOLE_RUN if row is None else decode(RecordingScope, json.loads(row[0]))


def _texts(connection: sqlite3.Connection, table: str, after: int | None = None) -> list[str]:
    """The rows of a table in order; only those with a higher id, if one is given."""
    return [text for _, text in bounded_rows(connection, table, after)]


def _distrust(connection: sqlite3.Connection) -> None:
    # Recommended by https://www.sqlite.org/security.html for files of unknown origin.
    connection.execute("PRAGMA trusted_schema = off")
    connection.execute("PRAGMA cell_size_check = on")
    connection.execute("PRAGMA query_only = on")
    # Reading a mapped file that was truncated meanwhile would end the process.
    connection.execute("PRAGMA mmap_size = 0")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
