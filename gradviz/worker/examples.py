"""Inputs that a user's file declares for its Functions."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from gradviz.catalogue.messages import say
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.worker.given_arguments import GivenArgument
from gradviz.worker.nested_inputs import describe_argument
from gradviz.worker.signature import CallTarget, bind_arguments, call_target
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Something to call, with the arguments that the file declares for it.

    Attributes:
        target: What is called.
        arguments: Its arguments in the order of the parameters.
    """

    target: CallTarget
    arguments: tuple[GivenArgument, ...]


def examples_in(module: ModuleType) -> tuple[list[Example], frozenset[str], str]:
    """All examples of a file that can be used, and the names of all that it declares.

    The last one returned is a sentence on the first problem; empty if there is none.

    Raises:
        WorkError: If the file declares examples in a form that cannot be read.
    """
    found: list[Example] = []
    problems: list[str] = []
    declared = _declared(module)
    for key, arguments in declared.items():
        try:
            found.append(_example(module, key, arguments))
        except WorkError as error:
            problems.append(str(error))
    names = frozenset(_name(module, key) for key in declared)
    return found, names, problems[0] if problems else ""


def find_example(module: ModuleType, name: str) -> Example | None:
    """The example with a name; None if the file declares no examples or not this one.

    Raises:
        WorkError: If the declaration cannot be used.
    """
    for key, arguments in _declared(module).items():
        if _name(module, key) == name:
            return _example(module, key, arguments)
    return None


@calls_user_code
def _declared(module: ModuleType) -> Mapping[Any, Any]:
    path = str(module.__file__)
    # Not `getattr`: a module's own `__getattr__` may make anything of these names.
    declared: Any = vars(module).get("EXAMPLES")
    make = vars(module).get("examples")
    with CaughtError() as caught:
        if callable(make):
            declared = make()
        if isinstance(declared, Mapping):
            # A user's own kinds of mapping and str may raise, here and later.
            declared = {_plain(key): declared[key] for key in declared}
    if caught.error is not None:
        raise WorkError(say("examples.failed", error=describe_error(caught.error, path)))
    if declared is None:
        return {}
    if not isinstance(declared, dict):
        key, kind = "returned" if callable(make) else "type", type(declared).__name__
        raise WorkError(say(f"examples.{key}", file=Path(path).name, type=kind))
    return declared


@calls_user_code
def _plain(key: Any) -> Any:
    return str.__str__(key) if isinstance(key, str) else key


def _name(module: ModuleType, key: Any) -> str:
    if isinstance(key, str):
        return key
    named = (name for name, member in vars(module).items() if member is key)
    return next(named, str(getattr(key, "__name__", type(key).__name__)))


def _example(module: ModuleType, key: Any, arguments: object) -> Example:
    name = _name(module, key)
    file = os.path.basename(str(module.__file__))
    if isinstance(key, str) and key not in vars(module):
        raise WorkError(say("examples.undefined", name=f"{key!r:.60}", file=file))
    member = vars(module)[key] if isinstance(key, str) else key
    if not isinstance(key, str) and not callable(key):
        raise WorkError(say("examples.key", file=file, type=type(key).__name__))
    if inspect.isroutine(arguments) or type(arguments) is functools.partial:
        raise WorkError(say("examples.function", name=name))
    target = call_target(name, member, str(module.__file__))
    described = tuple(describe_argument(*pair) for pair in bind_arguments(target, arguments))
    return Example(target=target, arguments=described)
