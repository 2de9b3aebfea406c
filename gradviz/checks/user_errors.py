"""Containment of exceptions from the checked code, and their description with a location."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from types import TracebackType

import torch

from gradviz.checks.run.progress import CheckCancelledError

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
        if isinstance(error, CheckCancelledError) or not isinstance(error, Exception):
            return False
        self.error = error
        return True


def describe_exception(error: Exception) -> str:
    """Describe an exception to end a sentence: its type, where it was raised, its message."""
    message = ""
    with UserCodeAttempt():  # ``str(error)`` runs user code, which may raise as well.
        message = " ".join(str(error).split())
    if len(message) > _LONGEST:
        message = message[: _LONGEST - 1] + "…"
    head = f"{type(error).__name__}{_place(error)}"
    return f"{head}: {message}" if message else head


def _place(error: Exception) -> str:
    """The innermost line of user code; empty if only torch's own code was running."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith(_NOT_THEIRS):
            return f" in {Path(frame.filename).name}, line {frame.lineno} ({frame.name})"
    return ""
