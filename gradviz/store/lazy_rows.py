"""Sequences of records that are decoded from the text of their rows on demand.

Reads stored elements from any thread; closes the connection only while no thread reads.

Rows of a file from a stranger, of which SQLite might find any number in a few pages.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from gradviz.catalogue.messages import say
from gradviz.model.columns import MetadataKey, StepColumns, TensorColumns
from gradviz.model.inside import Inside
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.store.errors import TraceError


class ValueReader:
    """Reads elements of tensors from the connection of a trace, which it closes in the end.

    Attributes:
        is_closed: Whether the connection has been closed.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Use a connection to the trace at ``path``, which errors name."""
        self._path = path
        self._connection = connection
        # SQLite crashes if a connection is closed while another thread reads.
        self._reading = threading.Lock()
        self.is_closed = False

    def value(self, record: TensorRecord) -> TensorValue | None:
        """Read the stored elements of a tensor in its ``kept_shape``; None if none were stored.

        Raises:
            TraceError: If the elements are damaged.
        """
        if record.content not in ("whole", "preview"):
            return None
        try:
            # The length is compared in SQL, so that a blob of the wrong size is never loaded.
            query = "SELECT data FROM tensor WHERE id = ? AND length(data) = ?"
            with self._reading:
                row = self._connection.execute(query, (record.id, record.kept_bytes)).fetchone()
        except sqlite3.Error as error:
            raise TraceError(say("trace.damaged", path=self._path, reason=error)) from None
        if row is None or not isinstance(row[0], bytes):
            raise TraceError(say("trace.no_elements", path=self._path, tensor=record.id))
        return TensorValue(dtype=record.dtype, shape=record.kept_shape, data=row[0])

    def blobs(self, tensors: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Read the stored elements of many tensors directly from the file.

        Args:
            tensors: Ascending numbers; tensors between them are included.

        Raises:
            TraceError: If the file is damaged.
        """
        query = (
            "SELECT id, data FROM tensor"
            " WHERE id BETWEEN ? AND ? AND typeof(data) = 'blob' ORDER BY id"
        )
        following = tensors[0]
        try:
            with self._reading:
                rows = self._connection.execute(query, (tensors[0], tensors[-1]))
            while True:
                with self._reading:
                    row = rows.fetchone()
                if row is None:
                    return
                if row[0] < following:
                    raise sqlite3.DatabaseError("rows of table tensor are found twice")
                following = row[0] + 1
                yield row
        except sqlite3.Error as error:
            raise TraceError(say("trace.damaged", path=self._path, reason=error)) from None

    def close(self) -> None:
        """Close the connection, after the reads that are in progress in other threads."""
        with self._reading:
            self.is_closed = True
            self._connection.close()


TableRow = tuple[int, Any]
"""Id and content; SQLite stores any type in a column."""


def bounded_rows(
    connection: sqlite3.Connection, table: str, after: int | None = None
) -> Iterator[TableRow]:
    """The rows of a table in order, at most those that the file has room for.

    In a damaged file, several pages can lead to the same one. Its rows would be found again and
    again, for ever if a few pages do so.

    Args:
        connection: A database with the table.
        table: The table.
        after: Id of the row before the first one; None for all rows.

    Raises:
        sqlite3.DatabaseError: If the same row, or more than the file can contain, is found.
    """
    left = file_bytes(connection)
    where = "" if after is None else "WHERE id > ?"
    given = () if after is None else (after,)
    last = after
    for row in connection.execute(f"SELECT id, json FROM {table} {where} ORDER BY id", given):
        number, content = row
        if last is not None and number <= last:
            raise sqlite3.DatabaseError(f"rows of table {table} are found twice")
        last = number
        left -= len(content) if isinstance(content, str | bytes) else 0
        if left < 0:
            raise sqlite3.DatabaseError(f"table {table} has more content than the file")
        yield row


def read_unchecked_texts(connection: sqlite3.Connection, table: str) -> list[str]:
    """The rows of a table in order, of a file that is known to be intact."""
    return [text for (text,) in connection.execute(f"SELECT json FROM {table} ORDER BY id")]


def file_bytes(connection: sqlite3.Connection) -> int:
    """Size of a database, with what is in its log."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    return int(pages) * int(page_bytes)


T = TypeVar("T")

_NUMBER = "(?:0|[1-9][0-9]{0,17})"
_WHOLE = re.compile(rf'\[({_NUMBER}),(.*),({_NUMBER}),{_NUMBER},("whole",.*),(?:{_NUMBER}|null)\]')
"""Row of a wholly stored tensor: id, other fields, storage, version, other fields, offset."""

_MOST_KEPT = 1 << 13
"""Number of cached records; a million would fill the memory."""


class LazyRows(Sequence[T], Generic[T]):
    """A sequence of records, equal to any other sequence of equal records, such as a tuple."""

    def __init__(self, texts: list[str], read: Callable[[str], T]) -> None:
        """Use texts in order, and a function that decodes one."""
        self._texts = texts
        self._read = read
        self._all: tuple[T, ...] | None = None
        self._some: dict[int, T] = {}

    def __len__(self) -> int:
        """Number of records."""
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        """One record, or a tuple of several."""
        if self._all is not None:
            return self._all[place]
        if isinstance(place, slice):
            return tuple(map(self._read, self._texts[place]))
        at = place if place >= 0 else place + len(self._texts)
        made = self._some.get(at)
        if made is None:
            made = self._read(self._texts[place])
            if len(self._some) >= _MOST_KEPT:
                self._some.clear()
            self._some[at] = made
        return made

    def __iter__(self) -> Iterator[T]:
        """Iterate over all records; those of a long table are decoded again each time."""
        if self._all is None and len(self._texts) <= _MOST_KEPT:
            self._all = tuple(map(self._read, self._texts))
            self._some.clear()
        return map(self._read, self._texts) if self._all is None else iter(self._all)

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has equal records."""
        if not isinstance(other, Sequence):
            return NotImplemented
        if len(other) != len(self):
            return False
        return all(mine == its for mine, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class LazySteps(LazyRows[Step]):
    """Steps, with the columns that were collected when they were first read."""

    step_columns: StepColumns


class LazyTensors(LazyRows[TensorRecord]):
    """Tensor records, with the columns that were collected when they were first read."""

    tensor_columns: TensorColumns

    def metadata_keys(self) -> Iterator[MetadataKey | None]:
        """For each tensor, its row without the numbers, its id and its storage.

        None for a tensor that is not stored as a whole or has no storage or version.

        Of two rows with equal keys, either both decode, to records that differ only in their
        numbers, or none does: the quotes of ``"whole"`` are outside of all strings, because a comma
        and not a backslash is in front of them, so the numbers before them are fields.
        """
        # SQLite stores any type in a column.
        texts: list[Any] = self._texts
        for text in texts:
            found = _WHOLE.fullmatch(text) if isinstance(text, str) else None
            if found is None:
                yield None
            else:
                number, before, storage, after = found.groups()
                yield (before, after), int(number), int(storage)

    def followed_by(self, texts: list[str], columns: TensorColumns) -> LazyTensors:
        """These records and later ones, given by the texts of their rows and their columns."""
        both = LazyTensors([*self._texts, *texts], self._read)
        both.tensor_columns = self.tensor_columns.followed_by(columns)
        return both


class LazyInsides(LazyRows[Inside]):
    """Contents of steps, with the step numbers."""

    @property
    def numbers(self) -> list[int]:
        """The step of each record: the first field of its row."""
        return [int(text[1 : text.index(",")]) for text in self._texts]
