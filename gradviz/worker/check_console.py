"""Collection of what the evaluations of a check print: of the first ones, and up to a limit."""

from __future__ import annotations

import sys
from functools import partial
from types import TracebackType
from typing import TextIO, cast

from gradviz.checks.run.first_prints import FirstPrints, PrintStream
from gradviz.model.console import ConsoleCut, ConsoleText, Stream
from gradviz.store.writer import TraceWriter
from gradviz.worker.user_errors import clean_text

_MOST_WAITING = 1 << 16


class CheckConsole:
    """``with CheckConsole(...)``: stores stdout and stderr of a check in the trace.

    What further evaluations print again is only counted.

    Attributes:
        prints: Counts the evaluations.
    """

    def __init__(self, writer: TraceWriter, most_characters: int) -> None:
        self.prints = FirstPrints()
        self._writer = writer
        self._left = most_characters
        self._next = writer.highest("console") + 1
        self._text: list[str] = []
        self._waiting = 0
        self._stream: Stream = "stdout"
        self._cut_characters = 0
        self._cut_lines = 0
        self._originals = (sys.stdout, sys.stderr)

    def add(self, stream: Stream, text: str, is_first: bool) -> None:
        """Collect the text of one write, or count it if an earlier evaluation printed it."""
        if stream != self._stream or self._waiting > _MOST_WAITING:
            self.put()
            self._stream = stream
        kept = text[: self._left] if is_first else ""
        self._left -= len(kept)
        if kept:
            self._text.append(kept)
            self._waiting += len(kept)
        if len(kept) < len(text):
            self._cut_characters += len(text) - len(kept)
            self._cut_lines += text.count("\n", len(kept))

    def put(self) -> None:
        """Pass the text collected so far to the writer."""
        if self._text:
            text = clean_text("".join(self._text))
            self._text.clear()
            self._waiting = 0
            record = ConsoleText(
                id=self._next, step=None, stream=self._stream, activity="check", text=text
            )
            self._next += 1
            self._writer.put(record)
        if self._cut_characters:
            cut = ConsoleCut(
                activity="check", characters=self._cut_characters, lines=self._cut_lines
            )
            self._writer.put(cut)

    def __enter__(self) -> CheckConsole:
        self._originals = (sys.stdout, sys.stderr)
        sys.stdout = cast(TextIO, self._writes("stdout", sys.stdout))
        sys.stderr = cast(TextIO, self._writes("stderr", sys.stderr))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        sys.stdout, sys.stderr = self._originals
        self.put()

    def _writes(self, stream: Stream, behind: TextIO) -> PrintStream:
        return _Unflushed(behind, self.prints, partial(self.add, stream))


class _Unflushed(PrintStream):
    def flush(self) -> None:
        """Do nothing, because this stream holds no text back."""
