"""Signal handlers of the run, which wait while the recorder's own code is interrupted.

A handler may raise, as Ctrl+C does. Raised in the recorder, its exception would be taken for one of
the recorder's, or leave torch in a state in which the recorder has put it.
"""

from __future__ import annotations

import _thread
import contextlib
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import Any, ParamSpec, TypeVar, cast

from gradviz.recorder.trace_function import get_trace_function

P = ParamSpec("P")
R = TypeVar("R")

Handler = Callable[[int, FrameType | None], Any]

_FOLDER = os.path.dirname(os.path.dirname(__file__)) + os.sep
_signal: Any = vars(signal)["_signal"]
"""Python's module in C, which the functions of ``signal`` call."""
_set_flag: Callable[[int], None] = cast("Any", _thread.interrupt_main)
"""Let Python call the handler of a signal as if it had come."""

# By identity: the hash of a code object takes long, and is that of its contents.
_calling: dict[int, CodeType] = {}
_ending: dict[int, CodeType] = {}


def calls_user_code(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function of gradviz that calls user code, or torch with what user code has made.

    What it calls outside of the recorder is interrupted as without a recording. An exception that
    it raises itself, as for a function that is written in C, is the user's.
    """
    code: CodeType = cast("Any", function).__code__
    _calling[id(code)] = code
    return function


def is_calling_user_code(code: CodeType) -> bool:
    """Whether code belongs to a function that is marked with `calls_user_code`."""
    return id(code) in _calling


def ends_recorder_code(function: Callable[P, R]) -> Callable[P, R]:
    """Let handlers that have waited run before a function of the recorder returns to the run.

    For functions that replace C functions, after which Python would call handlers. Where C calls
    the recorder, Python does it anyway.
    """

    @functools.wraps(function)
    def ending(*args: P.args, **kwargs: P.kwargs) -> R:
        result = function(*args, **kwargs)
        # Python calls handlers after a C function.
        len(args)
        return result

    note_ending(cast("Any", ending).__code__)
    return ending


def note_ending(code: CodeType) -> None:
    """Treat the code of a function as `ends_recorder_code` treats its own."""
    _ending[id(code)] = code


def is_in_recorder(frame: FrameType | None) -> bool:
    """Whether a frame runs for the recorder, not for the run."""
    is_innermost, called_ours = True, False
    while frame is not None:
        code = frame.f_code
        is_ours = code.co_filename.startswith(_FOLDER)
        if is_ours and not called_ours and id(code) not in (_ending if is_innermost else _calling):
            return True
        is_innermost, called_ours = False, is_ours
        frame = frame.f_back
    return False


class _WaitingHandlers(ModuleType):
    """Stands for the module in C while handlers wait for the end of the recorder's code.

    Python's flag for a signal is set again and again until a handler may run. So it runs exactly
    where Python would call it first, and costs nothing while no signal comes.
    """

    def __init__(self) -> None:
        super().__init__(_signal.__name__)
        self._handlers: dict[int, Handler] = {}
        self._again: dict[int, type] = {}
        self._waiting: set[int] = set()
        self._place = (0, 0)
        self._stuck: list[int] = []
        self._wakeup = -1
        self._warns = True
        self._installs = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(_signal, name)

    def signal(self, number: int, handler: Any) -> Any:
        """Set the handler of a signal, and return the one before."""
        is_called = callable(handler)
        before = _signal.signal(number, self._on_signal if is_called else handler)
        if before == self._on_signal:
            before = self._handlers.pop(number, None)
        if is_called:
            self._handlers[number] = before if handler == self._on_signal else handler
        else:
            self._stop_waiting(number)
        return before

    def set_wakeup_fd(self, fd: int, *, warn_on_full_buffer: bool = True) -> int:
        """Set what wakes an event loop, and return the one before."""
        # A signal may begin to wait after the function, but not between this line and the function.
        none_waits = not self._waiting
        before: int = _signal.set_wakeup_fd(fd, warn_on_full_buffer=warn_on_full_buffer)
        self._warns = warn_on_full_buffer
        if not none_waits:
            before, self._wakeup = max(before, self._wakeup), -1
        return before

    def getsignal(self, number: int) -> Any:
        """The run's handler of a signal."""
        found = _signal.getsignal(number)
        return self._handlers.get(number) if found == self._on_signal else found

    def install(self) -> None:
        """Let handlers wait, those that are set already too; only in the main thread."""
        if self._installs or threading.current_thread() is threading.main_thread():
            self._installs += 1
        if self._installs == 1:
            for number in signal.valid_signals():
                if callable(handler := _signal.getsignal(number)):
                    self.signal(int(number), handler)
            vars(signal).update(_signal=self, set_wakeup_fd=self.set_wakeup_fd)

    def remove(self) -> None:
        """Undo one `install`; the last one puts the handlers back."""
        if threading.current_thread() is not threading.main_thread() or not self._installs:
            return
        self._installs -= 1
        if not self._installs:
            vars(signal).update(_signal=_signal, set_wakeup_fd=_signal.set_wakeup_fd)
            waiting, handlers = set(self._waiting), self._handlers
            self._handlers = {}
            try:
                # Those that have waited run at once now, and may raise.
                self._put_back(sorted(handlers.items(), key=lambda each: each[0] in waiting))
            finally:
                self.stop_all_waiting()

    def _put_back(self, handlers: list[tuple[int, Handler]]) -> None:
        for place, (number, handler) in enumerate(handlers):
            if _signal.getsignal(number) == self._on_signal:
                try:
                    _signal.signal(number, handler)
                except BaseException:
                    self._put_back(handlers[place + 1 :])
                    raise

    def stop_all_waiting(self) -> None:
        """Expect no signal that waits to come again, as in the child after a fork."""
        for number in tuple(self._waiting):
            self._stop_waiting(number)

    @calls_user_code
    def _on_signal(self, number: int, frame: FrameType | None) -> Any:
        if is_in_recorder(frame):
            return self._wait(number, frame)
        self._stop_waiting(number)
        handler = self._handlers.get(number)
        while frame is not None and id(frame.f_code) in _ending:
            frame = frame.f_back
        return None if handler is None else handler(number, frame)

    def _wait(self, number: int, frame: FrameType | None) -> object:
        """What sets the flag again as soon as Python has dropped it, where no code can run."""
        if number not in self._waiting:
            # An event loop is woken once for each signal.
            if not self._waiting:
                self._wakeup = _signal.set_wakeup_fd(-1)
            elif self._wakeup >= 0:
                # What is full wakes it, and the run may have closed it.
                with contextlib.suppress(OSError):
                    os.write(self._wakeup, bytes([number]))
            self._waiting.add(number)
        place = (id(frame), -1 if frame is None else frame.f_lasti)
        is_traced = get_trace_function() is not None or sys.getprofile() is not None
        if is_traced and place == self._place:
            # Up to Python 3.11, a traced function does not begin while a flag is set.
            self._stuck.append(number)
            _thread.start_new_thread(self.go_on, ())
            return None
        self._place = place
        again = self._again.get(number)
        if again is None:
            setting = functools.partial(_set_flag, number)
            again = self._again[number] = type("Again", (), {"__del__": staticmethod(setting)})
        return again()

    def go_on(self) -> None:
        """Set the flags that could not stay set; trace functions call it, or else a thread."""
        while self._stuck:
            # Of two threads, one may find nothing left.
            with contextlib.suppress(IndexError):
                _set_flag(self._stuck.pop())

    def _stop_waiting(self, number: int) -> None:
        if number in self._waiting:
            self._waiting.discard(number)
            if not self._waiting:
                self._resume_wakeups()

    def _resume_wakeups(self) -> None:
        wakeup, self._wakeup = self._wakeup, -1
        if wakeup >= 0:
            # The run may have closed it.
            with contextlib.suppress(OSError, ValueError):
                found = _signal.set_wakeup_fd(wakeup, warn_on_full_buffer=self._warns)
                if found >= 0:
                    _signal.set_wakeup_fd(found, warn_on_full_buffer=self._warns)


HANDLERS = _WaitingHandlers()
"""The handlers of this process."""

if hasattr(os, "register_at_fork"):
    # Python forgets there which signals have come.
    os.register_at_fork(after_in_child=HANDLERS.stop_all_waiting)
