"""Containment of exceptions from the checked code, and their description with a location."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self, cast

from gradviz.catalogue.messages import say
from gradviz.checks.run.progress import CheckCancelledError
from gradviz.recorder.error_boundary import safe_exception_text
from gradviz.recorder.own_errors import innermost_user_frame, is_own_error
from gradviz.recorder.safe_text import class_name
from gradviz.recorder.sources import shown_path

_LONGEST = 300


class Attempt:
    """Context manager that catches an exception and keeps it in ``error``, whosever it is.

    For trials that may fail by themselves, such as a change of backward that does not fit.
    Cancellation of the check, KeyboardInterrupt, and SystemExit pass through.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        # Not `isinstance`, which may ask the exception for its ``__class__``.
        if kind is None or not issubclass(kind, Exception) or kind is CheckCancelledError:
            return False
        self.error = cast(Exception, error)
        return True


class UserCodeAttempt(Attempt):
    """Like `Attempt`, but only for exceptions of the checked code; bugs of gradviz pass through."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        is_ours = error is not None and is_own_error(error)
        return not is_ours and super().__exit__(kind, error, trace)


def describe_exception(error: Exception) -> str:
    """Describe an exception to end a sentence: its type, where it was raised, its message."""
    message = " ".join(safe_exception_text(error).split())
    if len(message) > _LONGEST:
        message = message[: _LONGEST - 1] + "…"
    values: dict[str, object] = {"kind": class_name(type(error)), "message": message}
    key = "described"
    frame = innermost_user_frame(error)
    if frame is not None:
        key += ".at"
        values |= {
            "file": Path(shown_path(frame.filename)).name,
            "line": frame.lineno,
            "function": frame.name,
        }
    return say(f"{key}.message" if message else key, **values)
