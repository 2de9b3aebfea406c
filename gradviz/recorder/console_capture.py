"""Console output of the run, captured from Python's streams and assigned to steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self

from gradviz.model.console import ConsoleCut, ConsoleText, Stream
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.log import RecordLog
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.safe_text import printable_text

_MOST_WAITING = 1 << 16
_MOST_SINGLE = 100
"""Up to this many prints of one step are stored one by one; later ones are combined."""


class _TextBoundary:
    """The log, which may take text while nothing else is recorded."""

    def __init__(self, log: RecordLog) -> None:
        self._log = log
        self.strict, self.unreported = log.strict, log.unreported
        self.report_error = log.report_error

    @property
    def alive(self) -> bool:
        """Whether text is recorded."""
        return self._log.takes_text


class ConsoleCapture:
    """Collects printed text; all writes of one print become one text.

    Attributes:
        is_at_line_start: Whether the last text that the run has printed ended its line.
    """

    def __init__(
        self, log: RecordLog, options: RecordingOptions, current_step: Callable[[], int | None]
    ) -> None:
        self.error_boundary, self._log = _TextBoundary(log), log
        self._left = options.console_characters
        self._pass_on = options.pass_console_on
        self._current_step = current_step
        # It goes nowhere else.
        log.keep_text(not options.pass_console_on)
        self._text: list[str] = []
        self._place: tuple[int | None, Stream] | None = None
        self._texts = 0
        self._waiting = 0
        self._cut_characters = 0
        self._cut_lines = 0
        self.is_at_line_start = True
        self._tees: list[tuple[Stream, Any, Tee]] = []
        self._released: list[Tee] = []
        log.add_flush_hook(self.put)

    def install(self) -> None:
        """Replace ``sys.stdout`` and ``sys.stderr`` with capturing streams, unless they are."""
        if self._tees:
            return
        streams: tuple[Stream, Stream] = ("stdout", "stderr")
        for name in streams:
            original = getattr(sys, name)
            tee = Tee(self, name, original, pass_on=self._pass_on)
            self._tees.append((name, original, tee))
            setattr(sys, name, tee)

    def remove(self) -> None:
        """Restore the original streams, unless the user has replaced ours."""
        for name, original, tee in self._tees:
            if getattr(sys, name) is tee:
                setattr(sys, name, original)
            tee.release()
            # Up to Python 3.13, `print` in another thread may be using it without a reference.
            self._released.append(tee)
        self._tees.clear()
        self._put_rest()
        self._log.keep_text(False)

    @within_error_boundary
    def _put_rest(self) -> None:
        if self._log.keeps_text:
            with self._log.lock:
                self.put()
                self._log.flush()

    def pause(self) -> None:
        """Restore the original streams while nothing is recorded, unless text goes nowhere else."""
        if not self._log.keeps_text:
            self.remove()

    @within_error_boundary
    def add(self, stream: Stream, text: str) -> None:
        """Record one write to a stream."""
        log = self._log
        with log.lock:
            self.is_at_line_start = text.endswith("\n") if text else self.is_at_line_start
            if log.awaits_call and not log.keeps_text:
                return
            # What is open at a pause is over before the next step.
            place = (self._current_step() if log.alive else None, stream)
            if place != self._place:
                self.put()
                self._place = place
                self._texts = 0
            elif self._text and self._text[-1].endswith("\n") and self._texts < _MOST_SINGLE:
                self.put()
            kept = text[: self._left]
            self._left -= len(kept)
            if kept:
                self._text.append(kept)
                self._waiting += len(kept)
            if len(kept) < len(text):
                self._cut_characters += len(text) - len(kept)
                self._cut_lines += text.count("\n", len(kept))
            if self._waiting > _MOST_WAITING:
                log.flush()
            elif kept.endswith("\n"):
                # The last line before a crash or a hang is the one people look for.
                log.flush_soon()

    def put(self) -> None:
        """Write the text collected so far to the log."""
        if self._text and self._place is not None:
            step, stream = self._place
            text = printable_text("".join(self._text))
            number = self._log.next("console")
            self._log.put_text(
                ConsoleText(id=number, step=step, stream=stream, activity="run", text=text)
            )
            self._text.clear()
            self._texts += 1
            self._waiting = 0
        if self._cut_characters:
            self._log.put_text(
                ConsoleCut(activity="run", characters=self._cut_characters, lines=self._cut_lines)
            )


class Tee:
    """Stream that copies its text to the recorder and to the original stream."""

    def __init__(
        self, console: ConsoleCapture, name: Stream, behind: Any, *, pass_on: bool
    ) -> None:
        self._console = console
        self._name: Stream = name
        self._behind = behind
        self._pass_on = pass_on

    @calls_user_code
    def write(self, text: str) -> int:
        """Write text and return its length, as a text stream does."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._pass_on and self._behind is not None:
            self._behind.write(text)
        self._console.add(self._name, text)
        return len(text)

    def release(self) -> None:
        """Pass everything on to the original stream; the run may still hold this object."""
        self._pass_on = True

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)

    def __iter__(self) -> Any:
        return iter(self._behind)

    # Python looks these up on the type: a program may write `with args.output as file:`.
    def __enter__(self) -> Self:
        self._behind.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._behind.__exit__(*error)
