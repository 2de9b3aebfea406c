"""Rows on their way to the process that writes them, which makes their text.

A record is packed when it is put, because it may change after that. This takes a tenth of the time
of its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from gradviz.model.codec import TraceRecord, number_parts
from gradviz.store.row_codec import row_text

pack_row = msgspec.msgpack.Encoder(enc_hook=number_parts).encode
"""Packs the table of a record, its id there, the record, and the elements of a tensor or None."""


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


def pack_text_row(table: str, number: int, record: TraceRecord, data: ElementData | None) -> bytes:
    """Pack a record as text: it may be too long, or hold what msgpack cannot.

    That is half of a surrogate pair, or an integer of more than 64 bits.
    """
    return pack_row((table, number, row_text(record), data))


def join_rows(rows: Sequence[bytes]) -> bytes:
    """Several packed rows as one array."""
    return b"".join((b"\xdd", len(rows).to_bytes(4, "big"), *rows))
