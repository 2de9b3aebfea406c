"""Extra selections of the source, which Qt paints over its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit

from gradviz.viewer.arithmetic.code_names import CodeNames
from gradviz.viewer.theme.theme import Theme


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
