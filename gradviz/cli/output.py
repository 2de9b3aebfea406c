"""The one module through which the command line speaks."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from gradviz.cli.errors import UsageError

# Text from outside must not move the cursor, change colours or retitle the terminal: CSI, OSC and
# other escape sequences (ECMA-48), and every control character but tab and line feed.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]",
    re.DOTALL,
)


def clean(text: str) -> str:
    """The text without what a terminal would obey."""
    return _ESCAPES.sub("", text)


def say(text: str) -> None:
    """Prints a line to stdout."""
    _print(_printable(clean(text), getattr(sys.stdout, "encoding", None)))


def say_json(document: Any) -> None:
    """Prints a JSON document to stdout, in ASCII, so that it survives any terminal."""
    _print(json.dumps(document, ensure_ascii=True, allow_nan=False, indent=1))


def say_pieces(pieces: Iterable[str]) -> None:
    """Prints a document of clean ASCII to stdout, one piece after the other."""
    with _told():
        for piece in pieces:
            print(piece, end="")
        print()


def finish() -> None:
    """Sends off what was said; else Python does so at its exit, where nothing can be told."""
    if sys.stdout is None:  # the caller has closed it
        return
    try:
        with _told():
            sys.stdout.flush()
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Sends what is left in the buffer of stdout, which nobody takes, nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Prints one sentence to stderr."""
    print(_printable(f"gradviz: {clean(text)}", sys.stderr.encoding), file=sys.stderr)


def say_progress(text: str) -> None:
    """Writes over the last such line, where somebody looks on; an empty text takes it away."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r{clean(text):<60}\r", end="", file=sys.stderr, flush=True)


def _print(text: str) -> None:
    with _told():
        print(text)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        raise UsageError(f"the output cannot be written: {error.strerror}.") from None


def _printable(text: str, encoding: str | None) -> str:
    """The text with ``?`` for what the stream's encoding lacks."""
    return text.encode(encoding or "utf-8", errors="replace").decode(encoding or "utf-8")
