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
