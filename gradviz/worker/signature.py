"""Binding of arguments to the parameters of a user's callable."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch.autograd import Function

from gradviz.catalogue.messages import say
from gradviz.checks.names import parameters_of
from gradviz.worker.user_errors import WorkError

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTarget:
    """Something that can be called.

    Attributes:
        name: Its name in the file.
        thing: The class or callable itself.
        call: What is called; ``apply`` for a Function.
        path: Its file.
        line: Line of its definition, from 1; 0 if unknown.
        expression: For a Module of which the file defines only the class, the expression that
            creates it; otherwise empty.
    """

    name: str
    thing: Any
    call: Callable[..., Any]
    path: str
    line: int
    expression: str = ""


def call_target(name: str, thing: Any, path: str) -> CallTarget:
    """What to call for a Function, a function, or an instance with ``__call__``.

    Raises:
        WorkError: If it is none of these.
    """
    if isinstance(thing, type) and issubclass(thing, Function):
        call: Callable[..., Any] = thing.apply
    elif isinstance(thing, type):
        raise WorkError(say("target.class", name=name))
    elif callable(thing):
        call = thing
    else:
        raise WorkError(say("target.not_callable", name=name, type=type(thing).__name__))
    return CallTarget(name=name, thing=thing, call=call, path=path, line=first_source_line(thing))


def bind_arguments(target: CallTarget, arguments: object) -> list[tuple[str, Any]]:
    """Names and values of an example's arguments, in the order of the parameters.

    Args:
        target: What is called.
        arguments: A tuple or list by position, a dict by name, or a single other value.

    Raises:
        WorkError: If they do not fit the parameters.
    """
    parameters = parameters_of(target.thing)
    if isinstance(arguments, Mapping):
        return _bind_names(target, parameters, arguments)
    values = list(arguments) if isinstance(arguments, tuple | list) else [arguments]
    return list(zip(_names(parameters, len(values)), values, strict=True))


def arrange_arguments(
    target: CallTarget, names: Sequence[str], values: Sequence[Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Split values into positional and keyword arguments for the call."""
    parameters = parameters_of(target.thing)
    by_name = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    known = {each.name for each in parameters}
    by_name |= {name for name in names if name not in known and _is_free(name, parameters)}
    pairs = list(zip(names, values, strict=True))
    by_position = [value for name, value in pairs if name not in by_name]
    return by_position, {name: value for name, value in pairs if name in by_name}


def _names(parameters: Sequence[inspect.Parameter], count: int) -> list[str]:
    names = [each.name for each in parameters if each.kind in _BY_POSITION][:count]
    rest = next((each.name for each in parameters if each.kind is each.VAR_POSITIONAL), "argument")
    return names + [f"{rest}[{number}]" for number in range(count - len(names))]


def _bind_names(
    target: CallTarget, parameters: Sequence[inspect.Parameter], arguments: Mapping[Any, Any]
) -> list[tuple[str, Any]]:
    left = dict(arguments)
    bound: list[tuple[str, Any]] = []
    for each in parameters:
        if each.name in left:
            bound.append((each.name, left.pop(each.name)))
        elif left and each.kind in _BY_POSITION:
            if each.default is each.empty:
                parameter = repr(each.name)
                raise WorkError(say("target.no_value", name=target.name, parameter=parameter))
            bound.append((each.name, each.default))
    for name, value in left.items():
        if not _is_free(name, parameters):
            parameter = f"{name!r:.60}"
            raise WorkError(say("target.no_parameter", name=target.name, parameter=parameter))
        bound.append((name, value))
    return bound


def _is_free(name: object, parameters: Sequence[inspect.Parameter]) -> bool:
    """Whether ``**kwargs`` accepts a name that is no parameter; never ``rest[0]``."""
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
    is_word = isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)
    return takes_any and is_word


def first_source_line(thing: Any) -> int:
    """Line of a definition, from 1; 0 if unknown."""
    try:
        return inspect.getsourcelines(inspect.unwrap(thing))[1]
    except (OSError, TypeError, ValueError):
        return 0
