"""Python's trace function, even while ``sys.gettrace`` and ``sys.settrace`` are patched."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

get_trace_function: Callable[[], Any] = sys.gettrace
set_trace_function: Callable[[Any], None] = sys.settrace


class PausableTracer:
    """Base class of tracers that are paused while the recorder runs its own code.

    The trace function that they install is one of their bound methods.
    """

    __slots__ = ()


def pause_tracer() -> Any:
    """Stop a `PausableTracer` of the calling thread, as to trace our code takes twice as long.

    Returns:
        The trace function to set again; None if none was stopped.
    """
    trace = get_trace_function()
    if not isinstance(getattr(trace, "__self__", None), PausableTracer):
        return None
    set_trace_function(None)
    return trace
