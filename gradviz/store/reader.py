"""Opens a trace file, also a stranger's, and reads it: records at once, elements when asked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from gradviz.model.codec import CodecError, decode
from gradviz.model.collector import collector_paused
from gradviz.model.index import Index, index_of
from gradviz.model.jacobian import JacobianReport
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.tensor_table import TensorTable
from gradviz.model.trace import Origin, Outcome, Trace
from gradviz.model.validate import Validation
from gradviz.store import schema
from gradviz.store.errors import TraceError
from gradviz.store.header import read_header
from gradviz.store.row_read import row_reader
from gradviz.store.rows import InsideRows, StepRows, TensorRows
from gradviz.store.upgrade import upgraded

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
}
"""The fields of `Trace` that are made at once, and their tables."""

_MOST_BYTES = 1 << 30
"""No text or blob of a trace may be longer."""


class TraceReader:
    """One open trace. Make it with `open_trace`; close it, or use it as a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection, version: int) -> None:
        """Takes over a checked connection to a trace of format ``version``."""
        self.path = path
        self._version = version
        self._connection = connection
        self._tensors: TensorTable | None = None

    def trace(self, pause: Callable[[], None] = lambda: None) -> Trace:
        """Reads all records.

        Args:
            pause: Called now and then; whatever it raises ends the reading.

        Raises:
            TraceError: If the file is damaged, or says what cannot be true of a run.
        """
        try:
            with self._one_moment(), collector_paused():
                trace = self._read()
                validation = Validation(trace, pause)
        except (sqlite3.Error, CodecError, KeyError, ValueError, RecursionError) as error:
            raise TraceError(f"{self.path} is damaged: {error}.") from None
        problems = validation.problems
        if problems:
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            raise TraceError(f"{self.path} is not a valid trace: {problems[0]}{more}.")
        if isinstance(trace.steps, StepRows) and isinstance(trace.tensors, TensorRows):
            trace.steps.step_columns = validation.step_columns()
            trace.tensors.tensor_columns = validation.tensor_columns()
        self._tensors = TensorTable(trace.tensors, self.value)
        return trace

    def _read(self) -> Trace:
        with upgraded(self._connection, self._version) as source:
            texts = {table: _texts(source, table) for table in ("tensor", *schema.KINDS)}
            meta = dict(source.execute("SELECT key, json FROM meta").fetchall())
        return Trace(
            origin=decode(Origin, json.loads(meta["origin"])),
            outcome=decode(Outcome, json.loads(meta["outcome"])) if "outcome" in meta else None,
            steps=StepRows(texts["step"], row_reader(schema.KINDS["step"])),
            insides=InsideRows(texts["inside"], row_reader(schema.KINDS["inside"])),
            tensors=TensorRows(texts["tensor"], row_reader(schema.TENSOR_KIND)),
            **{
                field: tuple(map(row_reader(schema.KINDS[table]), texts[table]))
                for field, table in _TABLES.items()
            },
        )

    def index(self, pause: Callable[[], None] = lambda: None) -> Index:
        """Reads all records as `trace` does, and resolves what refers to what."""
        return index_of(self.trace(pause), self.value, self.blobs)

    def value(self, tensor: int) -> TensorValue | None:
        """Reads the kept elements of a tensor; None where none were kept.

        The value has the shape ``kept_shape`` of its record.

        Raises:
            TraceError: If there is no such tensor or its elements are damaged.
        """
        record = self._record(tensor)
        if record.content not in ("whole", "preview"):
            return None
        try:
            query = "SELECT data FROM tensor WHERE id = ? AND length(data) = ?"
            row = self._connection.execute(query, (tensor, record.kept_bytes)).fetchone()
        except sqlite3.Error as error:
            raise TraceError(f"{self.path} is damaged: {error}.") from None
        if row is None or not isinstance(row[0], bytes):
            raise TraceError(f"{self.path} is damaged: tensor {tensor} has not its elements.")
        return TensorValue(dtype=record.dtype, shape=record.kept_shape, data=row[0])

    def last_report(self) -> tuple[JacobianReport, dict[int, TensorValue]] | None:
        """The last report with the matrices of its unfinished pairs, though a child may write on.

        Reads nothing else, however long the trace is; None where there is no report.

        Raises:
            TraceError: If the file is damaged.
        """
        query = "SELECT json FROM report ORDER BY id DESC LIMIT 1"
        try:
            with self._one_moment():
                row = self._connection.execute(query).fetchone()
                if row is None:
                    return None
                report: JacobianReport = row_reader(schema.KINDS["report"])(row[0])
                blocks = report.unfinished
                numbers = {n for block in blocks for n in (block.numerical, block.analytical)}
                return report, {number: self._now(number) for number in numbers}
        except (sqlite3.Error, CodecError, ValueError, RecursionError) as error:
            raise TraceError(f"{self.path} is damaged: {error}.") from None

    def _now(self, tensor: int) -> TensorValue:
        """The elements of a tensor that changes while it is computed."""
        query = "SELECT json, data FROM tensor WHERE id = ?"
        row = self._connection.execute(query, (tensor,)).fetchone()
        if row is None or not isinstance(row[1], bytes):
            raise ValueError(f"tensor {tensor} is not there")
        record: TensorRecord = row_reader(schema.TENSOR_KIND)(row[0])
        if len(row[1]) != record.kept_bytes:
            raise ValueError(f"tensor {tensor} has not its elements")
        return TensorValue(dtype=record.dtype, shape=record.kept_shape, data=row[1])

    def blobs(self, tensors: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Reads the kept elements of many tensors as they stand in the file.

        Args:
            tensors: Ascending numbers; those between them come along.

        Raises:
            TraceError: If the file is damaged.
        """
        try:
            yield from self._connection.execute(
                "SELECT id, data FROM tensor"
                " WHERE id BETWEEN ? AND ? AND typeof(data) = 'blob' ORDER BY id",
                (tensors[0], tensors[-1]),
            )
        except sqlite3.Error as error:
            raise TraceError(f"{self.path} is damaged: {error}.") from None

    def close(self) -> None:
        """Lets go of the file."""
        self._connection.close()

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """What is read inside stems from one commit, though the writer may go on."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.rollback()

    def _record(self, tensor: int) -> TensorRecord:
        if self._tensors is None:
            self.trace()
        if self._tensors is None or tensor not in self._tensors:
            raise TraceError(f"{self.path} has no tensor {tensor}.")
        return self._tensors.bare(tensor)

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the file."""
        self.close()


def open_trace(path: Path, *, live: bool = False) -> TraceReader:
    """Opens a trace for reading; nothing in it is executed or trusted.

    Args:
        path: The file.
        live: Another process may write to it while it is open here. Needs a writable folder.

    Raises:
        TraceError: If it is missing, no trace, of a newer format, truncated or tampered with.
    """
    path = Path(path)
    header = read_header(path)
    # Without its log, a file left in write-ahead mode can only be read as if nobody ever wrote
    # to it; with the log, such a reading would hide all that is in there.
    frozen = header.uses_wal and not header.has_wal and not live
    mode = "mode=ro&immutable=1" if frozen else "mode=ro"
    try:
        uri = f"file:{quote(str(path.absolute()))}?{mode}"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise TraceError(f"{path} cannot be opened: {error}.") from None
    try:
        _distrust(connection)
        found = schema.objects(connection)
    except (sqlite3.Error, ValueError) as error:
        connection.close()
        raise TraceError(f"{path} is damaged: {error}.") from None
    if found != schema.expected_objects(header.version):
        connection.close()
        raise TraceError(f"{path} does not have the tables of a gradviz trace.")
    return TraceReader(path, connection, header.version)


def _texts(connection: sqlite3.Connection, table: str) -> list[str]:
    return [text for (text,) in connection.execute(f"SELECT json FROM {table} ORDER BY id")]


def _distrust(connection: sqlite3.Connection) -> None:
    # As https://www.sqlite.org/security.html advises for files of unknown origin.
    connection.execute("PRAGMA trusted_schema = off")
    connection.execute("PRAGMA cell_size_check = on")
    connection.execute("PRAGMA query_only = on")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
