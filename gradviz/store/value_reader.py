"""Reads stored elements from any thread; closes the connection only while no thread reads."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from gradviz.catalogue.messages import say
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
