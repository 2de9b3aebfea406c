"""The output of a run and of its check as a document: a row for each line, with its step."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.document.document import Document, Field, Row
from gradviz.document.tag import DocumentLink
from gradviz.model.console import ConsoleActivity, ConsoleText, Stream

_MOST_IN_A_LINE = 5000
"""Most characters to show of one line, since long lines make each repaint slow."""

CHECK = "check"
"""Key of the row above the lines that the check has printed."""


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """One line of output.

    Attributes:
        text: The text without its line ending.
        step: The step that printed it; None outside of any step.
        stream: The stream that it was written to.
    """

    text: str
    step: int | None
    stream: Stream


def lines_of(texts: tuple[ConsoleText, ...]) -> Iterator[ConsoleLine]:
    """Split texts into lines; a line printed in pieces gets the step of its first piece."""
    open_line: ConsoleLine | None = None
    for text in texts:
        for piece in text.text.splitlines(keepends=True):
            plain = piece.rstrip("\r\n")
            if open_line is not None and open_line.stream == text.stream:
                line = ConsoleLine(open_line.text + plain, open_line.step, open_line.stream)
            else:
                if open_line is not None:
                    yield open_line
                line = ConsoleLine(plain, text.step, text.stream)
            open_line = line if piece == plain else None
            if open_line is None:
                yield line
    if open_line is not None:
        yield open_line


class ConsoleOutput:
    """The lines of a run that may be shown, split once.

    Args:
        revealed: The trace, with the results that may be shown.
    """

    def __init__(self, revealed: RevealedTrace) -> None:
        self._revealed = revealed
        self.lines = list(lines_of(revealed.console("run")))
        self._check = list(lines_of(revealed.console("check")))
        self._first: dict[int, int] = {}
        for at, line in enumerate(self.lines):
            if line.step is not None:
                self._first.setdefault(line.step, at)
        self._notes = dict(self._make_notes())
        checked = [(CHECK, at) for at in range(len(self._check))]
        self._keys: list[Hashable] = [*range(len(self.lines)), *self._notes]
        self._below: dict[Hashable, list[tuple[str, int]]] = {CHECK: checked} if checked else {}

    def _make_notes(self) -> Iterator[tuple[str, str]]:
        """Yield keys and texts of rows that are no output."""
        if self._revealed.index is None:
            yield "empty", say("console.no_run")
        elif not self.lines:
            hidden = "hidden" if not self._revealed.is_complete else "nothing"
            yield "empty", say(f"console.{hidden}")
        yield from self._cut("run")
        if self._check:
            yield CHECK, say_count("console.check", len(self._check))
        yield from self._cut("check")

    def _cut(self, activity: ConsoleActivity) -> Iterator[tuple[str, str]]:
        """Yield how much output was not kept."""
        index = self._revealed.index
        for cut in () if index is None else index.trace.cuts:
            if cut.activity == activity:
                characters = format_count(cut.characters)
                yield (
                    f"{activity} cut",
                    say_count("steps.not_kept", cut.lines, characters=characters),
                )

    def step_of(self, key: Hashable) -> int | None:
        """Return the step that printed the line of a key; None if none did."""
        return self.lines[key].step if isinstance(key, int) else None

    def first_row(self, step: int) -> int | None:
        """Return the key of the first line that a step has printed; None if it printed nothing."""
        return self._first.get(step)

    @property
    def longest(self) -> str:
        """The line with the most characters that are shown."""
        return max((_short(each.text) for each in (*self.lines, *self._check)), key=len, default="")

    def document(self, number: int) -> Document:
        """Return a row for each line; those that a step has printed are marked."""

        def row(key: Hashable) -> Row:
            if isinstance(key, str):
                return Row(fields=(Field(text=self._notes[key], tone="muted"),))
            lines, at = (self.lines, key) if isinstance(key, int) else (self._check, _at(key))
            before = lines[at - 1].step if at else None
            return _line_row(lines[at], is_first=lines[at].step != before, number=number)

        titles = (say("console.step"), say("console.output"))
        return Document(
            titles=titles,
            keys=self._keys,
            below=self._below,
            row=row,
            headings=tuple(self._notes),
        )


def _at(key: Hashable) -> int:
    assert isinstance(key, tuple)
    return int(key[1])


def _line_row(line: ConsoleLine, *, is_first: bool, number: int) -> Row:
    """A line; its step is written where it differs from the step of the line before."""
    is_error, is_now = line.stream == "stderr", line.step is not None and line.step == number
    step = "" if line.step is None else format_count(line.step)
    error = say("console.err") if is_error else ""
    mark = " ".join(filter(None, (error, step if is_first else "")))
    text = _short(line.text.expandtabs(8))
    where = say("doctor_list.step", step=step) if step else ""
    return Row(
        fields=(
            Field(text=mark, tip=where, tone="error" if is_error else "muted", is_number=True),
            Field(text=text, tone="error" if is_error else "plain", mono=True),
        ),
        spoken=", ".join(filter(None, (text, where, error))),
        link=None if line.step is None else DocumentLink(step=line.step),
        is_now=is_now,
    )


def _short(text: str) -> str:
    left = len(text) - _MOST_IN_A_LINE
    return text if left <= 0 else say_count("console.long", left, text=text[:_MOST_IN_A_LINE])
