"""Python's trace function, even while ``sys.gettrace`` and ``sys.settrace`` are patched."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

get_trace_function: Callable[[], Any] = sys.gettrace
set_trace_function: Callable[[Any], None] = sys.settrace


class PausableTracer:
    """Base class of tracers that the recorder stops while it runs its own code.

    The trace function that they install is one of their bound methods.
    """

    __slots__ = ()


def pausable_trace_function() -> Any:
    """The calling thread's trace function, if it is that of a `PausableTracer`.

    To trace our own code takes twice as long. The caller stops it inside of the ``try`` whose
    ``finally`` sets it again, as an exception of a signal may come in between.
    """
    trace = get_trace_function()
    return trace if isinstance(getattr(trace, "__self__", None), PausableTracer) else None
