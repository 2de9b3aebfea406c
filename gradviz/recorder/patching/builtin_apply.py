"""Patch of ``Function.apply`` where torch implements it in C++, as versions after 2.13 do."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from types import BuiltinMethodType
from typing import Any

import torch
from torch.autograd import function as autograd_function

from gradviz.recorder import compat
from gradviz.recorder.patching.patches import Apply, ApplyPatch
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.sources import current_frame


class MethodDefinition(ctypes.Structure):
    """CPython's ``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("call", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FLAGS = 0x0001 | 0x0002 | 0x0010
"""METH_VARARGS, METH_KEYWORDS and METH_CLASS: it is called as ``call(cls, args, kwargs)``."""
_APPLY, _CALL = "apply", "__call__"
_BEFORE_DEFINITION = 3
"""A method descriptor has three pointers before the one to its definition."""


class BuiltinApplyPatch:
    """Replaces ``Function.apply``, and the C function of aliases made earlier.

    ``model.linear = LinearFunction.apply`` holds a builtin method that shares its definition with
    all others. While the patch is installed, the definition points to ``PyObject_Call``, which has
    the same parameters and so calls the class. The metaclass passes that call on.
    """

    def __init__(self) -> None:
        self._definition: MethodDefinition | None = None
        self._held: Any = None

    def install(self, make_apply: Callable[[Callable[..., Any]], Apply]) -> None:
        """Route every ``apply`` through ``make_apply(original)``.

        Raises:
            AttributeError: If this version of torch defines ``apply`` differently; nothing has been
                changed then.
        """
        original, _ = _original()
        recorded = make_apply(original)

        # By this name, checks find the Function that a bound method belongs to.
        @calls_user_code
        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            return recorded(cls, args, kwargs)

        @calls_user_code
        def call(cls: Any, *args: Any, **kwargs: Any) -> Any:
            # Functorch generates classes that are no Functions.
            if not issubclass(cls, torch.autograd.Function):
                return original(cls, *args, **kwargs)
            if _means_apply(cls, args, kwargs):
                return recorded(cls, args, kwargs)
            return type.__call__(cls, *args, **kwargs)

        held = vars(torch.autograd.Function)["apply"]
        if held is vars(compat.FunctionBaseInC)["apply"]:
            self._held = held
            setattr(torch.autograd.Function, _APPLY, classmethod(apply))
        setattr(autograd_function.FunctionMeta, _CALL, call)
        self._definition = definition_of_apply()
        self._definition.call = ctypes.cast(ctypes.pythonapi.PyObject_Call, ctypes.c_void_p).value

    def remove(self) -> None:
        """Restore torch's own function."""
        if self._definition is not None:
            self._definition.call = _original()[1].call
            self._definition = None
            delattr(autograd_function.FunctionMeta, _CALL)
            if self._held is not None:
                setattr(torch.autograd.Function, _APPLY, self._held)


def make_apply_patch() -> ApplyPatch | BuiltinApplyPatch:
    """A patch for the way in which this version of torch implements ``apply``."""
    return ApplyPatch() if compat.IS_APPLY_PYTHON else BuiltinApplyPatch()


# Never released, because threads of the run may use the method after the recording.
@functools.cache
def _original() -> tuple[Callable[..., Any], MethodDefinition]:
    """The method as torch defines it, with a definition that no patch changes."""
    definition = MethodDefinition.from_buffer_copy(definition_of_apply())
    new_method = ctypes.pythonapi.PyDescr_NewClassMethod
    new_method.argtypes = [ctypes.py_object, ctypes.c_void_p]
    new_method.restype = ctypes.py_object
    return new_method(compat.FunctionBaseInC, ctypes.addressof(definition)), definition


def definition_of_apply() -> MethodDefinition:
    """The definition in memory that ``apply`` in C and all its bound methods share.

    Raises:
        AttributeError: If this version of torch has no such function, or one with other parameters.
    """
    method = vars(compat.FunctionBaseInC)["apply"]
    if type(method) is not type(vars(dict)["fromkeys"]):
        raise AttributeError("apply is not implemented in C")
    place = id(method) + object.__basicsize__ + _BEFORE_DEFINITION * ctypes.sizeof(ctypes.c_void_p)
    definition = MethodDefinition.from_address(ctypes.c_void_p.from_address(place).value or 0)
    if definition.name != b"apply" or definition.flags != _FLAGS:
        raise AttributeError("apply has other parameters")
    return definition


def _means_apply(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call of a Function's class comes from an alias of its ``apply``.

    Otherwise it creates an instance, which is deprecated but still possible.
    """
    given = (*args, *kwargs.values())
    if any(map(torch.is_tensor, given)):
        return True
    if given and cls.__init__ is torch.autograd.Function.__init__:
        return True
    caller = current_frame(2)
    known = (*caller.f_locals.values(), *map(caller.f_globals.get, caller.f_code.co_names))
    if id(cls) in map(id, known):
        return False
    methods = [each for each in known if type(each) is BuiltinMethodType and each.__self__ is cls]
    return bool(methods)
