"""How values become JSON-ready objects and back: what msgspec leaves to us.

JSON has neither NaN nor infinities, which become strings, nor complex numbers, which become lists.
"""

import math
from collections.abc import Mapping
from functools import cache
from json import JSONEncoder
from numbers import Number
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

import msgspec

if TYPE_CHECKING:
    Real = float
    Complex = complex
else:
    # Types that msgspec does not know, so that it leaves them to `number_from`.
    from numbers import Complex, Real

T = TypeVar("T")

MOST_NUMBER = 1 << 63
"""Columns of a trace are of int64."""

Natural = Annotated[int, msgspec.Meta(ge=0, le=MOST_NUMBER - 1)]
"""An id, index or size. This is checked when it is read, not when it is made."""

_finite_json = JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_MOST_REASON = 200


class CodecError(ValueError):
    """An object does not have the form of the value it should become."""


class TraceRecord(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    array_like=True,
    forbid_unknown_fields=True,
    # Records hold no cycles, and a long run has a million of them.
    gc=False,
):
    """A record in the rows of a trace: an array of its fields in order, without their names.

    Fields that a later format adds come last and have defaults, so that shorter rows stay readable.
    """


def encode(value: Any) -> Any:
    """Convert a value to dicts, lists, strings and numbers, from which `decode` restores it."""
    return _json_ready(msgspec.to_builtins(value, enc_hook=number_parts))


def json_text(value: Any) -> str:
    """Encode a value as JSON, in ASCII and with floats as Python writes them."""
    data = msgspec.to_builtins(value, enc_hook=number_parts)
    try:
        return _finite_json(data)
    except ValueError:  # NaN or an infinity
        return _finite_json(_json_ready(data))


def decode(kind: type[T], data: Any) -> T:
    """Convert the output of `encode` back to a value.

    Raises:
        CodecError: If ``data`` does not have the form of ``kind``; the message says where.
    """
    try:
        return msgspec.convert(data, kind, dec_hook=number_from)
    except msgspec.ValidationError as error:
        raise misfit(kind, error) from None


def misfit(kind: Any, error: Exception) -> CodecError:
    """The error that some data does not have the form of a type, in few words."""
    # Cut, because the data, which it quotes, can have any length.
    where = f"{kind.__name__}: " if is_record(kind) else ""
    return CodecError(f"{where}{error!s:.{_MOST_REASON}}")


def as_object(value: Any) -> Any:
    """Convert a value to dicts with all names, for JSON that people and programs read."""
    if isinstance(value, msgspec.Struct):
        return {name: as_object(getattr(value, name)) for name in value.__struct_fields__}
    return [as_object(each) for each in value] if isinstance(value, tuple) else _json_ready(value)


def float_to_json(value: float) -> float | str:
    """A float for JSON, with strings for NaN and infinities, which JSON lacks."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


@cache
def hints_of(kind: Any) -> dict[str, Any]:
    """The fields of a record, in order, with their types."""
    return {each.name: each.type for each in msgspec.structs.fields(kind)}


@cache
def fields_with_type(kind: Any, wanted: type) -> tuple[str, ...]:
    """Fields whose type can contain values of a class; reading all fields takes far longer."""
    return tuple(name for name, hint in hints_of(kind).items() if _can_hold(hint, wanted))


def is_record(kind: Any) -> bool:
    """Whether a type is a class of records."""
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


@cache
def _can_hold(hint: Any, wanted: type) -> bool:
    held = is_record(hint) and fields_with_type(hint, wanted)
    return hint is wanted or bool(held) or any(_can_hold(each, wanted) for each in get_args(hint))


def _json_ready(value: Any) -> Any:
    match value:
        case float():
            return float_to_json(value)
        case complex():
            return [float_to_json(each) for each in number_parts(value)]
        case list() | tuple():
            return [_json_ready(each) for each in value]
        case Mapping():
            return {name: _json_ready(each) for name, each in value.items()}
    return value


def number_parts(value: Any) -> list[float]:
    """The real and the imaginary part of a complex number; msgspec asks for what it cannot encode.

    Raises:
        TypeError: If it is something else.
    """
    if not isinstance(value, complex):
        raise TypeError(f"{type(value).__name__} cannot be encoded")
    return [value.real, value.imag]


def number_from(kind: Any, data: Any) -> Any:
    """Decode a `Real`, `Complex` or `Number`; msgspec refuses what has another type.

    Raises:
        ValueError: If it is too large, or not what `encode` makes of a number.
    """
    if isinstance(data, list) and len(data) == 2 and kind is not Real:
        return complex(*(number_from(Real, each) for each in data))
    if isinstance(data, str) and data in _NON_FINITE and kind is not Complex:
        return _NON_FINITE[data]
    # Other writers of JSON shorten 1.0 to 1.
    if type(data) is float or (type(data) is int and kind is Number):
        return data
    if kind is Number and isinstance(data, bool):  # an element of a tensor of bools
        return int(data)
    if type(data) is int and kind is Real:
        try:
            return float(data)
        except OverflowError:
            raise ValueError(f"{data!s:.20}… is too large") from None
    raise ValueError(f"{data!r:.60} is not a number")
