"""Rows on their way to the process that writes them, which makes their text.

A record is packed when it is put, because it may change after that. This takes a tenth of the time
of its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from gradviz.model.codec import TraceRecord, number_parts
from gradviz.store.row_codec import row_text

pack_rows = msgspec.msgpack.Encoder(enc_hook=number_parts).encode
"""Packs rows that are put together; one call takes as long as two rows."""


class SharedCopy(NamedTuple):
    """Elements in the memory that the run shares; see `gradviz.store.shared_memory`.

    Attributes:
        begin: Where they begin.
        size: Their bytes.
        message: Number of the message with the first row that refers to it.
    """

    begin: int
    size: int
    message: int


ElementData = bytes | memoryview | SharedCopy
"""The elements of a tensor that are stored, or all of them in shared memory."""

TraceRow = tuple[str, int, TraceRecord, ElementData | None]
"""A row: its table, its id there, the record, and the elements of a tensor."""


def pack_text_rows(rows: Iterable[TraceRow]) -> bytes:
    """Pack records as text: they may be too long, or hold what msgpack cannot.

    That is half of a surrogate pair, or an integer of more than 64 bits.
    """
    return pack_rows([(table, id_, row_text(record), data) for table, id_, record, data in rows])


def join_rows(packed: Sequence[bytes]) -> bytes:
    """Several results of `pack_rows` as one array."""
    return b"".join((b"\xdd", len(packed).to_bytes(4, "big"), *packed))
