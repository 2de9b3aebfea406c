"""The exception that ended a run, as its last step, located with its traceback."""

from __future__ import annotations

from pathlib import Path
from types import CodeType, FrameType, TracebackType

from msgspec import Struct

from gradviz.catalogue.messages import say
from gradviz.model.source import Location
from gradviz.model.step import ErrorStage, ErrorStep
from gradviz.recorder.error_boundary import safe_exception_text
from gradviz.recorder.forward.open_function_call import CallFacts
from gradviz.recorder.own_errors import is_bug
from gradviz.recorder.safe_text import class_name, printable_text
from gradviz.recorder.sources import SourceRecorder, is_hidden, is_library, is_recorder
from gradviz.recorder.user_traceback import entries_of, traceback_of

_MARK = "gradviz_mark"
_MOST_FRAMES = 1000
_PACKAGE = str(Path(__file__).parents[1])


class FrameContext(Struct):
    """What a frame of the recorder knows about the user code that it calls.

    Frames that call user code keep a mark in a local variable named ``gradviz_mark``. If the
    code raises, the traceback leads to the mark. A table would be out of date after an exception
    that the user handles.
    """

    stage: ErrorStage
    node: int | None = None
    call: CallFacts | None = None
    pass_id: int | None = None


def make_error_step(
    error: BaseException, sources: SourceRecorder, number: int, started: int
) -> ErrorStep:
    """Create the step for an exception that leaves the recording."""
    frames = frames_of(traceback_of(error))
    mark = _mark_of(frames)
    if mark.stage == "outside" and isinstance(error, Exception) and _is_in_torch(frames):
        mark.stage = "torch"
    codes = [(frame.f_code, line) for frame, line in frames]
    codes = [each for each in codes if not is_recorder(each[0].co_filename)]
    is_own = is_bug(error)
    text = ending_sentence(error) if is_own else printable_text(safe_exception_text(error))
    return ErrorStep(
        started_ns=started,
        pass_id=mark.pass_id,
        node=mark.node,
        call=None if mark.call is None else mark.call.id,
        stage=mark.stage,
        exception=class_name(type(error)),
        message=text,
        location=None if is_own else _innermost(sources, codes),
        traceback=tuple([sources.line(*each) for each in codes]),
        number=number,
    )


def ending_sentence(error: BaseException) -> str:
    """See `exception_sentence`; of a bug in gradviz, a sentence that says so."""
    sentence = exception_sentence(error)
    return say("recording.bug", error=sentence) if is_bug(error) else sentence


def failed_call(error: BaseException) -> CallFacts | None:
    """The call of a custom Function that an exception came from; None if it came from none."""
    return _mark_of(frames_of(traceback_of(error))).call


def exception_sentence(error: BaseException) -> str:
    """Type of an exception and the first line of its message."""
    lines = safe_exception_text(error).strip().splitlines()
    name = class_name(type(error))
    return printable_text(f"{name}: {lines[0]}") if lines else name


def frames_of(traceback: TracebackType | None) -> list[tuple[FrameType, int]]:
    """Frames of a traceback with their lines, outermost first.

    A very long traceback keeps only the frames at both ends.
    """
    frames = [(each.tb_frame, each.tb_lineno) for each in entries_of(traceback)]
    if len(frames) > _MOST_FRAMES:
        half = _MOST_FRAMES // 2
        frames = frames[:half] + frames[-half:]
    return frames


def _mark_of(frames: list[tuple[FrameType, int]]) -> FrameContext:
    """The innermost mark; the engine's becomes ``backward`` if user code ran below it."""
    users_below = False
    pass_id: int | None = None
    found: FrameContext | None = None
    for frame, _ in reversed(frames):
        path = frame.f_code.co_filename
        if not is_hidden(path):
            users_below = True
        if not is_recorder(path):
            continue
        mark = frame.f_locals.get(_MARK)
        if not isinstance(mark, FrameContext):
            continue
        if found is None:
            stage: ErrorStage = "backward" if mark.stage == "engine" and users_below else mark.stage
            found = FrameContext(stage, mark.node, mark.call, mark.pass_id)
        if pass_id is None:
            pass_id = mark.pass_id
    if found is None:
        return FrameContext("outside")
    found.pass_id = found.pass_id if found.pass_id is not None else pass_id
    return found


def _is_in_torch(frames: list[tuple[FrameType, int]]) -> bool:
    """Whether torch runs below the user's code, or our functions around those of torch."""
    below = False
    for frame, _ in frames:
        path = frame.f_code.co_filename
        if below and is_hidden(path) and not path.startswith("<frozen"):
            return True
        below = below or not (is_hidden(path) or path.startswith(_PACKAGE))
    return False


def _innermost(sources: SourceRecorder, lines: list[tuple[CodeType, int]]) -> Location | None:
    """The innermost line outside of installed packages, or else outside of torch."""
    for hidden in (is_library, is_hidden):
        for code, line in reversed(lines):
            if not hidden(code.co_filename):
                return sources.line(code, line)
    return None
