"""Convert values to JSON-ready objects and back, and reject data that does not fit."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Literal, TypeVar, cast

T = TypeVar("T")
Converter = Callable[[Any], Any]

_NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_NUMBERS = {int, float, complex}


class CodecError(ValueError):
    """An object does not have the form of the value it should become."""


def encode(value: Any, kind: Any = None) -> Any:
    """Convert a value to dicts, lists, strings and numbers that JSON can represent.

    Args:
        value: A dataclass instance.
        kind: Its declared type; by default its class. A union of dataclasses adds the key ``type``
            with the class name.
    """
    return _encoder(cast(Hashable, kind or type(value)))(value)


def decode(kind: type[T], data: Any) -> T:
    """Convert the output of `encode` back to a value.

    Raises:
        CodecError: If ``data`` does not have the form of ``kind``; the message says where.
    """
    return cast(T, decoder_of(cast(Hashable, kind))(data))


def float_to_json(value: float) -> float | str:
    """A float for JSON, with strings for NaN and infinities, which JSON lacks."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _same(value: Any) -> Any:
    return value


def members_of(kind: Any) -> tuple[Any, ...] | None:
    """The members of a union; None for any other type."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return typing.get_args(kind)
    return None


@cache
def hints_of(kind: Any) -> dict[str, Any]:
    """The fields of a dataclass, in order, with their types."""
    # By the module's names as its functions see them: a recorded program may purge `sys.modules`.
    return typing.get_type_hints(kind, vars(kind)["__init__"].__globals__)


@cache
def _encoder(kind: Any) -> Converter:
    if dataclasses.is_dataclass(kind):
        return _dataclass_encoder(kind)
    if kind is float:
        return float_to_json
    if kind is complex:
        return _complex_to_json
    if typing.get_origin(kind) is tuple:
        inner = _encoder(typing.get_args(kind)[0])
        return list if inner is _same else lambda value: [inner(each) for each in value]
    members = members_of(kind)
    if members is not None:
        # Numbers need no key `type`: in JSON, a complex is a list and a float has a point.
        return _number_to_json if set(members) == _NUMBERS else _union_encoder(members)
    return _same


def _complex_to_json(value: complex) -> list[float | str]:
    return [float_to_json(value.real), float_to_json(value.imag)]


def _number_to_json(value: Any) -> Any:
    if isinstance(value, complex):
        return _complex_to_json(value)
    return float_to_json(value) if isinstance(value, float) else int(value)


def _dataclass_encoder(kind: Any) -> Converter:
    fields = [(name, _encoder(hint)) for name, hint in hints_of(kind).items()]
    plain = tuple(name for name, convert in fields if convert is _same)
    rest = tuple((name, convert) for name, convert in fields if convert is not _same)

    def convert_dataclass(value: Any) -> dict[str, Any]:
        data = {name: getattr(value, name) for name in plain}
        for name, convert in rest:
            data[name] = convert(getattr(value, name))
        return data

    return convert_dataclass


def _union_encoder(members: tuple[Any, ...]) -> Converter:
    others = [member for member in members if member is not types.NoneType]
    # JSON itself tells None from the only other member, so no key `type` is needed.
    if len(others) == 1:
        inner = _encoder(others[0])
        if inner is _same:
            return _same
        return lambda value: None if value is None else inner(value)
    by_class: dict[type, Converter] = {member: _encoder(member) for member in others}

    def convert_union(value: Any) -> Any:
        if value is None:
            return None
        return {"type": type(value).__name__, **by_class[type(value)](value)}

    return convert_union


@cache
def decoder_of(kind: Any) -> Converter:
    """A function that decodes values of a type."""
    if dataclasses.is_dataclass(kind):
        return _dataclass_decoder(kind)
    if kind is float:
        return _decode_float
    if kind is complex:
        return _decode_complex
    if typing.get_origin(kind) is tuple:
        return _tuple_decoder(decoder_of(typing.get_args(kind)[0]))
    if typing.get_origin(kind) is Literal:
        return _literal_decoder(typing.get_args(kind))
    members = members_of(kind)
    if members is not None:
        return _decode_number if set(members) == _NUMBERS else _union_decoder(members)
    return _exact_decoder(kind)


def _dataclass_decoder(kind: Any) -> Converter:
    """Decode field by field, so that an error names the field."""
    fields = [(name, decoder_of(hint)) for name, hint in hints_of(kind).items()]
    names = {name for name, _ in fields}
    # As a member of a union, the same dataclass has the additional key `type`.
    more = {"type"} - names

    def convert_dataclass(data: Any) -> Any:
        if not isinstance(data, dict) or data.keys() - more != names:
            raise CodecError(f"fields do not match {kind.__name__}")
        values = {}
        for name, convert in fields:
            try:
                values[name] = convert(data[name])
            except CodecError as error:
                raise CodecError(f"{kind.__name__}.{name}: {error}") from None
        return kind(**values)

    return convert_dataclass


def _union_decoder(members: tuple[Any, ...]) -> Converter:
    others = [member for member in members if member is not types.NoneType]
    optional = len(others) < len(members)
    if len(others) == 1:
        inner = decoder_of(others[0])
    else:
        by_name = {member.__name__: decoder_of(member) for member in others}

        def inner(data: Any) -> Any:
            name = data.get("type") if isinstance(data, dict) else None
            if not isinstance(name, str) or name not in by_name:
                # Cut, because the name in a damaged file can have any length.
                raise CodecError(f"unknown type {name!r:.60}")
            return by_name[name](data)

    def convert_union(data: Any) -> Any:
        if data is None and optional:
            return None
        return inner(data)

    return convert_union


def _tuple_decoder(inner: Converter) -> Converter:
    def convert_tuple(data: Any) -> Any:
        if not isinstance(data, list):
            raise CodecError(f"{data!r:.60} is not a list")
        return tuple([inner(each) for each in data])

    return convert_tuple


def _literal_decoder(allowed: tuple[Any, ...]) -> Converter:
    def convert_literal(data: Any) -> Any:
        if not isinstance(data, str) or data not in allowed:
            raise CodecError(f"{data!r:.60} is not one of {', '.join(map(str, allowed))}")
        return data

    return convert_literal


def _exact_decoder(kind: Any) -> Converter:
    def convert_exact(data: Any) -> Any:
        # isinstance would accept True as an int, because bool is a subclass of it.
        if type(data) is not kind:
            raise CodecError(f"{data!r:.60} is not of type {kind.__name__}")
        return data

    return convert_exact


def _decode_float(data: Any) -> float:
    # An int is fine, since other writers of JSON shorten 1.0 to 1; a bool is not.
    if type(data) is float or type(data) is int:
        try:
            return float(data)
        except OverflowError:
            raise CodecError(f"{data!s:.20}… is too large") from None
    if isinstance(data, str) and data in _NON_FINITE:
        return _NON_FINITE[data]
    raise CodecError(f"{data!r:.60} is not a number")


def _decode_number(data: Any) -> Any:
    if type(data) is int:
        return data
    return _decode_complex(data) if isinstance(data, list) else _decode_float(data)


def _decode_complex(data: Any) -> complex:
    if not isinstance(data, list) or len(data) != 2:
        raise CodecError(f"{data!r:.60} is not a complex number")
    return complex(_decode_float(data[0]), _decode_float(data[1]))
