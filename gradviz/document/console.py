"""The output of a run and of its check as a document: a row for each line, with its step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from itertools import groupby
from operator import attrgetter

from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.document.document import Document, Field, Row
from gradviz.document.tag import DocumentLink
from gradviz.model.console import ConsoleActivity, ConsoleText, Stream
from gradviz.model.source import CALL_FILE

_MOST_IN_A_LINE = 5000
"""Most characters to show of one line, since long lines make each repaint slow."""

CHECK = "check"
"""Key of the row above the lines that the check has printed."""


class ConsoleLines:
    """The lines of printed texts; one printed in pieces has the step of its first piece.

    Args:
        printed: The texts, in order of writing.

    Attributes:
        texts: The lines without their ends.
    """

    def __init__(self, printed: tuple[ConsoleText, ...]) -> None:
        self.texts: list[str] = []
        self._starts: list[int] = []
        self._sources: list[tuple[int | None, Stream]] = []
        is_open = False
        # A run can print a hundred thousand lines, so those of a step are split at once.
        for source, texts in groupby(printed, key=attrgetter("step", "stream")):
            text = "".join([each.text for each in texts])
            *lines, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            if is_open and self._sources[-1][1] == source[1]:
                if not lines:
                    self.texts[-1] += rest
                    continue
                self.texts[-1] += lines.pop(0)
            self._starts.append(len(self.texts))
            self._sources.append(source)
            self.texts += [*lines, rest] if rest else lines
            is_open = bool(rest)

    def source_of(self, at: int) -> tuple[int | None, Stream]:
        """Return the step that printed a line, None outside of any step, and the stream."""
        return self._sources[bisect_right(self._starts, at) - 1]

    def first_of(self, step: int) -> int | None:
        """Return the position of the first line that a step has printed; None if there is none."""
        ends = (*self._starts[1:], len(self.texts))
        found = zip(self._starts, ends, self._sources, strict=False)
        return next((start for start, end, at in found if at[0] == step and start < end), None)


class ConsoleOutput:
    """The lines of a run that may be shown, split once.

    Args:
        revealed: The trace, with the results that may be shown.
        live: What a run prints whose trace is not shown yet, instead; None for none.
    """

    def __init__(
        self, revealed: RevealedTrace, live: tuple[ConsoleText, ...] | None = None
    ) -> None:
        self._revealed = revealed
        self.run = ConsoleLines(revealed.console("run") if live is None else live)
        self._check = ConsoleLines(revealed.console("check") if live is None else ())
        self._notes = dict(self._make_notes()) if live is None else {}
        checked = [(CHECK, at) for at in range(len(self._check.texts))]
        self._keys: list[Hashable] = [*range(len(self.run.texts)), *self._notes]
        self._below: dict[Hashable, list[tuple[str, int]]] = {CHECK: checked} if checked else {}

    def _make_notes(self) -> Iterator[tuple[str, str]]:
        """Yield keys and texts of rows that are no output."""
        if self._revealed.index is None:
            yield "empty", say("console.no_run")
        elif not self.run.texts:
            sources = self._revealed.index.trace.sources
            nothing = "nothing.call" if any(e.path == CALL_FILE for e in sources) else "nothing"
            hidden = "hidden" if not self._revealed.is_complete else nothing
            yield "empty", say(f"console.{hidden}")
        yield from self._cut("run")
        if self._check.texts:
            yield CHECK, say_count("console.check", len(self._check.texts))
        yield from self._cut("check")

    def _cut(self, activity: ConsoleActivity) -> Iterator[tuple[str, str]]:
        """Yield how much output was not kept."""
        index = self._revealed.index
        for cut in () if index is None else index.trace.cuts:
            if cut.activity == activity:
                characters = format_count(cut.characters)
                text = say_count("steps.not_kept", cut.lines, characters=characters)
                yield f"cut_{activity}", text

    def step_of(self, key: Hashable) -> int | None:
        """Return the step that printed the line of a key; None if none did."""
        return self.run.source_of(key)[0] if isinstance(key, int) else None

    def longest(self) -> str:
        """The line with the most characters that are shown."""
        texts = (*self.run.texts, *self._check.texts)
        return _short(max(texts, key=len, default="").expandtabs(8))

    def document(self, number: int) -> Document:
        """Return a row for each line; those that a step has printed are marked."""

        def row(key: Hashable) -> Row:
            if isinstance(key, str):
                return Row(fields=(Field(text=self._notes[key], tone="muted"),))
            lines, at = (self.run, key) if isinstance(key, int) else (self._check, _at(key))
            return _line_row(lines, at, number)

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


def _line_row(lines: ConsoleLines, at: int, number: int) -> Row:
    """A line; its step is written where it differs from the step of the line before."""
    printed, stream = lines.source_of(at)
    is_first = not at or lines.source_of(at - 1)[0] != printed
    is_error = stream == "stderr"
    step = "" if printed is None else format_count(printed)
    error = say("console.err") if is_error else ""
    mark = " ".join(filter(None, (error, step if is_first else "")))
    text = _short(lines.texts[at].expandtabs(8))
    where = say("doctor_list.step", step=step) if step else ""
    return Row(
        fields=(
            Field(text=mark, tip=where, tone="error" if is_error else "muted", is_number=True),
            Field(text=text, tone="error" if is_error else "plain", mono=True),
        ),
        spoken=", ".join(filter(None, (text, where, error))),
        link=None if printed is None else DocumentLink(step=printed),
        is_now=printed == number,
    )


def _short(text: str) -> str:
    left = len(text) - _MOST_IN_A_LINE
    return text if left <= 0 else say_count("console.long", left, text=text[:_MOST_IN_A_LINE])
