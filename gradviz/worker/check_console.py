"""Collection of what the evaluations of a check print: of the first ones, and up to a limit."""

from __future__ import annotations

import sys
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TextIO, cast

from gradviz.checks.run.first_prints import FirstPrints, PrintStream
from gradviz.model.console import ConsoleCut, ConsoleText, Stream
from gradviz.recorder.safe_text import printable_text
from gradviz.store.writer import TraceWriter

_MOST_WAITING = 1 << 16


class CheckConsole:
    """``with CheckConsole(...)``: stores stdout and stderr of a check in the trace.

    What further evaluations print again is only counted.

    Attributes:
        prints: Counts the evaluations.
    """

    def __init__(self, most_characters: int) -> None:
        self.prints = FirstPrints()
        self._writer: TraceWriter | None = None
        self._left = most_characters
        self._next = 0
        self._kept: list[tuple[Stream, str]] = []
        self._waiting = 0
        self._cut_characters = 0
        self._cut_lines = 0
        self._originals = (sys.stdout, sys.stderr)

    def store_in(self, writer: TraceWriter) -> None:
        """Store in a trace from now on, also what was printed before."""
        self._writer = writer
        self._next = writer.highest("console") + 1

    def add(self, stream: Stream, text: str, is_first: bool) -> None:
        """Collect the text of one write, or count it if an earlier evaluation printed it."""
        kept = text[: self._left] if is_first else ""
        self._left -= len(kept)
        if kept:
            self._kept.append((stream, kept))
            self._waiting += len(kept)
        if len(kept) < len(text):
            self._cut_characters += len(text) - len(kept)
            self._cut_lines += text.count("\n", len(kept))
        if self._waiting > _MOST_WAITING:
            self.put()

    def put(self) -> None:
        """Pass the text collected so far to the writer, if there is one."""
        if self._writer is None:
            return
        for stream, texts in groupby(self._kept, key=itemgetter(0)):
            text = printable_text("".join(each for _, each in texts))
            self._writer.put(
                ConsoleText(id=self._next, step=None, stream=stream, activity="check", text=text)
            )
            self._next += 1
        self._kept.clear()
        self._waiting = 0
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

    def __exit__(self, *error: object) -> None:
        sys.stdout, sys.stderr = self._originals
        self.put()

    def _writes(self, stream: Stream, behind: TextIO) -> PrintStream:
        return _Unflushed(behind, self.prints, partial(self.add, stream))


class _Unflushed(PrintStream):
    def flush(self) -> None:
        """Do nothing, because this stream holds no text back."""
