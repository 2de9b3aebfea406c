"""Signals that ask this process to end, handled so that it removes its temporary files first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

ENDING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Interruption:
    """Inside the ``with`` block, such a signal raises `KeyboardInterrupt`, as Ctrl+C does.

    The same signal ends the process at once when it comes again.

    Attributes:
        has_come: Whether there was a signal. Code of others may have caught the exception.
    """

    def __init__(self) -> None:
        self.has_come = False
        self._number = int(signal.SIGINT)
        self._handlers: dict[int, Any] = {}

    @property
    def exit_code(self) -> int:
        """By convention 128 plus the number of the signal."""
        return 128 + self._number

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in ENDING_SIGNALS:
                # A signal that is ignored, as by nohup, stays so.
                if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                    self._handlers[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.has_come, self._number = True, number
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt


class DeferredSignals:
    """Inside the ``with`` block, signals of `Interruption` wait for its end or for `handle`.

    For code that would swallow the exception, as PySide does in slots and while it is imported, or
    that has to be completed.
    """

    def __init__(self) -> None:
        self._came: list[int] = []
        self._handlers: dict[int, Callable[[int, FrameType | None], object]] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in ENDING_SIGNALS:
                # What only the system handles cannot be called later.
                if callable(handler := signal.getsignal(number)):
                    self._handlers[number] = handler
                    signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._handlers.items():
            # A handler that was called has decided what the next signal does.
            if signal.getsignal(number) == self._on_signal:
                signal.signal(number, handler)
        self.handle()

    def handle(self) -> None:
        """Handle a signal that has come; this may raise `KeyboardInterrupt`."""
        if self._came:
            number = self._came.pop()
            self._handlers[number](number, None)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._came.append(number)
