"""A document as indented JSON text, one piece after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

# NaN is not JSON; values are encoded as strings or null before, so one left here is an error.
_plain_text = json.JSONEncoder(allow_nan=False).encode
_NUMBERS = frozenset((float, int, bool, type(None)))
_WORDS = {None: "null", True: "true", False: "false"}


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
            yield _IndentedText().of(value, 1)
        opening = ",\n"
    yield "\n}"


def _array(values: Iterator[Any]) -> Iterator[str]:
    opening = "[\n  "
    for value in values:
        yield opening + _IndentedText().of(value, 2)
        opening = ",\n  "
    yield "[]" if opening.startswith("[") else "\n ]"


class _IndentedText:
    """Writes the text of one value.

    With ``indent``, Python's own encoder takes twice as long, and longer for parts that occur again
    as the same object: here, their text is made once.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], str] = {}

    def of(self, value: Any, depth: int) -> str:
        kind = type(value)
        if kind is str:
            return encode_basestring_ascii(value)
        if kind is int:
            return repr(value)
        if value is None or kind is bool:
            return _WORDS[value]
        if not value or not isinstance(value, dict | list | tuple):
            return _plain_text(value)
        key = (id(value), depth)
        if key not in self._known:
            self._known[key] = self._container(value, depth)
        return self._known[key]

    def _container(self, value: Any, depth: int) -> str:
        end, inner = "\n" + " " * depth, depth + 1
        if isinstance(value, dict):
            opening, closing = "{", "}"
            members = [
                f"{encode_basestring_ascii(name)}: {self.of(each, inner)}"
                for name, each in value.items()
            ]
        elif _NUMBERS.issuperset(map(type, value)):
            # Most of a document are elements of tensors.
            return "[" + end + " " + _plain_text(value)[1:-1].replace(", ", f",{end} ") + end + "]"
        else:
            opening, closing = "[", "]"
            members = [self.of(each, inner) for each in value]
        return opening + end + " " + f",{end} ".join(members) + end + closing
