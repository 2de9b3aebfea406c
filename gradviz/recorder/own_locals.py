"""Finds functions that look at their own local variables as a dict, which tracing would change.

Before Python 3.13 ``locals()`` hands out one dict for each frame, and whoever asks a frame for its
variables fills that dict anew. A function that still holds it would see it change, or could not
even finish a loop over it. So such functions are not looked into.
"""

from __future__ import annotations

import dis
import functools
import sys
from types import CodeType

HAPPENS = sys.version_info < (3, 13)
"""Whether this Python is one of those."""

_NAMES = frozenset({"locals", "f_locals"})


@functools.lru_cache(maxsize=10_000)
def looks_at_own_locals(code: CodeType) -> bool:
    """Whether a function names ``locals`` or ``f_locals``, or calls ``vars()`` of nothing."""
    names = frozenset(code.co_names)
    return not names.isdisjoint(_NAMES) or ("vars" in names and _calls_vars(code))


def _calls_vars(code: CodeType) -> bool:
    named = False
    for each in dis.get_instructions(code):
        if each.argval == "vars":
            named = True
        elif named and each.opname in ("PRECALL", "CALL") and each.arg == 0:
            return True
        elif each.opname not in ("PUSH_NULL", "CACHE"):
            named = False
    return False
