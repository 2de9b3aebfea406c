"""Collection of what the evaluations of a check print, up to a limit."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, TextIO, cast

from gradviz.model.console import ConsoleCut, ConsoleText, Stream
from gradviz.store.writer import TraceWriter
from gradviz.worker.user_errors import clean_text

_MOST_WAITING = 1 << 16


class CheckConsole:
    """``with CheckConsole(...)``: stores stdout and stderr of a check in the trace."""

    def __init__(self, writer: TraceWriter, most_characters: int) -> None:
        self._writer = writer
        self._left = most_characters
        self._next = writer.highest("console") + 1
        self._text: list[str] = []
        self._waiting = 0
        self._stream: Stream = "stdout"
        self._cut_characters = 0
        self._cut_lines = 0
        self._originals = (sys.stdout, sys.stderr)

    def add(self, stream: Stream, text: str) -> None:
        """Collect the text of one write."""
        if stream != self._stream or self._waiting > _MOST_WAITING:
            self.put()
            self._stream = stream
        kept = text[: self._left]
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
        sys.stdout = cast(TextIO, _Writes(self, "stdout", sys.stdout))
        sys.stderr = cast(TextIO, _Writes(self, "stderr", sys.stderr))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        sys.stdout, sys.stderr = self._originals
        self.put()


class _Writes:
    """Replacement for a text stream while user code runs; whatever else it does stays the same."""

    def __init__(self, console: CheckConsole, stream: Stream, behind: TextIO) -> None:
        self._console = console
        self._stream: Stream = stream
        self._behind = behind

    def write(self, text: str) -> int:
        self._console.add(self._stream, text)
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Do nothing, because this stream holds no text back."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)
