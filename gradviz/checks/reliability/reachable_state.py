"""Snapshot of what a function can reach besides its arguments, to see what changes.

This includes attributes of a Function's class, of the object it belongs to and of modules,
variables it closes over, its defaults, and global variables named in its code.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gradviz.checks.jacobians.matrices import byte_view
from gradviz.checks.user_errors import Attempt

_DEPTH = 6
_MOST_ITEMS = 64
_MOST_PLACES = 2000
_MOST_BYTES = 1 << 24
_NOT_THEIRS = frozenset({"torch", "numpy", "builtins", "gradviz", "typing", "functools", "math"})
_GENERATORS = (torch.Generator, np.random.Generator, np.random.RandomState, random.Random)
_SIMPLE = (bool, int, float, complex, str, bytes, type(None))


@dataclass(frozen=True, slots=True)
class ReachableValue:
    """A value that a function can reach.

    Attributes:
        print: Fingerprint; equal values have equal fingerprints.
        is_chance: Whether it is a random generator.
    """

    print: object
    is_chance: bool = False


@dataclass(slots=True)
class _StateWalk:
    places: dict[str, ReachableValue] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    kept: list[object] = field(default_factory=list)


def reachable(function: Callable[..., Any]) -> dict[str, ReachableValue]:
    """Values that a function can reach, by their names in the code."""
    walk = _StateWalk()
    with Attempt():  # Objects of the user may raise when inspected.
        _look(function, "", _DEPTH, walk)
    return walk.places


def changed(before: dict[str, ReachableValue], after: dict[str, ReachableValue]) -> list[str]:
    """Names whose values have changed or that are new."""
    return [name for name, place in after.items() if before.get(name, place) != place] + [
        name for name in after if name not in before
    ]


def fingerprint_of(value: Tensor) -> object:
    """Fingerprint of a tensor; None if it is not dense or too large."""
    leaf = _leaf(value)
    return None if leaf is None else leaf.print


def _look(value: Any, name: str, depth: int, walk: _StateWalk) -> None:
    if isinstance(value, _SIMPLE):
        walk.places[name] = ReachableValue(value)
        return
    if id(value) in walk.seen or depth == 0 or len(walk.places) > _MOST_PLACES:
        return
    walk.seen.add(id(value))
    walk.kept.append(value)  # Keeps its id from being reused.
    leaf = _leaf(value)
    if leaf is not None:
        walk.places[name] = leaf
        return
    for inner, each in _parts(value, name):
        _look(each, inner, depth - 1, walk)


def _leaf(value: Any) -> ReachableValue | None:
    if isinstance(value, Tensor):
        if value.layout is not torch.strided or value.numel() * value.element_size() > _MOST_BYTES:
            return None
        data = byte_view(value.detach().cpu()).numpy().tobytes()
        return ReachableValue((value.dtype, value.shape, _hash(data)))
    if isinstance(value, np.ndarray):
        fits = value.dtype != object and value.nbytes <= _MOST_BYTES
        return ReachableValue((value.dtype, value.shape, _hash(value.tobytes()))) if fits else None
    if isinstance(value, itertools.count):
        # Its text contains the next number; `next` would change it.
        return ReachableValue(repr(value))
    if isinstance(value, _GENERATORS):
        return ReachableValue(_state(value), is_chance=True)
    return None


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _state(generator: Any) -> str:
    if isinstance(generator, torch.Generator):
        return str(generator.get_state().tolist())
    if isinstance(generator, random.Random):
        return str(generator.getstate())
    chosen = generator.get_state() if hasattr(generator, "get_state") else None
    return str(generator.bit_generator.state if chosen is None else chosen)


def _parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, each in list(value.items())[:_MOST_ITEMS]:
            yield f"{name}[{key!r}]" if name else str(key), each
    elif isinstance(value, list | tuple | set | frozenset):
        yield f"len({name})", len(value)
        for k, each in enumerate(list(value)[:_MOST_ITEMS]):
            yield f"{name}[{k}]", each
    elif isinstance(value, staticmethod | classmethod):
        yield name, value.__func__
    elif isinstance(value, types.MethodType):
        yield "self" if not isinstance(value.__self__, type) else "", value.__self__
        yield name, value.__func__
    elif isinstance(value, types.FunctionType):
        yield from _of_function(value)
    elif _is_theirs(value) or isinstance(value, torch.nn.Module):
        owner = value.__name__ if isinstance(value, type) else name or "self"
        for key, each in _attributes(value):
            yield f"{owner}.{key}", each


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Attributes of a class or object, without special ones; of modules also tensors."""
    if isinstance(value, torch.nn.Module):
        yield from value.named_parameters(recurse=False)
        yield from value.named_buffers(recurse=False)
        yield from value.named_children()
    for key, each in list(vars(value).items() if hasattr(value, "__dict__") else ()):
        is_theirs = not key.startswith("__") or isinstance(each, types.FunctionType)
        if is_theirs and key not in _OF_MODULES:
            yield key, each
    if not isinstance(value, type) and _is_theirs(type(value)):
        yield type(value).__name__, type(value)


_OF_MODULES = frozenset({"_buffers", "_parameters", "_modules"})


def _of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    if function.__module__.partition(".")[0] in _NOT_THEIRS:
        return
    code = function.__code__
    for key, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        yield from ((key, each) for each in _content(cell))
    for key in code.co_names:
        if key in function.__globals__ and not isinstance(
            function.__globals__[key], types.ModuleType
        ):
            yield key, function.__globals__[key]
    yield f"{function.__name__}.defaults", [*(function.__defaults__ or ())]
    yield from ((f"{function.__name__}.{key}", each) for key, each in vars(function).items())


def _content(cell: types.CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # Not bound yet.
        return []


def _is_theirs(value: Any) -> bool:
    cls = value if isinstance(value, type) else type(value)
    module = getattr(cls, "__module__", "") or ""
    return module.partition(".")[0] not in _NOT_THEIRS and hasattr(cls, "__dict__")
