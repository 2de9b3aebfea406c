"""Marks of lines and words that Qt paints into the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit

from gradviz.viewer.arithmetic.code_names import CodeNames
from gradviz.viewer.theme.theme import Theme


def line_mark(
    block: QTextBlock, style: QTextCharFormat, *, whole: bool = False
) -> QTextEdit.ExtraSelection:
    """Return the mark of a line: of its whole text, or at its start for a background."""
    cursor = QTextCursor(block)
    if whole:
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
    found = QTextEdit.ExtraSelection()
    found.format, found.cursor = style, cursor
    return found


def name_marks(
    names: CodeNames, extent: range, block_of: Callable[[int], QTextBlock], theme: Theme
) -> Iterator[QTextEdit.ExtraSelection]:
    """Yield the marks of the statement that computed an element, and of its operands.

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
            yield line_mark(block_of(line), ground)
    style.setForeground(theme.color("backward"))
    style.setFontUnderline(True)
    style.setFontWeight(QFont.Weight.Bold)
    for line, start, length in names.spans:
        if line not in extent:
            continue
        cursor = QTextCursor(block_of(line))
        cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.MoveAnchor, start)
        cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.KeepAnchor, length)
        mark = QTextEdit.ExtraSelection()
        mark.format, mark.cursor = style, cursor
        yield mark
