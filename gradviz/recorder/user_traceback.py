"""Tracebacks of a recorded program as they would be without the recording."""

from __future__ import annotations

import dis
import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

_PACKAGE = Path(__file__).parents[1]
_OUR_FOLDERS = tuple(f"{_PACKAGE / name}{os.sep}" for name in ("recorder", "worker"))
_WORKER = _OUR_FOLDERS[1]
_PROTOCOL = os.path.join("torch", "overrides.py")
_OPS = os.path.join("torch", "_ops.py")
# Its operator calls the operator's class, which is where torch asks the recorder's mode.
_FUNCTION_OP = os.path.join("torch", "_functorch", "autograd_function.py")
_MODULE = os.path.join("torch", "nn", "modules", "module.py")
_HOOKS = ("_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks")

_traceback: Any = vars(BaseException)["__traceback__"]
_cause: Any = vars(BaseException)["__cause__"]
_context: Any = vars(BaseException)["__context__"]

Call = tuple[FrameType, int, int]
"""A frame, the instruction in it (-1 if that does not matter), and the line."""


def traceback_of(error: BaseException) -> TracebackType | None:
    """Traceback of an exception, without asking its class, which is user code."""
    found: TracebackType | None = _traceback.__get__(error)
    return found


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
    entries = entries_of(traceback)
    kept = [entries[place] for place in _shown([_path(each) for each in entries])]
    calls = _without_hooks((each.tb_frame, each.tb_lasti, each.tb_lineno) for each in kept)
    for frame, instruction, line in reversed(calls):
        shown = TracebackType(shown, frame, instruction, line)
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
        _traceback.__set__(each, hide_our_frames(traceback_of(each)))
        pending += (_cause.__get__(each), _context.__get__(each))
        if issubclass(type(each), BaseExceptionGroup):
            pending += vars(BaseExceptionGroup)["exceptions"].__get__(each)


def hide_our_calls(stack: Sequence[tuple[FrameType, int]]) -> list[tuple[FrameType, int]]:
    """A call stack without our frames, of frames and line numbers, the outermost first."""
    places = _shown([frame.f_code.co_filename for frame, _ in stack])
    calls = _without_hooks((stack[place][0], -1, stack[place][1]) for place in places)
    return [(frame, line) for frame, _, line in calls]


def _without_hooks(calls: Iterable[Call]) -> list[Call]:
    """Calls as torch makes them if a Module has no hooks; the recorder has one for all Modules."""
    kept: list[Call] = []
    for call in calls:
        code = call[0].f_code
        if kept and code.co_name == "inner" and code.co_filename.endswith(_MODULE):
            caller = kept[-1][0]
            direct = _direct_call(caller.f_code)
            if direct is not None and not _has_own_hooks(caller):
                kept[-1] = (caller, *direct)
                continue
        kept.append(call)
    return kept


def _has_own_hooks(frame: FrameType) -> bool:
    """Whether torch would also run hooks for a frame's Module without the recording."""
    module = frame.f_locals.get("self")
    has_global = frame.f_globals.get("_has_any_global_hook", bool)
    return has_global() or any(getattr(module, name, None) for name in _HOOKS)


@lru_cache
def _direct_call(code: CodeType) -> tuple[int, int] | None:
    """Instruction and line at which torch calls a Module's ``forward`` if there are no hooks."""
    for each in dis.get_instructions(code):
        # The first call with the arguments as they came.
        if each.opname == "CALL_FUNCTION_EX" and each.positions and each.positions.lineno:
            return each.offset, each.positions.lineno
    return None


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
        # The operator was called a second time, from its start.
        is_again = kept and kept[-1] < place - 1 and path.endswith(_FUNCTION_OP)
        if is_again and paths[kept[-1]] == path:
            kept.pop()
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


def entries_of(traceback: TracebackType | None) -> list[TracebackType]:
    """The entries of a traceback, outermost first."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    return entries


def _path(entry: TracebackType) -> str:
    return entry.tb_frame.f_code.co_filename
