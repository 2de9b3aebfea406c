"""The user's lines by way of ``sys.settrace``, for Python before 3.12."""

from __future__ import annotations

import functools
import opcode
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, cast

from gradviz.recorder.line_watcher import Exit, Watcher

TraceFunction = Callable[[FrameType, str, Any], Any]
"""As ``sys.settrace`` takes it."""

_EXITS: dict[int, Exit] = {
    opcode.opmap["RETURN_VALUE"]: "returned",
    opcode.opmap["YIELD_VALUE"]: "yielded",
}
_ASKS_ITERATOR = {opcode.opmap["FOR_ITER"], opcode.opmap["SEND"]}
_FIRST = bytes((opcode.opmap["RESUME"], 0))


@functools.lru_cache(maxsize=1000)
def _code(code: CodeType) -> bytes:
    return code.co_code


class LineTracer:
    """Traces the calling thread between `start` and `stop`.

    Whatever traced it before, such as a debugger or a measurement of coverage, goes on tracing.

    Attributes:
        before: What traced it before; None where nothing did.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.before: TraceFunction | None = None
        self._outer: TraceFunction | None = None
        self._raised = (0, 0)
        self._trace: TraceFunction = self._global

    def start(self) -> None:
        """Begins to trace."""
        self.before = self._outer = cast("TraceFunction | None", sys.gettrace())
        owner = getattr(self._outer, "__self__", None)
        if isinstance(owner, LineTracer):
            # Of another stage, around this one, whose lines these are not.
            self.before = owner.before
        sys.settrace(self._trace)

    def stop(self) -> None:
        """Puts back what traced before, unless the user has put something there meanwhile."""
        if sys.gettrace() is self._trace:
            sys.settrace(self._outer)

    def _global(self, frame: FrameType, event: str, arg: Any) -> TraceFunction | None:
        before = self._tell_before(self.before, frame, event, arg)
        watcher = self._watcher
        if not watcher.wants(frame):
            return before
        watcher.enters(frame, again=_goes_on(frame))
        return self._local if before is None else self._local_beside(before)

    def _local_beside(self, before: TraceFunction) -> TraceFunction:
        """The local function of a frame that another tracer traces as well."""
        other: TraceFunction | None = before

        def local(frame: FrameType, event: str, arg: Any) -> TraceFunction:
            nonlocal other
            other = self._tell_before(other, frame, event, arg)
            self._local(frame, event, arg)
            return local

        return local

    def _tell_before(
        self, before: TraceFunction | None, frame: FrameType, event: str, arg: Any
    ) -> TraceFunction | None:
        if before is None:
            return None
        result: TraceFunction | None = before(frame, event, arg)
        if sys.gettrace() is not self._trace:
            # Some install themselves anew with each call that they are told of.
            sys.settrace(self._trace)
        return result

    def _local(self, frame: FrameType, event: str, arg: Any) -> TraceFunction:
        watcher = self._watcher
        if event == "line":
            watcher.runs(frame, frame.f_lineno)
        elif event == "return":
            watcher.leaves(frame, self._exit(frame), arg)
        elif event == "exception" and not _is_end_of_loop(frame, arg):
            self._raised = (id(frame), frame.f_lasti)
            watcher.raises(frame)
        return self._local

    def _exit(self, frame: FrameType) -> Exit:
        if self._raised == (id(frame), frame.f_lasti):
            # An exception thrown into a generator arises at its ``yield``.
            return "raised"
        return _EXITS.get(_code(frame.f_code)[frame.f_lasti], "raised")


def _goes_on(frame: FrameType) -> bool:
    """Whether a frame that is entered has run before, as a generator."""
    last = frame.f_lasti
    return _code(frame.f_code)[last : last + 2] != _FIRST


def _is_end_of_loop(frame: FrameType, arg: Any) -> bool:
    """Whether it is the exception with which an iterator tells a loop that it has no more."""
    return (
        issubclass(arg[0], StopIteration) and _code(frame.f_code)[frame.f_lasti] in _ASKS_ITERATOR
    )
