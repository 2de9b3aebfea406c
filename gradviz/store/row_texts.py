"""The texts of packed rows, made in the process that writes the trace, without the model."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from json import JSONEncoder
from typing import Any

import msgspec

from gradviz.model.codec import encode

_unpack = msgspec.msgpack.Decoder(list[list[tuple[str, int, msgspec.Raw, bytes | None]]]).decode
_unpack_row = msgspec.msgpack.Decoder().decode
_to_json = msgspec.json.Encoder().encode
_dumps = JSONEncoder(separators=(",", ":")).encode
_FLOAT = b"\xcb"
"""In front of each float in msgpack; the byte may also be part of something else."""


def unpack_rows(batches: Iterable[bytes]) -> dict[str, dict[int, tuple[Any, ...]]]:
    """The columns of the latest row for each id, in each table."""
    tables: dict[str, dict[int, tuple[Any, ...]]] = {}
    for batch in batches:
        for table, number, row, data in chain.from_iterable(_unpack(batch)):
            columns = (number, _text_of(row)) if data is None else (number, _text_of(row), data)
            tables.setdefault(table, {})[number] = columns
    return tables


def _text_of(row: msgspec.Raw) -> str:
    """The same text as `gradviz.store.row_codec.row_text` makes of the record."""
    value = _unpack_row(row)
    if isinstance(value, str):
        return value
    if _FLOAT not in bytes(row):
        data = _to_json(value)
        if data.isascii():
            return data.decode()
    # As Python writes floats.
    text = _dumps(value)
    is_finite = "NaN" not in text and "Infinity" not in text
    return text if is_finite else _dumps(encode(value))
