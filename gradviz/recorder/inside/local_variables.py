"""Values of the user's local variables, compared from one line to the next."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Iterator
from itertools import islice
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch
from msgspec import Struct

from gradviz.model.item import Item, none_item, object_item
from gradviz.recorder import compat
from gradviz.recorder.safe_text import printable_text, printable_value
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.numpy_arrays import ArrayRecorder
from gradviz.recorder.tensors.tensor_elements import (
    is_readable,
    plain,
    read_element_bytes,
    small_tensor_memory,
)
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder

HeldValue = tuple[int, Item, Any]
"""Identity of an object, its item, and what detects whether it has changed.

The last is a `TensorState` for a tensor, the object itself if it is immutable, the type for other
objects, and None for arrays, containers and unreadable tensors, which are always read again.
"""

LocalValues = dict[str, HeldValue]

_MOST_CACHED = 10_000
_MOST_MEMBERS = 20
_MOST_DEPTH = 2
_UNCHANGEABLE = frozenset({bool, int, float, complex, str, bytes, type(None)})
_SMALL = 4096
"""Tensors with up to this many elements are compared element by element after each line."""


class LocalVariableReader:
    """Reader of local variables.

    Call with the log's lock held, inside `compat.disabled_torch_modes`.

    Tensors and arrays in lists, tuples and dicts are also listed individually, with names like
    ``pair[0]``, and so are attributes that the run has set on a ``ctx``, like ``ctx.scale``.
    Variables of enclosing functions and globals are left out.
    """

    def __init__(self, tensors: TensorRecorder, arrays: ArrayRecorder) -> None:
        self._tensors = tensors
        self._arrays = arrays

    def of(self, frame: FrameType, before: LocalValues, *, writes: bool = True) -> LocalValues:
        """Current local variables of a frame, without keeping tensors or arrays alive.

        If none has changed, it is ``before`` itself.

        Args:
            frame: The frame.
            before: Its variables before the statement that has just run.
            writes: Whether that statement may have changed elements in a way that torch does not
                count.
        """
        values: LocalValues = {}
        is_unchanged = True
        for name, value in _locals(frame):
            label = name if name.isascii() else printable_text(name)
            held = before.get(label)
            if held is not None and _is_same(held, value, writes):
                values[label] = held
                continue
            is_unchanged = False
            for inner, each in _parts(label, value, _MOST_DEPTH):
                held = before.get(inner)
                if held is None or not _is_same(held, each, writes):
                    held = self._held(inner, each)
                values[inner] = held
        return before if is_unchanged and len(values) == len(before) else values

    def item(self, name: str, value: object) -> Item:
        """Item for a value with a name."""
        return self._held(name, value)[1]

    def _held(self, name: str, value: object) -> HeldValue:
        if isinstance(value, torch.Tensor):
            return id(value), self._tensors.item(name, value), TensorState.of(value)
        if value is None:
            return id(value), none_item(name), value
        kind = type(value)
        if isinstance(value, np.ndarray) and kind is np.ndarray:
            return id(value), self._arrays.item(name, value), None
        item = object_item(name, printable_value(value))
        if kind in _UNCHANGEABLE:
            # Keep it alive, so that no other object can get its address.
            return id(value), item, value
        return id(value), item, None if isinstance(value, tuple | list | dict) else kind


class TensorState(Struct):
    """What shows that a tensor has not changed since it was recorded.

    Attributes:
        form: Its version and everything that says where and how to read its elements.
        data: Its elements; None if there are too many to compare them after each line.
        memory: The memory to compare with ``data``, valid as long as the tensor has its address;
            None if that is not contiguous memory of the CPU.
    """

    form: tuple[Any, ...]
    data: bytes | None
    memory: Any

    @classmethod
    def of(cls, tensor: torch.Tensor) -> TensorState | None:
        """The state of a tensor; None if only recording it again can tell whether it changed."""
        memory = small_tensor_memory(tensor)
        if memory is not None:
            return cls(_ordinary_form(tensor), memory.raw, memory)
        if not is_readable(tensor):
            return None
        form = _ordinary_form if tensor_compat.is_ordinary(tensor) else _form
        tensor = plain(tensor)
        data = read_element_bytes(tensor) if tensor.numel() <= _SMALL else None
        return cls(form(tensor), data, None)

    def is_of(self, value: Any, *, writes: bool) -> bool:
        """Whether an object with the address of the tensor is that tensor in this state.

        Args:
            value: The object.
            writes: Whether elements may have changed in a way that torch does not count.
        """
        if tensor_compat.is_ordinary(value):
            if _ordinary_form(value) != self.form:
                return False
            if self.memory is not None:
                # The form contains the address.
                return bool(self.memory.raw == self.data)
        else:
            if not is_readable(value):
                return False
            value = plain(value)
            if _form(value) != self.form:
                return False
        return not writes if self.data is None else read_element_bytes(value) == self.data


_version = tensor_compat.version_counter


def _ordinary_form(tensor: torch.Tensor) -> tuple[Any, ...]:
    try:
        version = _version(tensor)
    except RuntimeError:  # See `tensor_compat.version_of`.
        version = None
    return (
        tensor.data_ptr(),
        version,
        tensor.shape,
        tensor.stride(),
        tensor.dtype,
        tensor_compat.requires_grad_of(tensor),
    )


def _form(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tensor_compat.version_of(tensor), tensor.shape, tensor_compat.requires_grad_of(tensor)


def _is_same(held: HeldValue, value: object, writes: bool) -> bool:
    """Whether a variable still holds the same object, unchanged and without members."""
    if held[0] != id(value):
        return False
    key = held[2]
    if key is value:
        return True
    if type(key) is TensorState:
        return key.is_of(value, writes=writes)
    if key is None or key is not type(value):
        return False
    # Of a ``ctx``, the attributes are listed individually.
    return not isinstance(value, compat.BackwardNode) or not vars(value)


def _locals(frame: FrameType) -> Iterable[tuple[str, Any]]:
    code = frame.f_code
    values = frame.f_locals
    if not code.co_flags & inspect.CO_OPTIMIZED:
        # A module or class body can have any number of variables; take those that its code names.
        return [(name, values[name]) for name in code.co_names if name in values]
    # Python creates a new tuple at each access.
    outer = code.co_freevars
    if not outer:
        return values.items()
    return [(name, value) for name, value in values.items() if name not in outer]


def _parts(name: str, value: object, depth: int) -> Iterator[tuple[str, object]]:
    """A value, followed by the members and attributes that are listed individually."""
    yield name, value
    if isinstance(value, compat.BackwardNode):
        for key, each in list(vars(value).items()):
            if not key.startswith("__"):
                yield from _parts(f"{name}.{printable_text(key)}", each, depth - 1)
    elif depth and isinstance(value, tuple | list | dict):
        for key, each in _members(value):
            if isinstance(each, torch.Tensor | np.ndarray):
                yield f"{name}[{key}]", each
            elif isinstance(each, tuple | list | dict):
                inner = list(_parts(f"{name}[{key}]", each, depth - 1))
                # Only if it has a member that is listed individually.
                yield from inner[1:] and inner


def _members(value: object) -> Iterator[tuple[str, object]]:
    """Members of a container, read without running code of a user's subclass."""
    if isinstance(value, dict):
        for key, each in list(islice(dict.items(value), _MOST_MEMBERS)):
            yield printable_value(key), each
    elif isinstance(value, list):
        yield from [(str(i), each) for i, each in enumerate(list.__iter__(value))][:_MOST_MEMBERS]
    elif isinstance(value, tuple):
        members = islice(tuple.__iter__(value), _MOST_MEMBERS)
        yield from [(str(position), each) for position, each in enumerate(members)]


def parameters(code: CodeType) -> tuple[str, ...]:
    """Names of a function's parameters, in the order of its signature."""
    positional, keywords = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    rest = list(names[positional + keywords :])
    star = [rest.pop(0)] if code.co_flags & inspect.CO_VARARGS else []
    stars = [rest.pop(0)] if code.co_flags & inspect.CO_VARKEYWORDS else []
    return (*names[:positional], *star, *names[positional : positional + keywords], *stars)


def named(values: LocalValues, names: tuple[str, ...]) -> tuple[Item, ...]:
    """Items of some variables and of their members, in the order of ``names``."""
    order = {printable_text(name): at for at, name in enumerate(names)}
    found = [(order.get(root(name), -1), held[1]) for name, held in values.items()]
    found.sort(key=lambda each: each[0])
    return tuple([item for at, item in found if at >= 0])


def changes(before: LocalValues, after: LocalValues, bound: tuple[str, ...]) -> tuple[Item, ...]:
    """Items of variables that a statement has set or changed.

    Args:
        before: Values before the statement.
        after: Values after it.
        bound: Names that it has assigned, even if to the same value.
    """
    if after is before and not bound:
        return ()
    roots = _roots(bound)
    changed: list[Item] = []
    for name, held in after.items():
        known = before.get(name)
        if (held is not known and _differs(known, held)) or (
            roots and (name in roots or (not name.isidentifier() and root(name) in roots))
        ):
            changed.append(held[1])
    return tuple(changed)


@functools.lru_cache(_MOST_CACHED)
def _roots(bound: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(printable_text, bound))


def _differs(before: HeldValue | None, after: HeldValue) -> bool:
    if before is None or before[1] != after[1]:
        return True
    # Objects with the same text that nothing else distinguishes.
    return after[1].kind == "object" and before[0] != after[0] and after[1].text.endswith(" object")


def removed(before: LocalValues, after: LocalValues) -> tuple[str, ...]:
    """Names of variables that no longer exist."""
    if after is before or before.keys() <= after.keys():
        return ()
    return tuple([name for name in before if name not in after])


def root(name: str) -> str:
    """The variable that a name such as ``pair[0]`` or ``ctx.scale`` belongs to."""
    return name.partition("[")[0].partition(".")[0]
