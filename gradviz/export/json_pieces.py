"""JSON text in pieces, so that a long document is never in memory as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def json_pieces(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text that ``json.dumps`` with ``indent=1`` would write.

    Args:
        document: An object with at least one member. A member that is an iterator is written as
            an array, one element after the other.
    """
    opening = "{\n"
    for key, value in document.items():
        yield f"{opening} {json.dumps(key)}: "
        if isinstance(value, Iterator):
            yield from _array(value)
        else:
            yield _text(value, 1)
        opening = ",\n"
    yield "\n}"


def _array(values: Iterator[Any]) -> Iterator[str]:
    opening = "[\n  "
    for value in values:
        yield opening + _text(value, 2)
        opening = ",\n  "
    yield "[]" if opening.startswith("[") else "\n ]"


def _text(value: Any, depth: int) -> str:
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, indent=1)
    return text.replace("\n", "\n" + " " * depth)
