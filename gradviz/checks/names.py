"""Names of a callable's arguments and outputs, as in its source."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd import Function

from gradviz.catalogue.messages import say
from gradviz.checks.output_parts import NamedOutputs
from gradviz.linter.source_findings import ExaminedMethods
from gradviz.recorder.sources import code_of


def function_class(target: Callable[..., Any]) -> type[Function] | None:
    """The custom Function behind a callable: the class itself, or the owner of ``apply``."""
    if isinstance(target, type) and issubclass(target, Function):
        return target
    owner = getattr(target, "__self__", None)
    is_apply = getattr(target, "__name__", "") == "apply"
    if is_apply and isinstance(owner, type) and issubclass(owner, Function):
        return owner
    return None


def callable_of(target: Callable[..., Any]) -> Callable[..., Any]:
    """What to call: ``apply`` of a custom Function, else the callable itself."""
    cls = function_class(target)
    return target if cls is None else cls.apply


def source_lines_of(thing: Any) -> tuple[str, list[str]]:
    """Path and lines of the file that defines a class or a function.

    Raises:
        OSError: If there is no such file.
        TypeError: If it is written in C.
    """
    try:
        return inspect.getsourcefile(thing) or "", inspect.findsource(thing)[0]
    except (OSError, TypeError):
        # Python looks for the file of a class in its module, and a notebook's has none.
        code = code_of(getattr(thing, "forward", None))
        if code is None:
            raise
        return code.co_filename, inspect.findsource(code)[0]


def methods_of(cls: type[Function]) -> ExaminedMethods:
    """The methods of a custom Function by their lines, so that its findings can be told apart."""
    names = ("forward", "setup_context", "backward", "vjp", "jvp", "vmap")
    codes = {name: code_of(getattr(cls, name)) for name in names}
    path, _ = source_lines_of(cls)
    # A decorator may hide what it wraps, so that only the name of the class is left.
    hidden = any(
        code is None or code.co_filename != path
        for name, code in codes.items()
        if name in vars(cls) and callable(getattr(cls, name))
    )
    return ExaminedMethods(
        functions=frozenset(each.__name__ for each in cls.__mro__ if issubclass(each, Function)),
        lines=None
        if hidden
        else frozenset(
            code.co_firstlineno for code in codes.values() if code and code.co_filename == path
        ),
    )


def has_setup_context(cls: type[Function]) -> bool:
    """Whether a Function defines ``setup_context``, so that its forward has no ctx."""
    return cls.setup_context is not Function.setup_context


def argument_names(target: Callable[..., Any], count: int) -> tuple[str, ...]:
    """Names of the first ``count`` positional arguments.

    For a Function these are the parameters of its ``forward``, without ctx. Arguments taken by
    ``*rest`` are called ``rest[0]``, ``rest[1]``; if the signature is unknown, ``argument 0``
    and so on.
    """
    names: list[str] = []
    for parameter in parameters_of(target):
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{k}]" for k in range(count - len(names))]
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    names += [say("name.argument", number=k) for k in range(len(names), count)]
    return tuple(names[:count])


def parameters_of(target: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a callable; of a Function, those of its ``forward`` without ctx."""
    cls = function_class(target)
    parameters = _parameters(_signed(target) if cls is None else cls.forward)
    return parameters if cls is None or has_setup_context(cls) else parameters[1:]


def output_names(outputs: Sequence[Any]) -> tuple[str, ...]:
    """Names of outputs.

    That is ``output`` for a single output, otherwise ``output 0``, ``output 1``, and so on; inside
    of containers, their places.
    """
    if isinstance(outputs, NamedOutputs):
        return outputs.names
    if len(outputs) == 1:
        return (say("name.only_output"),)
    return tuple(say("name.output", number=k) for k in range(len(outputs)))


def _signed(target: Callable[..., Any]) -> Callable[..., Any]:
    """The callable whose signature is meaningful; for a module, its ``forward``."""
    # `Module.__call__` takes *args.
    return target.forward if isinstance(target, torch.nn.Module) else target


def _parameters(target: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):  # Builtins may have no signature.
        return []
