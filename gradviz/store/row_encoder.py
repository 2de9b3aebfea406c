"""Encode values as the JSON text of a row: an array of fields, in the order of the class.

Without field names, a recording is half as long, and takes half the time to write and read.
Several rows are written for each node, so this is the hot path of the writer.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import typing
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from json.encoder import encode_basestring_ascii
from typing import Any, Literal, cast

from gradviz.model.codec import float_to_json, hints_of, members_of
from gradviz.store.text_limit import MOST_CHARACTERS, cut_text, max_characters

RowEncoder = Callable[[Any], str]


def row_text(value: Any, kind: Any = None) -> str:
    """Encode a dataclass instance as JSON text, in ASCII.

    Args:
        value: The instance.
        kind: Its declared type; by default its class. For a union of dataclasses, the class name
            precedes the fields.
    """
    return row_writer(cast(Hashable, kind or type(value)))(value)


def placeholders() -> Iterator[int]:
    """Numbers for the fields of a record that differ between the rows of a template, in order."""
    return itertools.count(_FIRST_PLACEHOLDER)


def row_template(value: Any, kind: Any = None) -> str:
    """Text for rows that are alike except for some numbers: ``template % numbers`` is a row.

    Args:
        value: An instance in which numbers from `placeholders` take the place of those that
            differ, in the order of the fields.
        kind: Same as for `row_text`.
    """
    text = row_text(value, kind).replace("%", "%%")
    found = [int(each) for each in _PLACEHOLDER.findall(text)]
    assert found == list(itertools.islice(placeholders(), len(found))), (
        "placeholders are out of order"
    )
    return _PLACEHOLDER.sub("%d", text)


_FIRST_PLACEHOLDER = 712345678901_0000000
_PLACEHOLDER = re.compile(r"712345678901\d{7}")


@cache
def row_writer(kind: Any) -> RowEncoder:
    """Create a function that encodes values of a type."""
    if dataclasses.is_dataclass(kind):
        return _array_writer(cast(type, kind), "")
    if typing.get_origin(kind) is tuple:
        return _list_writer(row_writer(typing.get_args(kind)[0]))
    if typing.get_origin(kind) is Literal:
        return {each: encode_basestring_ascii(each) for each in typing.get_args(kind)}.__getitem__
    members = members_of(kind)
    return _PLAIN[kind] if members is None else _union_writer(members)


def _array_writer(kind: type, first: str) -> RowEncoder:
    """Create a function that encodes dataclass instances; ``first`` precedes the fields.

    It compiles one function with an f-string for the class, similar to what ``dataclasses`` does
    for ``__init__``. A loop over the fields would take three times as long.
    """
    scope: dict[str, Any] = {"TRUE": "true", "FALSE": "false", "NULL": "null"}
    scope["encode"] = encode_basestring_ascii
    members = [first] if first else []
    for name, hint in hints_of(kind).items():
        most = max_characters(kind, name)
        scope[f"write_{name}"] = _text_writer(most) if hint is str else row_writer(hint)
        expression = _EXPRESSIONS.get(hint, "write_{0}(value.{0})").format(name, most)
        members.append(f"{{{expression}}}")
    exec(f"def write(value): return f'[{','.join(members)}]'", scope)
    return cast(RowEncoder, scope["write"])


_EXPRESSIONS: dict[Any, str] = {
    int: "value.{0}",
    bool: "TRUE if value.{0} else FALSE",
    int | None: "NULL if value.{0} is None else value.{0}",
    # Rows are also written where the user's code has almost used up the depth of recursion.
    str: "encode(value.{0}) if len(value.{0}) <= {1} else write_{0}(value.{0})",
}
"""Fields of these types are encoded inline, without a call of a Python function."""


@cache
def _text_writer(most: int) -> RowEncoder:
    return lambda text: encode_basestring_ascii(text if len(text) <= most else cut_text(text, most))


def _list_writer(inner: RowEncoder) -> RowEncoder:
    return lambda value: "[" + ",".join(map(inner, value)) + "]" if value else "[]"


def _union_writer(members: tuple[Any, ...]) -> RowEncoder:
    others = [member for member in members if member is not type(None)]
    if len(others) == 1:
        inner = row_writer(others[0])
        return lambda value: "null" if value is None else inner(value)
    by_class = {
        member: _array_writer(member, encode_basestring_ascii(member.__name__)) for member in others
    }
    return lambda value: "null" if value is None else by_class[type(value)](value)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _float(value: float) -> str:
    plain = float_to_json(value)
    return encode_basestring_ascii(plain) if isinstance(plain, str) else float.__repr__(plain)


def _complex(value: complex) -> str:
    return f"[{_float(value.real)},{_float(value.imag)}]"


_PLAIN: dict[Any, RowEncoder] = {
    str: _text_writer(MOST_CHARACTERS),
    int: int.__repr__,
    bool: _bool,
    float: _float,
    complex: _complex,
}
