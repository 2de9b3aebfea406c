"""Functions, Modules and functions of a file for which it declares no inputs."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Container, Iterator
from dataclasses import replace
from types import ModuleType

import torch
from torch.autograd import Function

from gradviz.catalogue.messages import say
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.worker.signature import CallTarget, call_target, first_source_line
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error

_NUMBERS = ((3, 4, 2), (4, 2, 2), (3, 3, 3))
"""Values for the required parameters of a constructor; the last one is repeated."""
_FEW = (3, 4, 2, 1)
_MOST = 200


def undeclared_targets(module: ModuleType, declared: Container[str]) -> Iterator[CallTarget]:
    """The public Functions and Modules that a file defines, in its order, then its functions.

    A class of which the file creates an instance is left out, and a Module whose constructor takes
    more than numbers.

    Args:
        module: The loaded file.
        declared: Names for which it declares inputs; they are left out.
    """
    public = [each for each in vars(module).items() if not each[0].startswith("_")]
    instantiated = {type(member) for _, member in public}
    members = [each for each in public if _is_own(each[1], module)]
    members.sort(key=lambda each: inspect.isfunction(each[1]))
    for name, member in members:
        is_left_out = isinstance(member, type) and member in instantiated
        if name not in declared and not is_left_out:
            try:
                yield undeclared_target(name, member, str(module.__file__))
            except WorkError:
                continue


def undeclared_target(name: str, member: object, path: str) -> CallTarget:
    """What to call for a member of a file; for a class of Modules, a new instance.

    Raises:
        WorkError: If it cannot be called, or the instance not be created.
    """
    if not (isinstance(member, type) and issubclass(member, torch.nn.Module)):
        return call_target(name, member, path)
    made, expression = _construct(member, path)
    return replace(
        call_target(name, made, path), line=first_source_line(member), expression=expression
    )


@calls_user_code
def _is_own(member: object, module: ModuleType) -> bool:
    """Whether a member is a Function, Module or function that the file itself defines."""
    # Proxies and metaclasses answer with code of their own, which may raise.
    with CaughtError():
        if inspect.isfunction(member):
            is_called_anyway = member.__name__ == "examples"
            return member.__module__ == module.__name__ and not is_called_anyway
        cls = member if isinstance(member, type) else type(member)
        is_one = issubclass(cls, torch.nn.Module) or (cls is member and issubclass(cls, Function))
        return is_one and cls.__module__ == module.__name__
    return False


@calls_user_code
def _construct(cls: type[torch.nn.Module], path: str) -> tuple[torch.nn.Module, str]:
    """A float64 instance of a Module, and the expression that creates it.

    Required parameters of the constructor receive small integers, or what their annotation says.

    Args:
        cls: The class.
        path: Its file, for the message.

    Raises:
        WorkError: If the constructor failed with all of them.
    """
    first: BaseException | None = None
    for arguments in _arguments(cls):
        with CaughtError() as caught:
            made = cls(*arguments).double()
        if caught.error is None:
            text = ", ".join(map(repr, arguments))
            return made, f"{cls.__name__}({text}).double()"
        first = first or caught.error
    reason = "" if first is None else describe_error(first, path)
    raise WorkError(say("made.no_module", name=cls.__name__, reason=reason))


def _arguments(cls: type[torch.nn.Module]) -> Iterator[tuple[object, ...]]:
    try:
        found = inspect.signature(cls).parameters.values()
    except (ValueError, TypeError):
        found = {}.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [each for each in found if each.kind in positional and each.default is each.empty]
    count = len(needed)
    rows = [(*each[:count], *(each[-1:] * (count - len(each)))) for each in _NUMBERS]
    others = itertools.islice(itertools.product(_FEW, repeat=count), _MOST)
    for row in itertools.chain(rows, others):
        yield tuple(_fitting(each, number) for each, number in zip(needed, row, strict=True))


def _fitting(parameter: inspect.Parameter, number: int) -> object:
    if parameter.annotation in (float, "float"):
        return 0.5
    return True if parameter.annotation in (bool, "bool") else number
