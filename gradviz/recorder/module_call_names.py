"""Names in the user's call of a module: what it calls, and what it passes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from msgspec import Struct

from gradviz.recorder.call_site_names import names_of_members
from gradviz.recorder.frame_variables import value_of, variable_of
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.source_expressions import MEMBER, MOST_NAME, SourceExpression, expression_at
from gradviz.recorder.sources import current_frame, is_call_by_gradviz, is_hidden, is_recorder
from gradviz.recorder.variable_places import members_of

_MODULE_FILE = str(Path(torch.__file__).parent / "nn" / "modules" / "module.py")
_CONTAINERS = (list, tuple, dict, set, str)


def called_variable(module: torch.nn.Module) -> tuple[str, bool]:
    """What the user's code calls, without ``self``; empty unless it must be the module.

    Returns:
        Its name, and whether it is a variable outside of functions.
    """
    call = _called_by_user(module)
    if call is None:
        return "", False
    found = call.expression
    path = found.callee if found.receiver is None else f"{found.receiver}.{found.callee}"
    name = printable_text(path.removeprefix("self."))
    if found.callee == "self" or found.receiver == "" or len(name) > MOST_NAME:
        return "", False
    return name, call.known is module


def names_in_call_of(module: torch.nn.Module, args: tuple[Any, ...]) -> tuple[dict[int, str], str]:
    """What the user's code calls the values that it passes to a module, and the result.

    Args:
        module: The module.
        args: The positional arguments.

    Returns:
        The names of the values, and of members of a list, tuple or dict among them, by their
        ``id()``; and the variable to which the result is assigned, or empty.
    """
    call = _called_by_user(module)
    if call is None:
        return {}, ""
    found = call.expression
    named = [*zip(_without_stars(found.names, len(args), call.frame), args, strict=True)]
    if found.keywords:
        # Torch shows them to no global hook.
        given = variable_of(call.entry, "kwargs") or {}
        written = dict(found.keywords)
        spread = [name for keyword, name in found.keywords if not keyword]
        more = spread[0] if len(spread) == 1 else ""
        for keyword, value in given.items():
            inside = f"{more}[{keyword!r}]" if more else ""
            named.append((written.get(keyword, inside), value))
    passed: dict[int, str] = {}
    for name, value in named:
        for place, each in _named_inside(name, value):
            if place and len(place) <= MOST_NAME:
                passed.setdefault(id(each), place)
    return passed, found.targets[0] if len(found.targets) == 1 else ""


def _named_inside(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if MEMBER in name:
        return zip(names_of_members(name, value), value, strict=False)
    inside = members_of(name, value) if name and type(value) in (list, tuple, dict) else ()
    return ((name, value), *inside)


def _without_stars(names: tuple[str, ...], count: int, frame: FrameType) -> tuple[str, ...]:
    """Names of positional arguments, one of which may be spread, as in ``f(a, *rest)``."""
    places = [place for place, name in enumerate(names) if name.startswith("*")]
    if len(places) == 1:
        at, spread = places[0], names[places[0]][1:]
        is_list = type(variable_of(frame, spread)) in (list, tuple)
        more = range(count - len(names) + 1)
        parts = [f"{spread}[{each}]" if is_list else "" for each in more]
        names = (*names[:at], *parts, *names[at + 1 :])
    return names if len(names) == count and len(places) < 2 else ("",) * count


def running_module() -> torch.nn.Module | None:
    """The module of torch whose method the user's innermost line calls; None if it is no method."""
    frame: FrameType | None = current_frame(1)
    found = None
    while frame is not None and is_hidden(frame.f_code.co_filename):
        owner = None if is_recorder(frame.f_code.co_filename) else variable_of(frame, "self")
        found = owner if issubclass(type(owner), torch.nn.Module) else found
        frame = frame.f_back
    return found


class _ModuleCall(Struct, frozen=True):
    """The user's call of a module that is about to run.

    Attributes:
        expression: The call in the source.
        known: The global value that it calls.
        frame: The calling frame.
        entry: The frame of torch that it calls.
    """

    expression: SourceExpression
    known: Any
    frame: FrameType
    entry: FrameType


def _called_by_user(module: torch.nn.Module) -> _ModuleCall | None:
    """The user's call of a module that is about to run; None if another function makes it."""
    entry = current_frame(1)
    frame: FrameType | None = entry
    while frame is not None and (
        (path := frame.f_code.co_filename) == _MODULE_FILE or is_recorder(path)
    ):
        entry, frame = frame, frame.f_back
    # Something else in torch may call it, such as `functional_call`.
    if frame is None or is_hidden(path) or is_call_by_gradviz(path):
        return None
    found = expression_at(frame.f_code, frame.f_lasti)
    if found.receiver is not None and any(hasattr(each, found.callee) for each in _CONTAINERS):
        # Such as `results.extend(map(model, parts))`.
        return None
    path = found.callee if found.receiver is None else f"{found.receiver}.{found.callee}"
    known = value_of(path, frame.f_globals)
    if found.form != "call" or not (known is None or known is module):
        return None
    return _ModuleCall(found, known, frame, entry)
