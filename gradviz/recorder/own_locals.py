"""Detection of functions that read their own locals as a dict, which tracing would change.

Before Python 3.13, ``locals()`` returns one dict per frame, and reading a frame's variables updates
that dict. A function that still holds it would see it change, and could even fail in a loop over
it. The lines of such functions are not recorded.
"""

from __future__ import annotations

import dis
import functools
import sys
from types import CodeType

HAPPENS = sys.version_info < (3, 13)
"""Whether this version of Python is affected."""

_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")
_CALLS = ("PRECALL", "CALL")


@functools.lru_cache(maxsize=10_000)
def looks_at_own_locals(code: CodeType) -> bool:
    """Whether a function uses ``locals`` or ``f_locals``, or ``vars()`` without arguments."""
    names = code.co_names
    if "f_locals" in names:
        return True
    return ("locals" in names or "vars" in names) and _names_them(code)


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
