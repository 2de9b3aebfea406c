"""Values of the variables that a running frame names, read without keeping them alive."""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, ModuleType
from typing import Any

# Before PEP 667, `f_locals` of a function's frame is a dict that the frame keeps, and reading it
# changes what its own `locals()` returned.
KEEPS_LOCALS = sys.version_info < (3, 13)
"""Whether this version of Python is affected."""

_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")
_CALLS = ("PRECALL", "CALL")
_REGISTERED = ("_parameters", "_buffers")


def looks_at_own_locals(code: CodeType) -> bool:
    """Whether a function uses ``locals`` or ``f_locals``, or ``vars()`` without arguments."""
    names = code.co_names
    if "f_locals" in names:
        return True
    return ("locals" in names or "vars" in names) and _names_them(code)


@functools.lru_cache(maxsize=10_000)
def _names_them(code: CodeType) -> bool:
    asks = False
    for each in dis.get_instructions(code):
        if each.opname in _GLOBALS:
            if each.argval == "locals":
                return True
            asks = each.argval == "vars"
        elif asks and each.opname in _CALLS and each.arg == 0:
            return True
        elif each.opname not in ("PUSH_NULL", "CACHE"):
            asks = False
    return False


def value_of(path: str, known: dict[str, Any]) -> Any:
    """The value of a global name or of an attribute of a module; None if it is anything else."""
    first, *rest = path.split(".")
    value = known.get(first, getattr(builtins, first, None))
    for attribute in rest:
        value = vars(value).get(attribute) if isinstance(value, ModuleType) else None
    return value


def variable_of(frame: FrameType, path: str) -> Any:
    """The value of a variable, or of an attribute that its object or module holds itself.

    None if it is unknown. No code of the user runs.
    """
    first, *rest = path.split(".")
    value = _own_variable(frame, first)
    if value is None:
        value = value_of(first, frame.f_globals)
    for attribute in rest:
        value = _attribute(value, attribute)
    return value


def variables_of(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """Variables that a frame can read, its own ones first, without those that begin with ``_``."""
    if frame is None:
        return
    code = frame.f_code
    own = [*code.co_varnames, *code.co_cellvars, *code.co_freevars]
    if not code.co_flags & inspect.CO_OPTIMIZED:
        own = list(frame.f_locals)
    for name in dict.fromkeys((*own, *frame.f_globals)):
        # Libraries that rewrite code add variables with names that no program can use.
        if not name.isidentifier() or name.startswith("_"):
            continue
        if (value := variable_of(frame, name)) is not None:
            yield name, value


def _own_variable(frame: FrameType, name: str) -> Any:
    code = frame.f_code
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return frame.f_locals.get(name) if type(frame.f_locals) is dict else None
    if name not in code.co_varnames and name not in code.co_freevars + code.co_cellvars:
        return None
    if not KEEPS_LOCALS:
        return frame.f_locals.get(name)
    if looks_at_own_locals(code):
        return None
    values = frame.f_locals
    value = values.get(name)
    if sys.getrefcount(values) == _ONLY_OURS:
        # Otherwise the frame would keep all values alive until it ends.
        values.clear()
    return value


_ONLY_OURS = 3
"""References to the dict while it is read: the frame's, our variable and the argument."""


def _attribute(value: Any, name: str) -> Any:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    for held in (own, *map(own.get, _REGISTERED)):
        if type(held) is dict and name in held:
            return held[name]
    return None
