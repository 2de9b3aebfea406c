"""Line events from ``sys.monitoring``, for Python 3.12 and later."""

from __future__ import annotations

import functools
import sys
from bisect import bisect_right
from collections.abc import Callable
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from gradviz.recorder.inside.line_listener import Exit, LineListener

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
        self._threads: dict[int, list[tuple[LineListener, list[FrameType]]]] = {}

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

    def begin(self, listener: LineListener) -> None:
        """Report events of the calling thread to a listener, until `end`."""
        self._threads.setdefault(get_ident(), []).append((listener, []))

    def end(self) -> None:
        """Stop reporting to the listener that began last in the calling thread."""
        ident = get_ident()
        listeners = self._threads[ident]
        listeners.pop()
        if not listeners:
            del self._threads[ident]

    def _thread_state(self) -> tuple[LineListener, list[FrameType]] | None:
        listeners = self._threads.get(get_ident())
        return listeners[-1] if listeners else None

    def _on_start(self, code: CodeType, offset: int) -> Any:
        return self._enter(code, _frame(1), again=False)

    def _on_resume(self, code: CodeType, offset: int) -> Any:
        return self._enter(code, _frame(1), again=True)

    # Python cannot disable this event for one location, so it must not return DISABLE.
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

    def _listener_of(self, frame: FrameType) -> LineListener | None:
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
