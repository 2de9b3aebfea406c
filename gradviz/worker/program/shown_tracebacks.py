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


def hide_our_frames_when_shown(is_bug: Callable[[BaseException], bool]) -> None:
    """Make Python's ``traceback`` module and its message for threads leave out our frames.

    Args:
        is_bug: Whether an exception is a bug in gradviz, whose frames are shown.
    """
    vars(traceback)["walk_stack"] = _walking(traceback.walk_stack)
    vars(traceback)["extract_tb"] = _extracting(traceback.extract_tb)
    shown: Any = traceback.TracebackException
    shown.__init__ = _showing(shown.__init__, is_bug)
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


def _showing(
    original: Callable[..., None], is_bug: Callable[[BaseException], bool]
) -> Callable[..., None]:
    # It calls itself for the exceptions that this one was raised from. Since Python 3.13, it also
    # makes what Python prints of an exception that ends the program.
    def init(
        self: Any, exc_type: Any, exc_value: Any, exc_traceback: Any, *args: Any, **kwargs: Any
    ) -> None:
        is_shown = exc_value is not None and is_bug(exc_value)
        shown = exc_traceback if is_shown else hide_our_frames(exc_traceback)
        original(self, exc_type, exc_value, shown, *args, **kwargs)

    return init


def _ending(original: Callable[..., object]) -> Callable[..., object]:
    def excepthook(args: Any) -> object:
        if args.exc_value is None:
            return original(args)
        hide_our_frames_in_chain(args.exc_value)
        shown = (args.exc_type, args.exc_value, traceback_of(args.exc_value), args.thread)
        return original(type(args)(shown))

    return excepthook
