"""All terminal output of the command line."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TextIO

from gradviz.catalogue import messages
from gradviz.catalogue.visible_text import visible_text
from gradviz.cli.errors import UsageError, output_error

Tone = Literal["good", "bad", "doubtful"]

_MOST_ERROR = 2_000
"""Maximum number of characters of an error, most of which may be a message of user code."""

_COLORS: dict[Tone, int] = {"good": 32, "bad": 31, "doubtful": 33}
"""Select Graphic Rendition parameters of ECMA-48: green, red and yellow."""


def say(text: str, tone: Tone | None = None) -> None:
    """Print one line to stdout, in the color of a tone if stdout shows colors."""
    line = _encodable(visible_text(text), sys.stdout)
    _print(line if tone is None else _in_color(line, tone, sys.stdout))


def say_lines(text: str) -> None:
    """Print a text of several lines to stdout."""
    _print(_encodable(visible_text(text, lines=True), sys.stdout))


def _in_color(text: str, tone: Tone, stream: TextIO | None) -> str:
    """A text in bold and in the color of a tone, if the stream shows colors."""
    return f"\x1b[1;{_COLORS[tone]}m{text}\x1b[0m" if _shows_colors(stream) else text


def _shows_colors(stream: TextIO | None) -> bool:
    """Whether a stream shows colors, as the user says (no-color.org), or else if a terminal can."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    # Older consoles of Windows print the escape sequences.
    is_old = os.name == "nt" and "WT_SESSION" not in os.environ
    is_capable = os.environ.get("TERM") != "dumb" and not is_old
    return is_capable and stream is not None and stream.isatty()


def say_json(document: Any) -> None:
    """Print a JSON document to stdout, in ASCII so that any terminal can show it."""
    _print(json_text(document))


def json_text(document: Any) -> str:
    """A JSON document in ASCII."""
    return json.dumps(document, ensure_ascii=True, allow_nan=False, indent=1)


def say_pieces(pieces: Iterable[str]) -> None:
    """Print a document of clean ASCII to stdout, piece by piece."""
    with _handling_output_errors():
        for piece in pieces:
            print(piece, end="")
        print()


def check_binary() -> None:
    """Reject a terminal as the place for a file.

    Raises:
        UsageError: If stdout is one, or closed.
    """
    if sys.stdout is None:  # the caller has closed it
        raise output_error(OSError(errno.EBADF, os.strerror(errno.EBADF)))
    if sys.stdout.isatty():
        raise UsageError(messages.say("command.terminal"))


def say_file(path: Path) -> None:
    """Copy a file to stdout, unchanged."""
    with _handling_output_errors(), path.open("rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)


def finish() -> None:
    """Flush stdout now; an error while Python exits could not be reported."""
    if sys.stdout is None:  # the caller has closed it
        return
    try:
        with _handling_output_errors():
            sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()


def discard_stdout() -> None:
    """Redirect stdout to the null device, so that its buffer is dropped without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(text: str) -> None:
    """Print one sentence to stderr, if there is one; a very long one is cut."""
    _print_to_stderr("bad", text)


def print_note(text: str) -> None:
    """Print one sentence that reports no error to stderr, if there is one."""
    _print_to_stderr(None, text)


def _print_to_stderr(tone: Tone | None, text: str) -> None:
    if sys.stderr is None:  # as in a program without a console on Windows
        return
    name = "gradviz:" if tone is None else _in_color("gradviz:", tone, sys.stderr)
    shown = visible_text(text, lines=True)
    if len(shown) > _MOST_ERROR:
        # It needs numpy, which cannot be imported after a signal has interrupted its import.
        from gradviz.store.text_limit import cut_visible_text

        shown = cut_visible_text(text, _MOST_ERROR)
    print(name, _encodable(shown, sys.stderr), file=sys.stderr)


def say_progress(text: str) -> None:
    """Overwrite the progress line if stderr is a terminal; an empty text removes it."""
    if sys.stderr is not None and sys.stderr.isatty():
        # The spaces overwrite what is left of a longer text.
        print(f"\r{visible_text(text):<60}\r", end="", file=sys.stderr, flush=True)


def _print(text: str) -> None:
    with _handling_output_errors():
        print(text)


@contextmanager
def _handling_output_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_stdout()
        raise output_error(error) from None


def _encodable(text: str, stream: TextIO | None) -> str:
    """A text with ``?`` for each character that the stream's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, errors="replace").decode(encoding)
