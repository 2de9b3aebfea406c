"""Warnings raised during a recording name the lines that they would name without it.

A warning names the line of a caller, counted in Python frames, and those of the recorder would
count too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.sources import current_frame, is_in_protocol, is_recorder


def locate_warnings(original: Callable[..., None]) -> Callable[..., None]:
    """Wrap ``warnings.warn`` so that frames of the recorder do not count."""

    @calls_user_code
    def warn(
        message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **more: Any
    ) -> None:
        level = _level(current_frame(1), stacklevel)
        original(message, category, stacklevel=level + 1, source=source, **more)

    return warn


def _level(frame: FrameType | None, wanted: int) -> int:
    """The stack level at which a frame is the one that would be at the wanted level."""
    level = 1
    for _ in range(wanted - 1):
        if frame is None:
            return level
        frame, level = frame.f_back, level + 1
        while frame is not None and is_recorder(frame.f_code.co_filename):
            frame, level = _outside(frame, level)
    return level


def _outside(frame: FrameType | None, level: int) -> tuple[FrameType | None, int]:
    """Leave the frames of the recorder, and the function of torch that asked it to call itself."""
    asked = False
    while frame is not None and _is_between(frame):
        asked = asked or is_in_protocol(frame.f_code.co_filename)
        frame, level = frame.f_back, level + 1
    if asked and frame is not None:
        frame, level = frame.f_back, level + 1
    return frame, level


def _is_between(frame: FrameType) -> bool:
    path = frame.f_code.co_filename
    return is_recorder(path) or is_in_protocol(path)


def locate_shown_warnings(original: Callable[[Any], None]) -> Callable[[Any], None]:
    """Wrap what Python calls to show a warning that torch raised from C++.

    Such a warning names the innermost Python frame, which is the recorder's. It is issued again for
    the frame of the caller, so that filters and the limit of one warning for each line apply there.
    """

    @calls_user_code
    def show(message: Any) -> None:
        frame: FrameType | None = current_frame(1)
        if frame is None or not is_recorder(message.filename):
            original(message)
            return
        # It must not count as shown for the recorder's line, nor as shown at all.
        frame.f_globals.get("__warningregistry__", {}).clear()
        once: dict[Any, Any] = getattr(warnings, "onceregistry", {})
        once.pop((str(message.message), message.category), None)
        while frame is not None and is_recorder(frame.f_code.co_filename):
            frame, _ = _outside(frame, 0)
        if frame is None:
            original(message)
            return
        names = frame.f_globals
        warnings.warn_explicit(
            message.message,
            message.category,
            frame.f_code.co_filename,
            frame.f_lineno,
            module=names.get("__name__") or "<unknown>",
            registry=names.setdefault("__warningregistry__", {}),
            source=message.source,
        )

    return show
