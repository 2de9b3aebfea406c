"""Containment of exceptions from the checked code, and their description with a location."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from types import TracebackType
from typing import cast

import torch

from gradviz.catalogue.messages import say
from gradviz.checks.run.progress import CheckCancelledError
from gradviz.recorder.error_boundary import safe_exception_text
from gradviz.recorder.safe_text import class_name
from gradviz.recorder.user_traceback import traceback_of

_NOT_THEIRS = tuple(str(Path(file).parent) + os.sep for file in (torch.__file__, __file__))
_LONGEST = 300


class UserCodeAttempt:
    """Context manager that catches an exception of the checked code and keeps it in ``error``.

    Cancellation of the check, KeyboardInterrupt, and SystemExit pass through.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> UserCodeAttempt:
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


def describe_exception(error: Exception) -> str:
    """Describe an exception to end a sentence: its type, where it was raised, its message."""
    message = " ".join(safe_exception_text(error).split())
    if len(message) > _LONGEST:
        message = message[: _LONGEST - 1] + "…"
    values: dict[str, object] = {"kind": class_name(type(error)), "message": message}
    key = "described"
    frame = _innermost_user_frame(error)
    if frame is not None:
        key += ".at"
        values |= {"file": Path(frame.filename).name, "line": frame.lineno, "function": frame.name}
    return say(f"{key}.message" if message else key, **values)


def _innermost_user_frame(error: Exception) -> traceback.FrameSummary | None:
    """The innermost frame of user code; None if only torch's own code was running."""
    frames = reversed(traceback.extract_tb(traceback_of(error)))
    return next((each for each in frames if not each.filename.startswith(_NOT_THEIRS)), None)
