"""Functions that copy another's exact signature, because torch reads the code object."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

_KIND = inspect.Parameter


def with_signature_of(function: Any, body: Callable[..., Any]) -> Callable[..., Any]:
    """Create a function with the signature of ``function`` that calls ``body``.

    Torch reads ``forward.__code__`` to bind keyword arguments, so a ``(*args, **kwargs)``
    wrapper would break such calls and change the text of binding errors.

    Args:
        function: Its parameters' names, order, kinds and defaults are copied.
        body: Is called with ``(args, kwargs)`` as ``function`` would have received them.
    """
    if not isinstance(function, FunctionType):
        return _loose(function, body)
    own = inspect.signature(function, follow_wrapped=False).parameters.values()
    # A placeholder: the real default is set afterwards with `__defaults__`.
    defaults = [each.default if each.default is _KIND.empty else None for each in own]
    pairs = zip(own, defaults, strict=True)
    parameters = [each.replace(annotation=_KIND.empty, default=to) for each, to in pairs]
    head, call = f"def clone{inspect.Signature(parameters)}:", f"return body({_passed(parameters)})"
    source = f"def make(body):\n {head}\n  {call}\n return clone"
    scope: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), scope)
    clone: FunctionType = scope["make"](body)
    clone.__code__ = clone.__code__.replace(co_name=function.__code__.co_name)
    functools.update_wrapper(clone, function)
    # The same objects, because the user's code may compare them with ``is``.
    clone.__defaults__ = function.__defaults__
    clone.__kwdefaults__ = function.__kwdefaults__
    return clone


def _loose(function: Any, body: Callable[..., Any]) -> Callable[..., Any]:
    def clone(*args: Any, **kwargs: Any) -> Any:
        return body(args, kwargs)

    return functools.update_wrapper(clone, function) if callable(function) else clone


def _passed(parameters: list[inspect.Parameter]) -> str:
    positional: list[str] = []
    keywords: list[str] = []
    for parameter in parameters:
        if parameter.kind is _KIND.VAR_POSITIONAL:
            positional.append(f"*{parameter.name}")
        elif parameter.kind is _KIND.VAR_KEYWORD:
            keywords.append(f"**{parameter.name}")
        elif parameter.kind is _KIND.KEYWORD_ONLY:
            keywords.append(f"{parameter.name!r}: {parameter.name}")
        else:
            positional.append(f"{parameter.name}")
    return f"({''.join(f'{each}, ' for each in positional)}), {{{', '.join(keywords)}}}"
