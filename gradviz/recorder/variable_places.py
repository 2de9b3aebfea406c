"""Where the user's variables hold an object: ``xs[1]``, ``params['w']``, ``self.layers[0]``."""

from __future__ import annotations

import dis
import functools
import re
from collections.abc import Iterator
from types import CodeType, FrameType, ModuleType
from typing import Any

import torch

from gradviz.recorder.frame_variables import variables_of
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.source_expressions import MOST_NAME
from gradviz.recorder.sources import is_call_by_gradviz, is_gradviz, is_library

_MOST_OBJECTS = 1000
"""Objects to look at in each depth, those of the nearest variables first."""
_MOST_DEPTH = 3
_MOST_FRAMES = 5
_REGISTERED = ("_parameters", "_modules")
_OF_ALL_MODULES = frozenset(vars(torch.nn.Module()))
_WORDS = r"'[^']*'|[A-Za-z_]\w*"


def has_loop_variable(name: str, frame: FrameType | None) -> bool:
    """Whether a name in a frame contains a variable of its loops: ``w``, ``layers[i].weight``."""
    if frame is None:
        return False
    return not _loop_variables(frame.f_code).isdisjoint(re.findall(_WORDS, name))


@functools.lru_cache(maxsize=1000)
def _loop_variables(code: CodeType) -> frozenset[str]:
    """The variables of the loops in a function, or of a comprehension."""
    found: set[str] = set()
    waiting = 0
    for each in dis.get_instructions(code):
        if each.opname == "FOR_ITER":
            waiting = 1
        elif waiting and each.opname in ("UNPACK_SEQUENCE", "UNPACK_EX"):
            waiting += (each.arg or 1) - 1
        elif waiting and each.opname.startswith("STORE_"):
            # From Python 3.13 on, one instruction may store two.
            names = each.argval if isinstance(each.argval, tuple) else (each.argval,)
            found.update(map(str, names))
            waiting -= len(names)
    return frozenset(found)


def find_place(value: object, frame: FrameType | None) -> str:
    """The variable of the user's code, or the place below one, that holds an object for good.

    The variable of a loop holds it only for a while.

    Args:
        value: The object.
        frame: The frame that uses it; those that call it are searched too.

    Returns:
        Its name; empty if it is not found among the first objects.
    """
    waiting = list(_variables(frame))
    seen = {id(each) for _, each in waiting}
    for _ in range(_MOST_DEPTH):
        inner: list[tuple[str, Any]] = []
        for name, each in waiting:
            # In its own methods, an object has no other name.
            if each is value and name != "self":
                return name
            if len(inner) < _MOST_OBJECTS:
                for place, member in members_of(name, each):
                    if member is value or id(member) not in seen:
                        seen.add(id(member))
                        inner.append((place, member))
        waiting = inner
    for name, each in waiting:
        if each is value:
            return name
    return ""


def holds_other_model(model: torch.nn.Module, frame: FrameType | None) -> bool:
    """Whether variables of the user's code hold another model with parameters, as a GAN's do."""
    parts = set(map(id, model.modules()))
    found = list(_variables(frame))
    found += [each for name, value in found if name == "self" for each in members_of(name, value)]
    others = [
        each
        for _, each in found
        if issubclass(type(each), torch.nn.Module)
        and parts.isdisjoint(map(id, each.modules()))
        and list(each.parameters())
    ]
    return bool(others)


def _variables(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    frames: list[FrameType] = []
    while frame is not None and len(frames) < _MOST_FRAMES:
        path = frame.f_code.co_filename
        if not (is_library(path) or is_gradviz(path) or is_call_by_gradviz(path)):
            frames.append(frame)
        frame = frame.f_back
    loops = frozenset[str]().union(*(_loop_variables(each.f_code) for each in frames))
    for each in frames:
        for name, value in variables_of(each):
            if name not in loops and not issubclass(type(value), ModuleType | type):
                yield name, value


def members_of(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Members of a container and attributes of an object, read without running its code."""
    found: Iterator[tuple[str, Any]]
    if type(value) in (list, tuple):
        found = ((f"{name}[{at}]", each) for at, each in enumerate(value[:_MOST_OBJECTS]))
    elif type(value) is dict:
        found = ((f"{name}[{key!r}]", value[key]) for key in list(value) if _is_plain(key))
    else:
        try:
            held = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return
        if type(held) is not dict:
            return
        # Parts of a module are read as its attributes are: ``layers.0.weight``.
        inner = [held.get(kind) for kind in _REGISTERED]
        found = (
            (f"{name}.{key}", each[key])
            for each in (held, *inner)
            if type(each) is dict
            for key in list(each)
            if type(key) is str and key not in _OF_ALL_MODULES
        )
    for place, each in found:
        if len(place) <= MOST_NAME:
            yield printable_text(place), each


def _is_plain(key: object) -> bool:
    return type(key) in (str, int)
