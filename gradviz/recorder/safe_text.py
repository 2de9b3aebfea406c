"""Text from the user's run, made safe for the trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
)
from typing import Any

import numpy as np
import torch

from gradviz.recorder.error_boundary import plain_text

_MOST_OBJECT_CHARACTERS = 200
_MOST_ATTRIBUTES = 8


def object_text(value: object) -> str:
    """Text of an object like a constructor call, such as ``ScalarTensor(N=2, value=4)``.

    It has at most 200 characters. The ``__repr__`` of the class is not called: it may print, count,
    take long or call torch. Call this inside `compat.disabled_torch_modes`.
    """
    if not _is_plain_object(value):
        return printable_value(value)
    attributes = [f"{name}={_attribute(held)}" for name, held in _few(value)]
    more = ["..."] if len(attributes) == _MOST_ATTRIBUTES else []
    return printable_text(f"{class_name(type(value))}({', '.join([*attributes, *more])})")[
        :_MOST_OBJECT_CHARACTERS
    ]


def tensors_of(value: object) -> list[tuple[str, torch.Tensor]]:
    """Tensors that an object holds as attributes, with their names."""
    if not _is_plain_object(value):
        return []
    return [
        (printable_text(name), held) for name, held in _few(value) if isinstance(held, torch.Tensor)
    ]


def _attribute(value: object) -> str:
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        name = "tensor" if kind is torch.Tensor else class_name(kind)
        assert isinstance(value, torch.Tensor)
        return f"{name} {list(value.shape)}" if value.ndim else f"scalar {name}"
    return f"{class_name(kind)}(...)" if _is_plain_object(value) else printable_value(value)


def _is_plain_object(value: object) -> bool:
    """Whether an object's class is defined in Python and derives from no built-in type."""
    kinds = class_bases(type(value))[:-1]
    flags = {_class_flags.__get__(each) & _DEFINED_IN_PYTHON for each in kinds}
    return flags == {_DEFINED_IN_PYTHON}


_DEFINED_IN_PYTHON = 1 << 9
"""``Py_TPFLAGS_HEAPTYPE``."""


def _few(value: object) -> Iterator[tuple[str, Any]]:
    return islice(_attributes(value), _MOST_ATTRIBUTES)


def _attributes(value: object) -> Iterator[tuple[str, Any]]:
    """Attributes of an object, read past any accessors of its class."""
    for kind in class_bases(type(value)):
        for name, found in list(class_attributes(kind).items()):
            if isinstance(found, MemberDescriptorType):
                try:
                    yield name, found.__get__(value)
                except AttributeError:
                    continue  # The slot has no value.
    for kind in class_bases(type(value)):
        found = class_attributes(kind).get("__dict__")
        if isinstance(found, GetSetDescriptorType):
            yield from [(str(name), held) for name, held in list(found.__get__(value).items())]
            return


_MOST_CHARACTERS = 200


def printable_text(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot encode, replaced by ``?``."""
    # Methods of a subclass are user code. A class can have one as its name.
    text = plain_text(text)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def class_name(kind: type) -> str:
    """Name of a class, without asking its metaclass, which is user code."""
    return printable_text(_bare_name.__get__(kind))


def callable_name(value: Any) -> str:
    """``__name__`` of a callable, without running its code; that of its class if it has none."""
    kind = type(value)
    if issubclass(kind, type):
        return class_name(value)
    owner = defining_class(kind, "__name__")
    shared = None if owner is None else class_attributes(owner)["__name__"]
    found = dict(_attributes(value)).get("__name__", shared)
    return printable_text(found) if type(found) is str else class_name(kind)


def printable_value(value: object) -> str:
    """``repr`` of an object, cut to 200 characters.

    It is only called for types whose ``repr`` is cheap and runs no user code; other objects are
    described by their type.
    """
    # 600 bits fit into 200 characters; `repr` takes quadratic time for longer ones.
    if type(value) is int and value.bit_length() > 600:
        return f"int of {value.bit_length()} bits"
    if type(value) in _BUILT_IN:
        text = repr(value[:_MOST_CHARACTERS] if isinstance(value, str | bytes) else value)
        return printable_text(text[:_MOST_CHARACTERS])
    if type(value) in _CONTAINERS:
        return printable_text(_container(value))[:_MOST_CHARACTERS]
    kind = type(value)
    if kind in _NUMBERS:
        return str(value)
    if issubclass(kind, torch.Tensor):
        return f"{class_name(kind)}(...)"
    # Not as attributes of classes, because a metaclass may define those.
    if issubclass(kind, type):
        return printable_text(_class_name.__get__(value))[:_MOST_CHARACTERS]
    if kind in _NAMED:
        return printable_text(str(getattr(value, "__qualname__", kind.__qualname__)))[
            :_MOST_CHARACTERS
        ]
    name = f"{_class_module.__get__(kind)}.{_class_name.__get__(kind)} object"
    return printable_text(name)[:_MOST_CHARACTERS]


_BUILT_IN = {
    *(bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice, range),
    *(torch.dtype, torch.device, torch.Size, torch.layout, torch.memory_format),
}
_NUMBERS = {kind for kind in np.sctypeDict.values() if issubclass(kind, np.number | np.bool_)}
"""NumPy's number types."""

_CONTAINERS = {list, tuple, set, frozenset, dict}
_bare_name = type.__dict__["__name__"]
_class_name, _class_module = type.__dict__["__qualname__"], type.__dict__["__module__"]
_NAMED = {FunctionType, MethodType, BuiltinFunctionType}


def class_module(kind: object) -> str:
    """Name of the module that defines a class, without asking its metaclass, which is user code.

    It is empty for anything else.
    """
    try:
        found = _class_module.__get__(kind) if issubclass(type(kind), type) else ""
    # The class has none any more.
    except AttributeError:
        return ""
    return found if type(found) is str else ""


_class_flags = type.__dict__["__flags__"]
_class_mro, _class_attributes = type.__dict__["__mro__"], type.__dict__["__dict__"]


def class_attributes(kind: type) -> Mapping[str, Any]:
    """``__dict__`` of a class, without asking its metaclass, which is user code."""
    found: Mapping[str, Any] = _class_attributes.__get__(kind)
    return found


def class_bases(kind: type) -> tuple[type, ...]:
    """``__mro__`` of a class, without asking its metaclass."""
    found: tuple[type, ...] = _class_mro.__get__(kind)
    return found


def defining_class(kind: type, name: str) -> type | None:
    """The class that defines an attribute of a type; None if there is none."""
    for each in class_bases(kind):
        if name in class_attributes(each):
            return each
    return None


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
    return (
        f"{class_name(type(value))}(...)" if type(value) in _CONTAINERS else printable_value(value)
    )
