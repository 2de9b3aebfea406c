"""Decode the JSON text of a row into a value, strictly and as fast as Python can."""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Literal, NoReturn, TypeVar, cast

from gradviz.model.codec import CodecError, decode, decoder_of, hints_of, members_of
from gradviz.model.source import SourceFile
from gradviz.store.text_limit import (
    MOST_CHARACTERS,
    cut_text,
    cut_visible_text,
    has_lines,
    max_characters,
)

T = TypeVar("T")
RowDecoder = Callable[[Any], Any]

MOST_NUMBER = 1 << 63
"""Columns of a trace are of int64."""

# Called directly, because `json.loads` adds overhead as large as decoding a short row.
_decode = json.JSONDecoder().raw_decode


def row_reader(kind: type[T], *, visible: bool = False) -> Callable[[str], T]:
    """Create a function that decodes the text of a row, the inverse of `row_text`.

    The function raises `CodecError`, which says where, if a text does not have the form of the
    type, or if a number is negative or does not fit into 63 bits: all are ids, indices or sizes.

    Args:
        kind: The class of the row, or a union of them.
        visible: Whether control characters in names and messages are escaped; see `visible_text`.
            Source code stays as it is.
    """
    usual: RowDecoder | None = None

    def read_row(text: str) -> T:
        nonlocal usual
        data = _parsed(text)
        if usual is None:
            # Only now, because compiling it takes longer than reading a small trace.
            usual = _reader(cast(Hashable, kind), visible=False)
        read = usual
        # In JSON, almost all characters to escape follow a backslash; few rows have one.
        if visible and ("\\" in text or not text.isprintable()):
            read = _reader(cast(Hashable, kind), visible=True)
        try:
            return cast(T, read(data))
        except (LookupError, TypeError, ValueError):
            # The slower decoder says which field is wrong, unless a number is out of range.
            made = decode(kind, _as_object(kind, data))
            raise CodecError(out_of_range(made) or f"{kind.__name__}: wrong form") from None

    return read_row


def _parsed(text: Any) -> Any:
    if not isinstance(text, str):
        raise CodecError("a row is not text")
    data, end = _decode(text)
    if end != len(text):
        raise CodecError("a row has more than one value")
    return data


@cache
def _reader(kind: Any, *, visible: bool) -> RowDecoder:
    if dataclasses.is_dataclass(kind):
        return _array_reader(cast(type, kind), visible=visible)
    if typing.get_origin(kind) is tuple:
        inner = _reader(typing.get_args(kind)[0], visible=visible)
        return lambda data: tuple([inner(each) for each in data])
    members = members_of(kind)
    if kind is str:
        return _visible_short_text if visible else _short_text
    if members is None:
        return decoder_of(kind)
    others = [member for member in members if member is not type(None)]
    if len(others) == 1:
        inner = _reader(others[0], visible=visible)
        return lambda data: None if data is None else inner(data)
    by_name = {
        member.__name__: _array_reader(member, skipped="_, ", visible=visible) for member in others
    }
    return lambda data: by_name[data[0]](data)


def _short_text(data: Any) -> str:
    return cut_text(decode(str, data), MOST_CHARACTERS)


def _visible_short_text(data: Any) -> str:
    return cut_visible_text(decode(str, data), MOST_CHARACTERS, lines=False)


def _array_reader(kind: type, skipped: str = "", *, visible: bool) -> RowDecoder:
    """Create a function that decodes an array of a class's fields, after ``skipped``.

    It compiles one function for the class that sets the slots of a new instance. The ``__init__``
    of a frozen class takes twice as long, because it calls ``object.__setattr__`` for each field.
    """
    scope: dict[str, Any] = {"KIND": kind, "new": object.__new__, "refuse": _refuse, "INTS": _INTS}
    scope |= {"cut": cut_text, "show": cut_visible_text}
    lines = []
    for name, hint in hints_of(kind).items():
        scope[f"set_{name}"] = getattr(kind, name).__set__
        value = _expression(kind, name, hint, scope, visible=visible)
        lines.append(f" set_{name}(made, {value})")
    fields = ", ".join(f"its_{name}" for name in hints_of(kind))
    body = "\n".join(lines)
    exec(
        "def read(data):\n"
        " if type(data) is not list: refuse()\n"
        f" {skipped}{fields}, = data\n"
        f" made = new(KIND)\n{body}\n"
        " return made",
        scope,
    )
    return cast(RowDecoder, scope["read"])


def _expression(kind: type, name: str, hint: Any, scope: dict[str, Any], *, visible: bool) -> str:
    """Expression that decodes a field, inlined where possible."""
    its = f"its_{name}"
    # Exact types, because `isinstance` would accept a bool as an int.
    if hint is str:
        most = max_characters(kind, name)
        short = f"{its} if len({its}) <= {most} else cut({its}, {most})"
        if visible and kind is not SourceFile:
            short = f"show({its}, {most}, lines={has_lines(kind, name)})"
        return f"({short}) if type({its}) is str else refuse()"
    if hint is bool:
        return f"{its} if type({its}) is bool else refuse()"
    if hint in (int, int | None):
        number = f"type({its}) is int and 0 <= {its} < {MOST_NUMBER}"
        none = "" if hint is int else f"{its} is None or "
        return f"{its} if {none}{number} else refuse()"
    if hint in (tuple[int, ...], tuple[int, ...] | None):
        ints = f"type({its}) is list and INTS.issuperset(map(type, {its}))"
        fits = f"(not {its} or 0 <= min({its}) and max({its}) < {MOST_NUMBER})"
        none = "" if hint == tuple[int, ...] else f"None if {its} is None else "
        return f"{none}tuple({its}) if {ints} and {fits} else refuse()"
    if typing.get_origin(hint) is Literal:
        scope[f"allowed_{name}"] = frozenset(typing.get_args(hint))
        return f"{its} if {its} in allowed_{name} else refuse()"
    if typing.get_origin(hint) is tuple:
        scope[f"read_{name}"] = _reader(typing.get_args(hint)[0], visible=visible)
        return f"tuple(map(read_{name}, {its})) if type({its}) is list else refuse()"
    scope[f"read_{name}"] = _reader(hint, visible=visible)
    return f"read_{name}({its})"


_INTS = frozenset({int})


def _refuse() -> NoReturn:
    raise CodecError("wrong form")


def out_of_range(value: Any, place: str = "") -> str:
    """Where a record contains a number that is negative or too large; empty if it contains none."""
    if dataclasses.is_dataclass(value):
        kind = type(value)
        members = (
            (f"{kind.__name__}.{name}", getattr(value, name))
            for name in hints_of(cast(Hashable, kind))
        )
    elif isinstance(value, tuple):
        members = ((place, each) for each in value)
    elif type(value) is int and not 0 <= value < MOST_NUMBER:
        return f"{place}: {value!s:.20} is negative or too large"
    else:
        return ""
    return next(filter(None, (out_of_range(each, name) for name, each in members)), "")


def _as_object(kind: Any, data: Any) -> Any:
    """Restore the field names of a row as far as its form allows."""
    if dataclasses.is_dataclass(kind):
        hints = hints_of(cast(type, kind))
        if not isinstance(data, list) or len(data) != len(hints):
            return []
        pairs = zip(hints.items(), data, strict=True)
        return {name: _as_object(hint, each) for (name, hint), each in pairs}
    if typing.get_origin(kind) is tuple and isinstance(data, list):
        inner = typing.get_args(kind)[0]
        return [_as_object(inner, each) for each in data]
    others = [member for member in members_of(kind) or () if member is not type(None)]
    if len(others) > 1:
        return _as_tagged(others, data)
    return data if data is None or not others else _as_object(others[0], data)


def _as_tagged(members: list[Any], data: Any) -> Any:
    name = data[0] if isinstance(data, list) and data else None
    member = next((each for each in members if each.__name__ == name), None)
    fields = {} if member is None else _as_object(member, data[1:])
    return {"type": name, **(fields or {})}
