"""One sentence about an exception of user code: type, place and message."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from types import TracebackType

from gradviz.catalogue.messages import say


class CaughtError:
    """``with CaughtError() as caught:`` keeps what the block raises, including ``SystemExit``.

    Use it around user code only: an error in gradviz must not look like one in user code.

    Attributes:
        error: The exception; None if nothing was raised.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> CaughtError:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        self.error = error
        return True


_MOST_CHARACTERS = 300


def describe_error(error: BaseException, path: str) -> str:
    """Describe an exception in one sentence.

    Args:
        error: The exception.
        path: The file whose innermost line is named; no line is named if it is not in the
            traceback.
    """
    where = _where(error, path)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        file, message = Path(error.filename).name, _stop(error.msg)
        return say("failed.syntax.line", file=file, line=error.lineno, message=message)
    if isinstance(error, SyntaxError) and where is None:  # a null byte has no line
        return say("failed.syntax", file=Path(path).name, message=_stop(error.msg))
    key = "failed.exit" if isinstance(error, SystemExit) else "failed"
    values: dict[str, object] = {"kind": clean_message(type(error).__name__)}
    if isinstance(error, SystemExit):
        values["kind"] = f"sys.exit({_shown(error.code)})"
    elif message := _message(error):
        values["message"] = _stop(message)
    if where is not None:
        values |= {"file": Path(path).name, "line": where.lineno, "function": where.name}
        key += ".line" if where.name == "<module>" else ".function"
    return say(f"{key}.message" if "message" in values else key, **values)


def error_line(error: BaseException, path: str) -> int:
    """The innermost line of a file that raised an exception; 0 if it is not in the traceback."""
    if isinstance(error, SyntaxError) and os.path.abspath(error.filename or "") == path:
        return error.lineno or 0
    where = _where(error, path)
    return 0 if where is None else where.lineno or 0


def _where(error: BaseException, path: str) -> traceback.FrameSummary | None:
    wanted = os.path.abspath(path)
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return next((each for each in frames if os.path.abspath(each.filename) == wanted), None)


def _message(error: BaseException) -> str:
    # ``__str__`` is user code too.
    text = ""
    with CaughtError():
        text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return clean_message(lines[0]) if lines else ""


def _shown(code: object) -> str:
    return (
        "" if code is None else clean_message(repr(code)) if isinstance(code, int | str) else "..."
    )


def _stop(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."


def clean_message(text: str) -> str:
    """Make text fit for a message: valid Unicode, at most 300 characters."""
    text = clean_text(text)
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."


def clean_text(text: str) -> str:
    """Text with lone surrogates, which UTF-8 cannot encode, replaced."""
    # Methods of a subclass are user code. A class can have one as its name.
    text = str.__str__(text)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
