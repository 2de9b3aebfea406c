"""Line events from ``sys.settrace``, for Python before 3.12."""

from __future__ import annotations

import functools
import opcode
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from gradviz.recorder.inside.line_listener import Exit, LineListener
from gradviz.recorder.patching.signals import HANDLERS, calls_user_code
from gradviz.recorder.trace_function import (
    PausableTracer,
    get_trace_function,
    set_trace_function,
)

TraceFunction = Callable[[FrameType, str, Any], Any]
"""Type of functions that ``sys.settrace`` takes."""

_EXITS: dict[int, Exit] = {
    opcode.opmap["RETURN_VALUE"]: "returned",
    opcode.opmap["YIELD_VALUE"]: "yielded",
}
_ASKS_ITERATOR = {opcode.opmap["FOR_ITER"], opcode.opmap["SEND"]}
_FIRST = bytes((opcode.opmap["RESUME"], 0))


@functools.lru_cache(maxsize=1000)
def _code(code: CodeType) -> bytes:
    # Python creates a new bytes object at each access.
    return code.co_code


class LineTracer(PausableTracer):
    """Traces the calling thread between `begin` and `end`.

    A tracer that was active before, such as a debugger or a coverage tool, keeps tracing.

    Attributes:
        before: The user's own trace function, set before or during tracing.
        trace: The trace function that Python calls.
    """

    def __init__(self) -> None:
        self._listener: LineListener | None = None
        self.before: TraceFunction | None = None
        self._outer: LineTracer | None = None
        self._raised = (0, 0)
        self.trace: TraceFunction = self._global

    def begin(self, listener: LineListener) -> None:
        """Report events of the calling thread to a listener, until `end`."""
        self._listener = listener
        self._outer = _tracer()
        # Inside another stage, keep only the user's tracer: these lines belong to this stage.
        self.before = get_trace() if self._outer is None else self._outer.before
        set_trace_function(self.trace)

    def end(self) -> None:
        """Restore the previous tracer, or the one that the user has set in the meantime."""
        self._listener = None
        # The run has set another one, past our replacement of `sys.settrace`; it stays.
        if get_trace_function() is not self.trace:
            return
        if self._outer is None:
            set_trace_function(self.before)
        else:
            self._outer.before = self.before
            set_trace_function(self._outer.trace)

    def _global(self, frame: FrameType, event: str, arg: Any) -> TraceFunction | None:
        HANDLERS.go_on()
        listener = self._listener
        if self.before is None and listener and frame.f_code.co_filename in listener.others:
            return None
        before = self._notify_before(self.before, frame, event, arg)
        if listener is None or not listener.wants(frame):
            return before
        listener.enters(frame, again=_goes_on(frame))
        return self._local if before is None else self._local_trace(before)

    def _local_trace(self, before: TraceFunction) -> TraceFunction:
        """Local trace function of a frame that another tracer traces too."""
        other: TraceFunction | None = before

        def local(frame: FrameType, event: str, arg: Any) -> TraceFunction:
            nonlocal other
            other = self._notify_before(other, frame, event, arg)
            self._local(frame, event, arg)
            return local

        return local

    @calls_user_code
    def _notify_before(
        self, before: TraceFunction | None, frame: FrameType, event: str, arg: Any
    ) -> TraceFunction | None:
        if before is None:
            return None
        result: TraceFunction | None = before(frame, event, arg)
        if get_trace_function() is not self.trace:
            # Some tracers install themselves again on every event.
            set_trace_function(self.trace)
        return result

    def _local(self, frame: FrameType, event: str, arg: Any) -> TraceFunction:
        listener = self._listener
        if listener is None:
            return self._local
        if event == "line":
            listener.runs(frame, frame.f_lineno, frame.f_lasti)
        elif event == "return":
            listener.leaves(frame, self._exit(frame), arg)
        elif event == "exception" and not _is_end_of_loop(frame, arg):
            self._raised = (id(frame), frame.f_lasti)
            listener.raises(frame)
        return self._local

    def _exit(self, frame: FrameType) -> Exit:
        if self._raised == (id(frame), frame.f_lasti):
            # An exception thrown into a generator is raised at its ``yield``.
            return "raised"
        # The event is the same for a return and an exception; only the instruction differs.
        return _EXITS.get(_code(frame.f_code)[frame.f_lasti], "raised")


def _goes_on(frame: FrameType) -> bool:
    """Whether a frame that is entered has run before, as a generator."""
    last = frame.f_lasti
    return _code(frame.f_code)[last : last + 2] != _FIRST


def _is_end_of_loop(frame: FrameType, arg: Any) -> bool:
    """Whether the exception only signals the end of an iterator to a loop."""
    return (
        issubclass(arg[0], StopIteration) and _code(frame.f_code)[frame.f_lasti] in _ASKS_ITERATOR
    )


def _tracer() -> LineTracer | None:
    """Our tracer of the calling thread; None if another one or none is active."""
    owner = getattr(get_trace_function(), "__self__", None)
    return owner if isinstance(owner, LineTracer) else None


def get_trace() -> TraceFunction | None:
    """Replacement for ``sys.gettrace`` that hides our tracer."""
    tracer = _tracer()
    found: TraceFunction | None = get_trace_function() if tracer is None else tracer.before
    return found


def set_trace(function: TraceFunction | None, /) -> None:
    """Replacement for ``sys.settrace`` that runs the user's tracer alongside ours."""
    tracer = _tracer()
    if tracer is None:
        set_trace_function(function)
    else:
        tracer.before = function
