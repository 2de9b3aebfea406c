"""Line events from ``sys.settrace``, for Python before 3.12.

Line events from ``sys.monitoring``, for Python 3.12 and later.
"""

from __future__ import annotations

import functools
import opcode
import sys
from bisect import bisect_right
from collections.abc import Callable
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from gradviz.recorder.inside.stage_lines import Exit, StageLineRecorder
from gradviz.recorder.patching.signals import HANDLERS, calls_user_code
from gradviz.recorder.trace_function import (
    PausableTracer,
    get_trace_function,
    set_trace_function,
)
from gradviz.store.forks import call_after_fork

_MONITORING: Any = getattr(sys, "monitoring", None)
MONITORS = _MONITORING is not None
"""Whether this Python has ``sys.monitoring``."""

_NAME = "gradviz"
_TOOLS = (4, 3, 5, 2, 1, 0)
"""Tool ids in order of preference: first those that Python assigns no purpose."""

_EVERYWHERE = ("PY_START", "PY_RESUME", "PY_THROW", "PY_UNWIND", "RAISE")
_IN_USERS = ("LINE", "JUMP", "PY_RETURN", "PY_YIELD")
_frame: Callable[[int], FrameType] = vars(sys)["_getframe"]


class MonitorError(RuntimeError):
    """Other tools use all tool ids of ``sys.monitoring``."""


class LineMonitor:
    """Monitors all threads between `install` and `remove`, and notifies their listeners.

    Library code costs nothing after its first event.
    """

    def __init__(self, is_library: Callable[[str], bool]) -> None:
        """Create a monitor that ignores library files.

        Args:
            is_library: Whether no listener needs events from a file.
        """
        self._is_library = is_library
        self._tool: int | None = None
        self._codes: set[CodeType] = set()
        self._threads: dict[int, list[tuple[StageLineRecorder, list[FrameType]]]] = {}
        # Nothing is recorded there, and Python would call us until its very end.
        call_after_fork(self, LineMonitor.remove)

    def install(self) -> None:
        """Start monitoring.

        Raises:
            MonitorError: If other tools use all tool ids.
        """
        free = [tool for tool in _TOOLS if _MONITORING.get_tool(tool) is None]
        if not free:
            raise MonitorError
        self._tool = tool = free[0]
        _MONITORING.use_tool_id(tool, _NAME)
        for name, callback in self._callbacks().items():
            _MONITORING.register_callback(tool, getattr(_MONITORING.events, name), callback)
        _MONITORING.set_events(tool, _events(_EVERYWHERE))

    def _callbacks(self) -> dict[str, Callable[..., Any] | None]:
        return {
            "PY_START": self._on_start,
            "PY_RESUME": self._on_resume,
            "PY_THROW": self._on_throw,
            "PY_UNWIND": self._on_unwind,
            "RAISE": self._on_raise,
            "LINE": self._on_line,
            "JUMP": self._on_jump,
            "PY_RETURN": self._on_return,
            "PY_YIELD": self._on_yield,
        }

    def remove(self) -> None:
        """Stop monitoring."""
        if self._tool is None:
            return
        _MONITORING.set_events(self._tool, 0)
        for code in self._codes:
            _MONITORING.set_local_events(self._tool, code, 0)
        for name in self._callbacks():
            _MONITORING.register_callback(self._tool, getattr(_MONITORING.events, name), None)
        _MONITORING.free_tool_id(self._tool)
        self._tool = None
        self._codes.clear()

    def reset_ignored_lines(self) -> None:
        """Enable events again for files that were ignored so far."""
        if self._tool is not None:
            _MONITORING.restart_events()

    def begin(self, listener: StageLineRecorder) -> None:
        """Report events of the calling thread to a listener, until `end`."""
        self._threads.setdefault(get_ident(), []).append((listener, []))

    def end(self) -> None:
        """Stop reporting to the listener that began last in the calling thread."""
        ident = get_ident()
        listeners = self._threads[ident]
        listeners.pop()
        if not listeners:
            del self._threads[ident]

    def _thread_state(self) -> tuple[StageLineRecorder, list[FrameType]] | None:
        listeners = self._threads.get(get_ident())
        return listeners[-1] if listeners else None

    def _on_start(self, code: CodeType, offset: int) -> Any:
        return self._enter(code, _frame(1), again=False)

    def _on_resume(self, code: CodeType, offset: int) -> Any:
        return self._enter(code, _frame(1), again=True)

    # Python cannot disable this event for one location, so it must not return DISABLE. When a
    # generator is freed before its end, Python drops the exceptions of signals that come in here:
    # the recorder's own generators run to their end.
    def _on_throw(self, code: CodeType, offset: int, error: BaseException) -> None:
        self._enter(code, _frame(1), again=True)

    def _enter(self, code: CodeType, frame: FrameType, *, again: bool) -> Any:
        if self._is_library(code.co_filename):
            return _MONITORING.DISABLE
        state = self._thread_state()
        if state is None:
            return None
        listener, frames = state
        if listener.wants(frame):
            if code not in self._codes:
                self._codes.add(code)
                _MONITORING.set_local_events(self._tool, code, _events(_IN_USERS))
            frames.append(frame)
            listener.enters(frame, again=again)
        return None

    def _on_line(self, code: CodeType, line: int) -> None:
        listener = self._listener_of(frame := _frame(1))
        if listener is not None:
            listener.runs(frame, line, frame.f_lasti)

    def _on_jump(self, code: CodeType, offset: int, target: int) -> Any:
        if target > offset or _line(code, target) != _line(code, offset):
            return _MONITORING.DISABLE
        # A loop on one line causes no line event for its next iteration.
        listener = self._listener_of(frame := _frame(1))
        if listener is not None:
            listener.runs(frame, frame.f_lineno, target)
        return None

    def _on_raise(self, code: CodeType, offset: int, error: BaseException) -> None:
        listener = self._listener_of(frame := _frame(1))
        if listener is not None:
            listener.raises(frame)

    def _on_return(self, code: CodeType, offset: int, value: object) -> None:
        self._leave(_frame(1), "returned", value)

    def _on_yield(self, code: CodeType, offset: int, value: object) -> None:
        self._leave(_frame(1), "yielded", value)

    def _on_unwind(self, code: CodeType, offset: int, error: BaseException) -> None:
        self._leave(_frame(1), "raised", None)

    def _listener_of(self, frame: FrameType) -> StageLineRecorder | None:
        """The listener of a running frame; None if nobody watches it."""
        state = self._thread_state()
        if state is None or not state[1] or state[1][-1] is not frame:
            return None
        return state[0]

    def _leave(self, frame: FrameType, how: Exit, value: object) -> None:
        listener = self._listener_of(frame)
        if listener is not None:
            listener.leaves(frame, how, value)
            self._threads[get_ident()][-1][1].pop()


@functools.lru_cache(maxsize=1000)
def _lines(code: CodeType) -> list[tuple[int, int | None]]:
    return [(start, line) for start, _, line in code.co_lines()]


def _line(code: CodeType, offset: int) -> int | None:
    """Line number of an instruction."""
    lines = _lines(code)
    return lines[bisect_right(lines, offset, key=lambda each: each[0]) - 1][1]


def _events(names: tuple[str, ...]) -> int:
    return sum([getattr(_MONITORING.events, name) for name in names])


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
        self._listener: StageLineRecorder | None = None
        self.before: TraceFunction | None = None
        self._outer: LineTracer | None = None
        self._raised = (0, 0)
        self.trace: TraceFunction = self._global

    def begin(self, listener: StageLineRecorder) -> None:
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
