"""Text from the user's run, made safe for the trace."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, MethodType

import numpy as np
import torch

_MOST_CHARACTERS = 200


def plain(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot encode, replaced by ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def shown(value: object) -> str:
    """``repr`` of an object, cut to 200 characters.

    It is only called for types whose ``repr`` is cheap and runs no user code; other objects are
    described by their type.
    """
    if type(value) is int and value.bit_length() > 600:
        return f"int of {value.bit_length()} bits"
    if type(value) in _BUILT_IN:
        text = repr(value[:_MOST_CHARACTERS] if isinstance(value, str | bytes) else value)
        return plain(text[:_MOST_CHARACTERS])
    if type(value) in _CONTAINERS:
        return plain(_container(value))[:_MOST_CHARACTERS]
    kind = type(value)
    if kind in _NUMBERS:
        return str(value)
    if issubclass(kind, torch.Tensor):
        return f"{kind.__name__}(...)"
    if kind in _NAMED:
        return plain(str(getattr(value, "__qualname__", kind.__qualname__)))[:_MOST_CHARACTERS]
    return plain(f"{kind.__module__}.{kind.__qualname__} object")[:_MOST_CHARACTERS]


_BUILT_IN = {
    *(bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice, range),
    *(torch.dtype, torch.device, torch.Size, torch.layout, torch.memory_format),
}
_NUMBERS = {kind for kind in np.sctypeDict.values() if issubclass(kind, np.number | np.bool_)}
"""NumPy's number types."""

_CONTAINERS = {list, tuple, set, frozenset, dict}
_NAMED = {type, FunctionType, MethodType, BuiltinFunctionType}
_MOST_MEMBERS = 20


def _container(value: object) -> str:
    assert isinstance(value, list | tuple | set | frozenset | dict)
    pairs = value.items() if isinstance(value, dict) else ((each, None) for each in value)
    members = []
    for position, (member, held) in enumerate(pairs):
        if position == _MOST_MEMBERS:
            members.append("...")
            break
        text = _member(member)
        members.append(f"{text}: {_member(held)}" if isinstance(value, dict) else text)
    inner = ", ".join(members)
    match value:
        case list():
            return f"[{inner}]"
        case tuple():
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case _:
            return "{" + inner + "}"


def _member(value: object) -> str:
    return f"{type(value).__name__}(...)" if type(value) in _CONTAINERS else shown(value)
