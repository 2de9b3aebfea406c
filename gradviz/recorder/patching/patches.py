"""Patches that insert the recorder between torch and the user's Functions."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.autograd import function as autograd_function

from gradviz.recorder import compat
from gradviz.recorder.patching.clone_signature import with_signature_of
from gradviz.recorder.patching.signals import note_ending
from gradviz.recorder.safe_text import class_attributes, defining_class

Apply = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
WrappedBody = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]

_SLOT = "_gradviz_apply"
# As in `ends_recorder_code`, Python calls handlers of signals after the C function.
# The code of a function can be replaced only by code with as many free variables; the one of
# `apply` is ``__class__``, from its `super()`.
_SOURCE = f"""
def outer():
    __class__ = None
    def apply(cls, *args, **kwargs):
        __class__
        result = {_SLOT}(cls, args, kwargs)
        len(args)
        return result
    return apply
"""


class ApplyPatch:
    """Replaces the code of ``Function.apply``, which also covers aliases made earlier.

    ``model.linear = LinearFunction.apply`` holds a bound method of the same function object, so
    only replacing the function's code has an effect on it.
    """

    def __init__(self) -> None:
        self._function: types.FunctionType | None = None
        self._code: types.CodeType | None = None

    def install(self, make_apply: Callable[[Callable[..., Any]], Apply]) -> None:
        """Route every ``apply`` through ``make_apply(original)``.

        Raises:
            AttributeError, KeyError, ValueError: If this version of torch defines ``apply``
                differently; nothing has been changed then.
        """
        function: types.FunctionType = torch.autograd.Function.__dict__["apply"].__func__
        # The original must be a function object of its own, because this one gets other code below.
        original = types.FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        scope: dict[str, Any] = {}
        exec(compile(_SOURCE, __file__, "exec"), scope)
        code = function.__code__
        function.__code__ = scope["outer"]().__code__
        note_ending(function.__code__)
        self._function, self._code = function, code
        setattr(autograd_function, _SLOT, make_apply(original))

    def remove(self) -> None:
        """Restore torch's own code."""
        if self._function is not None and self._code is not None:
            self._function.__code__ = self._code
            self._function = self._code = None
            delattr(autograd_function, _SLOT)


class FunctionClassPatches:
    """Wraps ``forward`` and ``setup_context`` of Functions while they are recorded."""

    def __init__(self, body: WrappedBody) -> None:
        self._body = body
        # By identity, because a metaclass may define equality.
        self._seen: dict[int, type] = {}
        self._patches = AttributePatches()

    def prepare(self, cls: type) -> None:
        """Wrap the methods of a class on its first use."""
        if id(cls) in self._seen:
            return
        self._seen[id(cls)] = cls
        for name in ("forward", "setup_context"):
            owner = defining_class(cls, name)
            # The owner may be a base class that several Functions share.
            if owner is not None and id(owner) not in _TORCH_BASES:
                self._replace(owner, name)

    def _replace(self, owner: type, name: str) -> None:
        held = class_attributes(owner)[name]
        if self._patches.has(owner, name) or not isinstance(held, staticmethod):
            return
        original = held.__func__
        body = self._body

        def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return body(name, original, args, kwargs)

        # Torch binds keyword arguments by the parameters in forward's code object.
        clone = with_signature_of(original, call)
        vars(clone)["__gradviz_original__"] = original
        self._patches.replace(owner, name, lambda _: staticmethod(clone))

    def remove(self) -> None:
        """Restore every method that nobody else has replaced in the meantime."""
        self._patches.remove()
        self._seen.clear()


_TORCH_BASES = (id(torch.autograd.Function), id(compat.FunctionBase))


class AttributePatches:
    """Temporary replacements of attributes of torch, other modules, and classes of the run."""

    def __init__(self) -> None:
        # By identity, because a metaclass may define equality.
        self._replaced: dict[tuple[int, str], tuple[Any, Any, Any]] = {}

    def has(self, owner: Any, name: str) -> bool:
        """Whether an attribute is replaced."""
        return (id(owner), name) in self._replaced

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Set ``owner.name`` to ``make(original)``."""
        replacement = make(original := _attributes(owner)[name])
        # Two threads may use a class for the first time at once; the first has seen the original.
        known = self._replaced.get((id(owner), name))
        original = original if known is None else known[1]
        self._replaced[id(owner), name] = owner, original, replacement
        _assign(owner, name, replacement)

    def remove(self) -> None:
        """Restore every attribute that nobody else has replaced in the meantime."""
        for (_, name), (owner, original, replacement) in reversed(self._replaced.items()):
            if _attributes(owner).get(name) is replacement:
                _assign(owner, name, original)
        self._replaced.clear()


# Both bypass a metaclass that could intercept them.
def _attributes(owner: Any) -> Mapping[str, Any]:
    return class_attributes(owner) if isinstance(owner, type) else vars(owner)


def _assign(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, type):
        type.__setattr__(owner, name, value)
    else:
        setattr(owner, name, value)
