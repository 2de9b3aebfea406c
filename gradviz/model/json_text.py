"""Values straight to JSON text: what `codec.encode` and ``json.dumps`` make, only faster.

A recording writes several records for each node, so this is the hot path of the writer.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Hashable
from functools import cache
from json.encoder import encode_basestring_ascii
from typing import Any, Literal, cast

from gradviz.model.codec import float_to_json

Text = Callable[[Any], str]


def json_text(value: Any, kind: Any = None) -> str:
    """The JSON text of a dataclass instance, in ASCII.

    Args:
        value: The instance.
        kind: Its declared type; its class when left out. A union of dataclasses adds the key
            ``type`` with the class's name, as in `codec.encode`.
    """
    return _writer(cast(Hashable, kind or type(value)))(value)


@cache
def _writer(kind: Any) -> Text:
    if dataclasses.is_dataclass(kind):
        return _object_writer(cast(type, kind), "")
    if typing.get_origin(kind) is tuple:
        return _list_writer(_writer(typing.get_args(kind)[0]))
    if typing.get_origin(kind) is Literal:
        return {each: encode_basestring_ascii(each) for each in typing.get_args(kind)}.__getitem__
    if isinstance(kind, types.UnionType):
        return _union_writer(typing.get_args(kind))
    return _PLAIN[kind]


def _object_writer(kind: type, first: str) -> Text:
    """A writer of dataclass instances; ``first`` is a member that comes before the fields.

    As ``dataclasses`` does for ``__init__``, it compiles one function for the class, here around an
    f-string: a loop over fields would cost three times as much.
    """
    scope: dict[str, Any] = {"TRUE": "true", "FALSE": "false", "NULL": "null"}
    members = [first] if first else []
    for name, hint in typing.get_type_hints(kind).items():
        scope[f"write_{name}"] = _writer(hint)
        members.append(
            f'"{name}":{{{_EXPRESSIONS.get(hint, "write_{0}(value.{0})").format(name)}}}'
        )
    exec(f"def write(value): return f'{{{{{','.join(members)}}}}}'", scope)
    return cast(Text, scope["write"])


_EXPRESSIONS: dict[Any, str] = {
    int: "value.{0}",
    bool: "TRUE if value.{0} else FALSE",
    int | None: "NULL if value.{0} is None else value.{0}",
}
"""Fields of these types are written in place, without a call."""


def _list_writer(inner: Text) -> Text:
    return lambda value: "[" + ",".join(map(inner, value)) + "]" if value else "[]"


def _union_writer(members: tuple[Any, ...]) -> Text:
    others = [member for member in members if member is not types.NoneType]
    if len(others) == 1:
        inner = _writer(others[0])
        return lambda value: "null" if value is None else inner(value)
    by_class = {
        member: _object_writer(member, f'"type":{encode_basestring_ascii(member.__name__)}')
        for member in others
    }
    return lambda value: "null" if value is None else by_class[type(value)](value)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _float(value: float) -> str:
    plain = float_to_json(value)
    return encode_basestring_ascii(plain) if isinstance(plain, str) else float.__repr__(plain)


def _complex(value: complex) -> str:
    return f"[{_float(value.real)},{_float(value.imag)}]"


_PLAIN: dict[Any, Text] = {
    str: encode_basestring_ascii,
    int: int.__repr__,
    bool: _bool,
    float: _float,
    complex: _complex,
}
