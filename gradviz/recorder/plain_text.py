"""Text from the user's run, made fit for the trace."""

from __future__ import annotations

import torch

_MOST_CHARACTERS = 200


def plain(text: str) -> str:
    """The text with lone surrogates, which no file can hold as UTF-8, replaced by ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def shown(value: object) -> str:
    """``repr`` of an object, cut to 200 characters.

    Only types whose ``repr`` runs no user code and costs little are asked; others are named.
    """
    if isinstance(value, int) and value.bit_length() > 600:
        return f"int of {value.bit_length()} bits"
    if type(value) in _BUILT_IN:
        text = repr(value[:_MOST_CHARACTERS] if isinstance(value, str | bytes) else value)
        return plain(text[:_MOST_CHARACTERS])
    if type(value) in _CONTAINERS:
        return plain(_container(value))[:_MOST_CHARACTERS]
    if isinstance(value, torch.Tensor):
        return f"{type(value).__name__}(...)"
    if isinstance(value, type) or callable(value):
        return plain(str(getattr(value, "__qualname__", type(value).__qualname__)))[:200]
    return plain(f"{type(value).__module__}.{type(value).__qualname__} object")[:200]


_BUILT_IN = {
    *(bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice, range),
    *(torch.dtype, torch.device, torch.Size, torch.layout, torch.memory_format),
}
_CONTAINERS = {list, tuple, set, frozenset, dict}
_MOST_MEMBERS = 20


def _container(value: object) -> str:
    assert isinstance(value, list | tuple | set | frozenset | dict)
    members = []
    for position, member in enumerate(value):
        if position == _MOST_MEMBERS:
            members.append("...")
            break
        text = _member(member)
        members.append(f"{text}: {_member(value[member])}" if isinstance(value, dict) else text)
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
