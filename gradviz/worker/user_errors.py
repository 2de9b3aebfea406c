"""One sentence about an exception of user code: type, place and message."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from types import TracebackType
from typing import TypeVar, cast

from gradviz.catalogue.messages import say
from gradviz.recorder.error_boundary import safe_exception_text
from gradviz.recorder.own_errors import is_bug
from gradviz.recorder.safe_text import class_name, printable_text
from gradviz.recorder.sources import is_library
from gradviz.recorder.user_traceback import traceback_of

E = TypeVar("E", bound=BaseException)


class WorkError(ValueError):
    """What was asked for cannot be loaded, made or run; the message is shown to the user.

    Attributes:
        line: The line of the user's file that raised; 0 if it is not known.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class CaughtError:
    """``with CaughtError() as caught:`` keeps what the block raises, including ``SystemExit``.

    Bugs of gradviz pass through. Functions of gradviz that call user code in the block are marked
    with `calls_user_code`, so that what C raises in them is the user's.

    Attributes:
        error: The exception; None if nothing was raised.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> CaughtError:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> bool:
        if error is not None and is_bug(error):
            return False
        self.error = error
        return True


_MOST_CHARACTERS = 300
_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"


def describe_error(error: BaseException, path: str) -> str:
    """Describe an exception in one sentence.

    Args:
        error: The exception.
        path: The file whose innermost line is named; no line is named if it is not in the
            traceback.
    """
    where = _where(error, path)
    if (syntax := _instance(SyntaxError, error)) is not None:
        file, message = Path(syntax.filename or path).name, _stop(syntax.msg)
        if syntax.filename and syntax.lineno:
            return say("failed.syntax.line", file=file, line=syntax.lineno, message=message)
        if where is None:  # a null byte has no line
            return say("failed.syntax", file=Path(path).name, message=message)
    key = "failed"
    values: dict[str, object] = {"kind": clean_message(class_name(type(error)))}
    if (ended := _instance(SystemExit, error)) is not None:
        key, values["kind"] = "failed.exit", f"sys.exit({_shown(ended.code)})"
    elif message := _message(error):
        values["message"] = _stop(message)
    if where is not None:
        values |= {"file": Path(path).name, "line": where.lineno, "function": where.name}
        key += ".line" if where.name == "<module>" else ".function"
    return say(f"{key}.message" if "message" in values else key, **values)


def raising_file(trace: TracebackType | None) -> str:
    """The user's file in which an exception was raised; empty if it was raised by gradviz."""
    frames = reversed(traceback.extract_tb(trace))
    path = next((each.filename for each in frames if not _is_torch_or_python(each.filename)), "")
    return "" if path.startswith(_PACKAGE) else path


def _is_torch_or_python(path: str) -> bool:
    return is_library(path) and not path.startswith(_PACKAGE)


def error_line(error: BaseException, path: str) -> int:
    """The innermost line of a file that raised an exception; 0 if it is not in the traceback."""
    syntax = _instance(SyntaxError, error)
    if syntax is not None and os.path.abspath(syntax.filename or "") == path:
        return syntax.lineno or 0
    where = _where(error, path)
    return 0 if where is None else where.lineno or 0


def _instance(kind: type[E], error: BaseException) -> E | None:
    """The exception if it is of a kind; `isinstance` may ask for ``__class__``, as user code."""
    return cast(E, error) if issubclass(type(error), kind) else None


def _where(error: BaseException, path: str) -> traceback.FrameSummary | None:
    wanted = os.path.abspath(path)
    frames = reversed(traceback.extract_tb(traceback_of(error)))
    return next((each for each in frames if os.path.abspath(each.filename) == wanted), None)


def _message(error: BaseException) -> str:
    lines = [line.strip() for line in safe_exception_text(error).splitlines() if line.strip()]
    return clean_message(lines[0]) if lines else ""


def _shown(code: object) -> str:
    return (
        "" if code is None else clean_message(repr(code)) if isinstance(code, int | str) else "..."
    )


def _stop(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."


def clean_message(text: str) -> str:
    """Make text fit for a message: valid Unicode, at most 300 characters."""
    text = printable_text(text)
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."
