"""One sentence about an exception of user code: type, place and message."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

from gradviz.worker.border import Caught

_MOST_CHARACTERS = 300


def blame(error: BaseException, path: str) -> str:
    """Describe an exception in one sentence.

    Args:
        error: The exception.
        path: The file whose innermost line is named; no line is named if it is not in the
            traceback.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{Path(error.filename).name}, line {error.lineno}: {_stop(error.msg)}"
    where = _where(error, path)
    if isinstance(error, SyntaxError) and not where:  # a null byte has no line
        return f"{Path(path).name}: {_stop(error.msg)}"
    if isinstance(error, SystemExit):
        return f"The code called sys.exit({_shown(error.code)}){where}."
    message = _message(error)
    return f"{type(error).__name__}{where}{': ' + _stop(message) if message else '.'}"


def _where(error: BaseException, path: str) -> str:
    wanted = os.path.abspath(path)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.abspath(frame.filename) == wanted
    ]
    if not frames:
        return ""
    last = frames[-1]
    function = "" if last.name == "<module>" else f" in {last.name}"
    return f"{function} ({Path(path).name}, line {last.lineno})"


def _message(error: BaseException) -> str:
    # ``__str__`` is user code too.
    text = ""
    with Caught():
        text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return clean(lines[0]) if lines else ""


def _shown(code: object) -> str:
    return "" if code is None else clean(repr(code)) if isinstance(code, int | str) else "..."


def _stop(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."


def clean(text: str) -> str:
    """Make text fit for a message: valid Unicode, at most 300 characters."""
    text = clean_text(text)
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."


def clean_text(text: str) -> str:
    """Text with lone surrogates, which UTF-8 cannot encode, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
