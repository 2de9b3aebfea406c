"""Tracebacks of a recorded program as they would be without the recording."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType

_PACKAGE = Path(__file__).parents[1]
_OUR_FOLDERS = tuple(f"{_PACKAGE / name}{os.sep}" for name in ("recorder", "worker"))
_WORKER = _OUR_FOLDERS[1]
_PROTOCOL = os.path.join("torch", "overrides.py")
_OPS = os.path.join("torch", "_ops.py")


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
    shown: TracebackType | None = None
    entries = _entries(traceback)
    for place in reversed(_shown([_path(each) for each in entries])):
        entry = entries[place]
        shown = TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shown


def hide_our_frames_in_chain(error: BaseException) -> None:
    """Hide our frames in an exception, and in those that it was raised from or contains."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.__traceback__ = hide_our_frames(each.__traceback__)
        pending += (each.__cause__, each.__context__)
        if isinstance(each, BaseExceptionGroup):
            pending += each.exceptions


def hide_our_calls(stack: Sequence[tuple[FrameType, int]]) -> list[tuple[FrameType, int]]:
    """A call stack without our frames, of frames and line numbers, the outermost first."""
    return [stack[place] for place in _shown([frame.f_code.co_filename for frame, _ in stack])]


def _shown(paths: Sequence[str]) -> list[int]:
    """Positions of the frames that would exist without the recording, the outermost first."""
    kept: list[int] = []
    between: list[int] = []
    # The host starts this process with ``python -c``.
    is_whole = len(paths) > 1 and paths[0] == "<string>" and paths[1].startswith(_WORKER)
    for place, path in enumerate(paths):
        is_ours = (is_whole and place == 0) or path.startswith(_OUR_FOLDERS)
        # The recorder calls an op through torch's object for it.
        is_op = path.endswith(_OPS) and between[-1:] == [place - 1]
        if is_ours or is_op or path.endswith(_PROTOCOL):
            between.append(place)
            continue
        _leave(between, kept, paths)
        kept.append(place)
    _leave(between, kept, paths)
    return kept


def _leave(between: list[int], kept: list[int], paths: Sequence[str]) -> None:
    """Decide on adjacent frames of the recorder and of torch's protocol."""
    if not any(paths[each].startswith(_OUR_FOLDERS) for each in between):
        # A type of the program answers.
        kept.extend(between)
    elif kept and paths[between[0]].endswith(_PROTOCOL):
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
