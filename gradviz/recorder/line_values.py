"""Values of the user's local variables, told apart from one line to the next."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import islice
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch

from gradviz.model.item import Item, object_item
from gradviz.recorder import compat
from gradviz.recorder.arrays import Arrays
from gradviz.recorder.plain_text import plain, shown
from gradviz.recorder.tensors import Tensors

Held = tuple[int, Item]
"""A value as it was, and the identity of an object that is told apart by nothing else."""

Values = dict[str, Held]

_MOST_MEMBERS = 20
_MOST_DEPTH = 2


class LineValues:
    """Reads local variables. Called with the log's lock held, inside `compat.Quiet`.

    Tensors and arrays in lists, tuples and dicts are told by themselves as well, named like
    ``pair[0]``, and so are the attributes that the run has put on a ``ctx``, named like
    ``ctx.scale``. Variables of enclosing functions and globals are left out.
    """

    def __init__(self, tensors: Tensors, arrays: Arrays) -> None:
        self._tensors = tensors
        self._arrays = arrays

    def of(self, frame: FrameType) -> Values:
        """The local variables of a frame as they are now; no value is kept alive."""
        values: Values = {}
        for name, value in _locals(frame):
            for label, each in _parts(plain(name), value, _MOST_DEPTH):
                values[label] = self._held(label, each)
        return values

    def item(self, name: str, value: object) -> Item:
        """A named value."""
        return self._held(name, value)[1]

    def _held(self, name: str, value: object) -> Held:
        if value is None or isinstance(value, torch.Tensor):
            return 0, self._tensors.item(name, value)
        if type(value) is np.ndarray:
            return 0, self._arrays.item(name, value)
        return id(value), object_item(name, shown(value))


def _locals(frame: FrameType) -> Iterator[tuple[str, Any]]:
    code = frame.f_code
    values = frame.f_locals
    if not code.co_flags & inspect.CO_OPTIMIZED:
        # Of a module or a class body, which may have any number of them: what this code names.
        yield from [(name, values[name]) for name in code.co_names if name in values]
        return
    for name, value in values.items():
        if not name.startswith(".") and name not in code.co_freevars:
            yield name, value


def _parts(name: str, value: object, depth: int) -> Iterator[tuple[str, object]]:
    """A value, and what is told of it by itself."""
    yield name, value
    if isinstance(value, compat.BackwardNode):
        for key, each in list(vars(value).items()):
            if not key.startswith("__"):
                yield from _parts(f"{name}.{plain(key)}", each, depth - 1)
    elif depth and isinstance(value, tuple | list | dict):
        for key, each in _members(value):
            if isinstance(each, torch.Tensor | np.ndarray):
                yield f"{name}[{key}]", each
            elif isinstance(each, tuple | list | dict):
                inner = list(_parts(f"{name}[{key}]", each, depth - 1))
                yield from inner[1:] and inner


def _members(value: object) -> Iterator[tuple[str, object]]:
    """Asks no code of a user's own class."""
    if isinstance(value, dict):
        for key, each in list(islice(dict.items(value), _MOST_MEMBERS)):
            yield shown(key), each
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


def named(values: Values, names: tuple[str, ...]) -> tuple[Item, ...]:
    """The values of some variables, with what is told of them by itself."""
    order = {plain(name): at for at, name in enumerate(names)}
    found = [(order[root(name)], item) for name, (_, item) in values.items() if root(name) in order]
    return tuple([item for _, item in sorted(found, key=lambda each: each[0])])


def changes(before: Values, after: Values, bound: tuple[str, ...]) -> tuple[Item, ...]:
    """What was set or has changed.

    Args:
        before: Values before a statement.
        after: Values after it.
        bound: Names that it has set, be it to what they were.
    """
    roots = {plain(name) for name in bound}
    return tuple(
        [
            held[1]
            for name, held in after.items()
            if before.get(name) != held or (roots and root(name) in roots)
        ]
    )


def removed(before: Values, after: Values) -> tuple[str, ...]:
    """What is there no longer."""
    return tuple([name for name in before if name not in after])


def root(name: str) -> str:
    """The variable that a name such as ``pair[0]`` or ``ctx.scale`` belongs to."""
    return name.partition("[")[0].partition(".")[0]
