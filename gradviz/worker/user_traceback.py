"""Tracebacks of a recorded program as they would be without the recording."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

_PACKAGE = Path(__file__).parents[1]
_OUR_FOLDERS = tuple(f"{_PACKAGE / name}{os.sep}" for name in ("recorder", "worker"))
_WORKER = _OUR_FOLDERS[1]
_PROTOCOL = os.path.join("torch", "overrides.py")


def skip_outer_frames(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame of the program on; None if it has none."""
    # The host starts this process with ``python -c``.
    if traceback is not None and _path(traceback) == "<string>":
        traceback = traceback.tb_next
    while traceback is not None and _path(traceback).startswith(_WORKER):
        traceback = traceback.tb_next
    return traceback


def hide_our_frames(traceback: TracebackType | None) -> TracebackType | None:
    """A copy of a traceback without the recorder's frames.

    Where torch has asked the recorder's mode to answer, the function that asked is left out too:
    torch then calls it a second time, and only that call would exist without the recording.
    """
    kept: list[TracebackType] = []
    between: list[TracebackType] = []
    for entry in _entries(traceback):
        if _is_ours(entry) or _path(entry).endswith(_PROTOCOL):
            between.append(entry)
            continue
        _leave(between, kept)
        kept.append(entry)
    _leave(between, kept)
    shown: TracebackType | None = None
    for entry in reversed(kept):
        shown = TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shown


def _leave(between: list[TracebackType], kept: list[TracebackType]) -> None:
    """Decide on adjacent frames of the recorder and of torch's protocol."""
    if not any(_is_ours(each) for each in between):
        # A type of the program answers.
        kept.extend(between)
    elif kept and _path(between[0]).endswith(_PROTOCOL):
        kept.pop()
    between.clear()


def _entries(traceback: TracebackType | None) -> list[TracebackType]:
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    return entries


def _path(entry: TracebackType) -> str:
    return entry.tb_frame.f_code.co_filename


def _is_ours(entry: TracebackType) -> bool:
    return _path(entry).startswith(_OUR_FOLDERS)
