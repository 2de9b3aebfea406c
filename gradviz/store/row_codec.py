"""The JSON text of a row: an array of a record's fields, in the order of the class.

Without field names, a recording is half as long, and takes half the time to write and read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache

# By name, because user code may replace the functions in the modules.
from json import loads
from typing import Any, TypeVar, cast

import msgspec

from gradviz.model.codec import (
    Complex,
    Real,
    TraceRecord,
    decode,
    fields_with_type,
    json_text,
    misfit,
    number_from,
)
from gradviz.store.text_limit import MOST_CHARACTERS, cut_texts, visible_texts

T = TypeVar("T")

_to_json = msgspec.json.Encoder().encode


def row_text(record: TraceRecord) -> str:
    """Encode a record as JSON text, in ASCII."""
    for name in fields_with_numbers(type(record)):
        # Both write zero and None alike.
        if getattr(record, name):
            return any_text(record)
    try:
        data = _to_json(record)
    except UnicodeEncodeError:  # half of a surrogate pair
        return any_text(record)
    return data.decode() if data.isascii() and len(data) <= MOST_CHARACTERS else any_text(record)


def any_text(record: msgspec.Struct) -> str:
    """The JSON text of any record, with floats as Python writes them; long texts are cut."""
    text = json_text(record)
    if len(text) <= MOST_CHARACTERS:
        return text
    cut = cut_texts(record)
    return text if cut == record else json_text(cut)


@cache
def fields_with_numbers(kind: Any) -> tuple[str, ...]:
    """Fields of a record that can hold floats or complex numbers."""
    return (*fields_with_type(kind, Real), *fields_with_type(kind, Complex))


def row_reader(kind: type[T], *, visible: bool = False) -> Callable[[str], T]:
    """Create a function that decodes the text of a row, the inverse of `row_text`.

    The function raises `CodecError`, which says where, if a text does not have the form of the
    type, or if a number is negative or does not fit into 63 bits: all are ids, indices or sizes.

    Args:
        kind: The class of the row, or a union of them.
        visible: Whether control characters in names and messages are escaped; see `visible_text`.
            Source code stays as it is.
    """
    decoder: msgspec.json.Decoder[T] | None = None

    def read_row(text: str) -> T:
        nonlocal decoder
        if not isinstance(text, str):
            raise misfit(kind, TypeError("a row is not text"))
        # Kept, because to look it up takes as long as to decode a row.
        decoder = decoder or _decoder(cast(Hashable, kind))
        try:
            record = decoder.decode(text)
        except msgspec.ValidationError as error:
            raise misfit(kind, error) from None
        except msgspec.DecodeError:
            # No JSON, or with half of a surrogate pair, which msgspec refuses.
            record = decode(kind, loads(text))
        # In JSON, almost all characters to escape follow a backslash; few rows have one.
        if visible and ("\\" in text or not text.isprintable()):
            return visible_texts(record)
        return record if len(text) <= MOST_CHARACTERS else cut_texts(record)

    return read_row


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    # Only when it is needed: making all of them takes longer than reading a small trace.
    return msgspec.json.Decoder(kind, dec_hook=number_from)
