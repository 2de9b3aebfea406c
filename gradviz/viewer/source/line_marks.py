"""Computes the mark of each line in a passage: whether it ran, and what it set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit

from gradviz.analysis.index.returned_values import returned_values
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.executed_lines import ExecutionLimit
from gradviz.model.inside import ExecutedLine
from gradviz.viewer.arithmetic.code_names import CodeNames
from gradviz.viewer.source.source_passages import SourcePassage
from gradviz.viewer.source.source_text import SourceText
from gradviz.viewer.source.value_text import BETWEEN, ReadElements, line_values
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import plural, translate

LineSign = Literal["", "ran", "later", "never", "raised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineMark:
    """What is shown beside one line of source.

    Attributes:
        sign: Whether its statement has run, runs later in the step, never runs in this step, or
            was interrupted by an exception; empty for lines that cannot run.
        times: How often it has run so far.
        values: What it set, or what was raised; only on a statement's first line.
    """

    sign: LineSign = ""
    times: int = 0
    values: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """The values as one text; empty if there are none."""
        return BETWEEN.join(self.values)


_NOTHING = LineMark()


class LineMarks:
    """The marks of a passage at one moment, each computed on first use.

    Args:
        index: The trace.
        passage: The passage shown.
        text: Its parsed source.
        elements: Returns the elements of small tensors.
    """

    def __init__(
        self, index: TraceIndex, passage: SourcePassage, text: SourceText, elements: ReadElements
    ) -> None:
        self.passage = passage
        self.text = text
        self._index = index
        self._elements = elements
        self._marks: dict[int, LineMark] = {}
        self._functions = self._functions_of(passage)

    @property
    def block(self) -> tuple[int, int]:
        """First and last line of the current block."""
        first, last = self.passage.block
        return (first, max(last, self.text.statement_at(first)[1]))

    @property
    def count(self) -> int:
        """Number of marks computed so far."""
        return len(self._marks)

    def mark(self, line: int) -> LineMark:
        """Return the mark of a line, numbered from 1."""
        found = self._marks.get(line)
        if found is None:
            found = self._marks[line] = self._mark(line)
        return found

    def _functions_of(self, passage: SourcePassage) -> tuple[range, ...]:
        """Return the line ranges of all functions known to have been called."""
        if not passage.reaches:
            return ()
        called = [reach.ran.functions for _, reach in passage.reaches]
        places = frozenset(passage.definitions).union(*called)
        lines = {each.line for each in places if each.source == passage.source.id}
        return tuple(self.text.function_at(line) for line in lines)

    def _mark(self, line: int) -> LineMark:
        first, _ = self.text.statement_at(line)
        if line != first:
            head = self.mark(first)
            return LineMark(sign=head.sign, times=head.times)
        row = (self.passage.source.id, first)
        ran = [
            (reach, at) for _, reach in self.passage.reaches if (at := reach.last(row)) is not None
        ]
        if not ran:
            return self._mark_of_unrun(first)
        reach, at = ran[-1]
        setter = reach.setter(row)
        values = self._raised(first) or (() if setter is None else self._values(reach, setter))
        times = sum(each.times(row) for each, _ in ran)
        if _was_left(reach, at):
            return LineMark(sign="raised", times=times, values=values)
        return LineMark(sign="ran", times=times, values=values)

    def _values(self, reach: ExecutionLimit, at: int) -> tuple[str, ...]:
        part = reach.ran.part
        line = part.lines[at]
        returned = returned_values(self._index, self.passage.step, part, line)
        return line_values(self._index, line, returned, self._elements)

    def _mark_of_unrun(self, first: int) -> LineMark:
        raised = self._raised(first)
        if raised:
            return LineMark(sign="raised", values=raised)
        row = (self.passage.source.id, first)
        if any(reach.first(row) is not None for _, reach in self.passage.reaches):
            return LineMark(sign="later")
        inside = any(first in lines and first != lines.start for lines in self._functions)
        if inside and first in self.text.executable:
            return LineMark(sign="never")
        return _NOTHING

    def _raised(self, line: int) -> tuple[str, ...]:
        is_raising_line = (
            bool(self.passage.raised) and line == self.text.statement_at(self.passage.block[0])[0]
        )
        return (self.passage.raised,) if is_raising_line else ()


def _was_left(reach: ExecutionLimit, at: int) -> bool:
    """Return whether an exception or the end of the process interrupted a line."""
    line: ExecutedLine = reach.ran.part.lines[at]
    return not line.finished and at not in reach.running


def tip_of(mark: LineMark) -> str:
    """Return the meaning of a line's sign in words; empty if it has none."""
    match mark.sign:
        case "ran" if mark.times == 1:
            return translate("Source", "Executed")
        case "ran":
            return plural.tr("Executed %Ln time(s)", "", mark.times)
        case "later":
            return translate("Source", "Not executed yet")
        case "never":
            return translate("Source", "Not executed in this step")
        case "raised":
            return translate("Source", "Interrupted by an exception or by the end of the run")
        case _:
            return ""


def line_selection(
    block: QTextBlock, style: QTextCharFormat, *, whole: bool = False
) -> QTextEdit.ExtraSelection:
    """Return the selection of a line: of its text, or empty for a background in full width."""
    cursor = QTextCursor(block)
    if whole:
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
    found = QTextEdit.ExtraSelection()
    found.format, found.cursor = style, cursor
    return found


def operand_selections(
    names: CodeNames, extent: range, block_of: Callable[[int], QTextBlock], theme: Theme
) -> Iterator[QTextEdit.ExtraSelection]:
    """Yield the selections of the statement that computed an element, and of its operands.

    Args:
        names: Where these are.
        extent: The lines that are loaded.
        block_of: Returns the block of a line.
        theme: Colors.
    """
    ground, style = QTextCharFormat(), QTextCharFormat()
    ground.setBackground(theme.color("backward_fill"))
    ground.setProperty(QTextFormat.Property.FullWidthSelection, True)
    for line in range(names.lines[0], names.lines[1] + 1):
        if line in extent:
            yield line_selection(block_of(line), ground)
    style.setForeground(theme.color("backward"))
    style.setFontUnderline(True)
    style.setFontWeight(QFont.Weight.Bold)
    for line, start, length in names.spans:
        if line not in extent:
            continue
        cursor = QTextCursor(block_of(line))
        cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.MoveAnchor, start)
        cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.KeepAnchor, length)
        found = QTextEdit.ExtraSelection()
        found.format, found.cursor = style, cursor
        yield found
