"""The texts of packed rows, made in the process that writes the trace, without the model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, compress, count, repeat
from json import JSONEncoder
from operator import contains
from typing import Any

import msgspec

from gradviz.model.codec import encode

_unpack = msgspec.msgpack.Decoder(list[list[tuple[str, int, msgspec.Raw, bytes | None]]]).decode
_unpack_row = msgspec.msgpack.Decoder().decode
_to_lines = msgspec.json.Encoder().encode_lines
_dumps = JSONEncoder(separators=(",", ":")).encode
_FLOAT = b"\xcb"
"""In front of each float in msgpack; the byte may also be part of something else."""


def unpack_rows(batches: Iterable[bytes]) -> dict[str, dict[int, tuple[Any, ...]]]:
    """The columns of the latest row for each id, in each table."""
    tables: defaultdict[str, dict[int, tuple[Any, ...]]] = defaultdict(dict)
    placed = [*chain.from_iterable(chain.from_iterable(map(_unpack, batches)))]
    if not placed:
        return tables
    names, numbers, rows, elements = zip(*placed, strict=True)
    parts = [_texts_of(rows[at : at + _AT_ONCE]) for at in range(0, len(rows), _AT_ONCE)]
    texts = chain.from_iterable(parts)
    for table, number, text, data in zip(names, numbers, texts, elements, strict=True):
        tables[table][number] = (number, text) if data is None else (number, text, data)
    return tables


_AT_ONCE = 100
"""Rows whose values exist at once: more would have Python look for garbage among them."""


def _texts_of(rows: Sequence[msgspec.Raw]) -> list[str]:
    """The same texts as `gradviz.store.row_codec.row_text` makes of the records."""
    values = [*map(_unpack_row, rows)]
    lines = _to_lines(values)
    # In JSON, no text contains the end of a line.
    texts = lines.decode().split("\n")[:-1]
    others: Iterable[int] = ()
    if not lines.isascii() or str in map(type, values):
        others = range(len(rows))
    elif _FLOAT in b"".join(rows):
        others = compress(count(), map(contains, map(bytes, rows), repeat(_FLOAT)))
    for place in others:
        value = values[place]
        texts[place] = value if isinstance(value, str) else _text_of(value)
    return texts


def _text_of(value: Any) -> str:
    """The text with floats as Python writes them, and in ASCII."""
    text = _dumps(value)
    is_finite = "NaN" not in text and "Infinity" not in text
    return text if is_finite else _dumps(encode(value))
