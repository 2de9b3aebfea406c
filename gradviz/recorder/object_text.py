"""Text for objects of the user, made from their attributes without running their code."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

import torch

from gradviz.recorder.plain_text import plain, shown

_MOST_CHARACTERS = 200
_MOST_ATTRIBUTES = 8


def object_text(value: object) -> str:
    """Text of an object like a constructor call, such as ``ScalarTensor(N=2, value=4)``.

    It has at most 200 characters. The ``__repr__`` of the class is not called: it may print, count,
    take long or call torch. Call this inside `compat.Quiet`.
    """
    if not _is_plain_object(value):
        return shown(value)
    told = [f"{name}={_attribute(held)}" for name, held in _few(value)]
    more = ["..."] if len(told) == _MOST_ATTRIBUTES else []
    return plain(f"{type(value).__name__}({', '.join([*told, *more])})")[:_MOST_CHARACTERS]


def tensors_of(value: object) -> list[tuple[str, torch.Tensor]]:
    """Tensors that an object holds as attributes, with their names."""
    if not _is_plain_object(value):
        return []
    return [(plain(name), held) for name, held in _few(value) if isinstance(held, torch.Tensor)]


def _attribute(value: object) -> str:
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        name = "tensor" if kind is torch.Tensor else kind.__name__
        assert isinstance(value, torch.Tensor)
        return f"{name} {list(value.shape)}" if value.ndim else f"scalar {name}"
    return f"{kind.__name__}(...)" if _is_plain_object(value) else shown(value)


def _is_plain_object(value: object) -> bool:
    """Whether an object's class is defined in Python and derives from no built-in type."""
    kinds = type(value).__mro__[:-1]
    return bool(kinds) and all(each.__flags__ & _DEFINED_IN_PYTHON for each in kinds)


_DEFINED_IN_PYTHON = 1 << 9
"""``Py_TPFLAGS_HEAPTYPE``."""


def _few(value: object) -> Iterator[tuple[str, Any]]:
    return islice(_attributes(value), _MOST_ATTRIBUTES)


def _attributes(value: object) -> Iterator[tuple[str, Any]]:
    """Attributes of an object, read past any accessors of its class."""
    for kind in type(value).__mro__:
        for name, found in list(kind.__dict__.items()):
            if isinstance(found, MemberDescriptorType):
                try:
                    yield name, found.__get__(value)
                except AttributeError:
                    continue  # The slot has no value.
    for kind in type(value).__mro__:
        found = kind.__dict__.get("__dict__")
        if isinstance(found, GetSetDescriptorType):
            yield from [(str(name), held) for name, held in list(found.__get__(value).items())]
            return
