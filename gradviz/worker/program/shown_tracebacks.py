"""Tracebacks that a recorded program shows, without the frames of gradviz."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from gradviz.recorder.user_traceback import (
    hide_our_calls,
    hide_our_frames,
    hide_our_frames_in_chain,
    traceback_of,
)


def hide_our_frames_when_shown() -> None:
    """Make Python's ``traceback`` module and its message for threads leave out our frames."""
    vars(traceback)["walk_stack"] = _walking(traceback.walk_stack)
    vars(traceback)["extract_tb"] = _extracting(traceback.extract_tb)
    shown: Any = traceback.TracebackException
    shown.__init__ = _showing(shown.__init__)
    threading.excepthook = _ending(threading.excepthook)


def _walking(original: Callable[[FrameType | None], Any]) -> Callable[[FrameType | None], Any]:
    def walk_stack(f: FrameType | None) -> Any:
        # Without a frame, the original counts the frames of its callers.
        if f is None:
            return original(f)
        return reversed(hide_our_calls(list(original(f))[::-1]))

    return walk_stack


def _extracting(original: Callable[..., Any]) -> Callable[..., Any]:
    def extract_tb(tb: TracebackType | None, limit: int | None = None) -> Any:
        return original(hide_our_frames(tb), limit)

    return extract_tb


def _showing(original: Callable[..., None]) -> Callable[..., None]:
    # It calls itself for the exceptions that this one was raised from.
    def init(
        self: Any, exc_type: Any, exc_value: Any, exc_traceback: Any, *args: Any, **kwargs: Any
    ) -> None:
        original(self, exc_type, exc_value, hide_our_frames(exc_traceback), *args, **kwargs)

    return init


def _ending(original: Callable[..., object]) -> Callable[..., object]:
    def excepthook(args: Any) -> object:
        if args.exc_value is None:
            return original(args)
        hide_our_frames_in_chain(args.exc_value)
        shown = (args.exc_type, args.exc_value, traceback_of(args.exc_value), args.thread)
        return original(type(args)(shown))

    return excepthook
