"""The lines of a function that fit into a few rows: selected, wrapped and painted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.source.source_text import SourceText, indent_of
from gradviz.viewer.theme.theme import Theme

EDGE = 5
_TOP, _SPACING = 3, 1.22
"""Space beside and above the rows, before the theme's scale factor, and rows by height of font."""

_HANGING = 4
"""Columns by which the rest of a wrapped line is indented further."""

_LEFT_OUT = "⋯"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRow:
    """One visible row.

    Attributes:
        line: Number of the source line, from 1; 0 for a sign that lines were left out.
        start: First character of the line that is shown in this row.
        end: End of these characters.
        indent: Column of the first character.
        text: The characters.
    """

    line: int
    start: int
    end: int
    indent: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeExcerpt:
    """The visible rows.

    Attributes:
        rows: The rows, from the top.
        leaves_out: Whether statements were left out.
        wraps: Whether a line takes several rows.
    """

    rows: tuple[CodeRow, ...]
    leaves_out: bool
    wraps: bool


def excerpt_of(
    text: SourceText, lines: range, block: tuple[int, int], rows: int, columns: int
) -> CodeExcerpt:
    """Return a function's lines if they fit, else those that count most.

    Comments, docstrings and empty lines are left out first, then calls of print and comments
    after code, then lines far from the current block.
    The first line of the function stays visible if it can.

    Args:
        text: The parsed source.
        lines: The lines of the function.
        block: First and last line of the current block.
        rows: Number of available rows.
        columns: Number of characters in a row.
    """
    margin = min(
        (indent_of(text.lines[at - 1]) for at in lines if text.lines[at - 1].strip()), default=0
    )
    wrapped = {at: _wrapped(text, at, margin, columns) for at in lines}
    trimmed = _trimmed(text, lines)
    current = range(block[0], block[1] + 1)
    kept = [at for at in trimmed if at in current or _is_code(text, at)]
    silent = [at for at in kept if at in current or not _is_spare_print(text, at, kept)]
    bare = {at: _wrapped(text, at, margin, columns, comment=False) for at in silent}
    for shown, pieces in ((trimmed, wrapped), (kept, wrapped), (silent, wrapped), (silent, bare)):
        found = [row for at in shown for row in pieces[at]]
        if len(found) <= rows:
            wraps = len(found) > len(shown)
            return CodeExcerpt(rows=tuple(found), leaves_out=False, wraps=wraps)
    return CodeExcerpt(rows=_window(found, block, rows, lines), leaves_out=True, wraps=True)


def _trimmed(text: SourceText, lines: range) -> list[int]:
    """Return the lines from the def line on, without empty lines at the end."""
    found = list(lines)
    while found and not text.lines[found[-1] - 1].strip():
        found.pop()
    while len(found) > 1 and text.lines[found[0] - 1].lstrip().startswith("@"):
        found.pop(0)
    return found


def _window(
    rows: Sequence[CodeRow], block: tuple[int, int], most: int, lines: range
) -> tuple[CodeRow, ...]:
    """Return the rows around the current block, below the first row of the function."""
    at = [i for i, row in enumerate(rows) if block[0] <= row.line <= block[1]] or [0]
    first, last = at[0], min(at[-1], at[0] + most - 1)
    if last < most - 1:
        return (*rows[: most - 1], _gap(rows[most - 1]))
    head: tuple[CodeRow, ...] = ()
    space = most
    if lines.start > 1 and last - first + 4 <= most:
        head, space = (rows[0], _gap(rows[1])), most - 2
    ends = last + 1 >= len(rows) - 1
    begin = max(len(head), min(len(rows) - space, last + 2 - space + (0 if ends else 1)))
    shown = rows[begin : begin + space]
    if begin + space < len(rows):
        shown = (*shown[:-1], _gap(shown[-1]))
    return (*head, *shown)


def _gap(row: CodeRow) -> CodeRow:
    return CodeRow(line=0, start=0, end=1, indent=row.indent, text=_LEFT_OUT)


def _wrapped(
    text: SourceText, line: int, margin: int, columns: int, *, comment: bool = True
) -> tuple[CodeRow, ...]:
    code = text.lines[line - 1].rstrip()
    if not comment and text.code_width(line):
        code = code[: text.code_width(line)]
    start, indent = min(indent_of(code), len(code)), max(0, indent_of(code) - margin)
    rows: list[CodeRow] = []
    while True:
        end = _break(code, start, columns - indent)
        rows.append(CodeRow(line=line, start=start, end=end, indent=indent, text=code[start:end]))
        if end >= len(code):
            return tuple(rows)
        start = end + len(code[end:]) - len(code[end:].lstrip())
        indent = min(max(0, indent_of(code) - margin) + _HANGING, columns // 2)


def _break(code: str, start: int, most: int) -> int:
    """Return where a row ends: after a space, else after a bracket, if there is one."""
    if len(code) - start <= most:
        return len(code)
    for signs in (" ", ",([{"):
        ends = [at + 1 for at in range(start + most // 2, start + most) if code[at] in signs]
        if ends:
            return ends[-1]
    return start + most


def _is_spare_print(text: SourceText, line: int, kept: Sequence[int]) -> bool:
    """Whether a line calls print; not if its block would be empty without it."""
    first, last = text.statement_at(line)
    code = text.lines[first - 1]
    if not code.lstrip().startswith("print("):
        return False
    indents = {at: indent_of(text.lines[at - 1]) for at in kept}
    above = [indents[at] for at in reversed(kept) if at < first]
    below = [indents[at] for at in kept if at > last]
    own = indent_of(code)
    return any(next((each for each in side if each <= own), 0) == own for side in (above, below))


def _is_code(text: SourceText, line: int) -> bool:
    code = text.lines[line - 1]
    if not code.strip():
        return False
    spans = text.spans[line - 1]
    colored: Iterable[tuple[int, int]] = (
        (start, length) for start, length, role in spans if role in ("code_comment", "code_string")
    )
    remaining = set(range(indent_of(code), len(code.rstrip())))
    for start, length in colored:
        remaining -= set(range(start, start + length))
    return bool(remaining)


class ExcerptView(QWidget):
    """Shows code in rows, with syntax colors, at one of several font sizes.

    Args:
        theme: Colors and fonts.
        sizes: Font sizes from the preferred one, before the theme's scale factor.
        parent: The Qt parent.
    """

    def __init__(self, theme: Theme, sizes: range, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._sizes = theme, sizes

    def fitted(
        self, text: SourceText, lines: range, block: tuple[int, int]
    ) -> tuple[CodeExcerpt, int]:
        """Return the rows that show a block of a function, and their font size."""
        found = [(excerpt_of(text, lines, block, *self._space(size)), size) for size in self._sizes]
        whole = [each for each in found if not each[0].leaves_out]
        # The smallest size shows most lines.
        return min(whole, key=lambda each: each[0].wraps) if whole else found[-1]

    def _space(self, pixels: int) -> tuple[int, int]:
        """Return the number of rows and columns for a font size."""
        theme = self._theme
        metrics = QFontMetricsF(theme.font(pixels, mono=True))
        rows = int((self.height() - 2 * theme.px(_TOP)) / self._row_height(pixels) + 0.01)
        columns = int((self.width() - 3 * theme.px(EDGE)) / metrics.horizontalAdvance("0"))
        return max(3, rows), max(20, columns)

    def _row_height(self, pixels: int) -> float:
        return self._theme.px(pixels) * _SPACING

    def height_of(self, rows: int) -> int:
        """Height in pixels of rows at the preferred font size."""
        return ceil(rows * self._row_height(self._sizes[0])) + 2 * self._theme.px(_TOP)

    def row_boxes(self, count: int, pixels: int) -> list[QRectF]:
        """Rectangles of the rows, over the whole width."""
        top, height = self._theme.px(_TOP), self._row_height(pixels)
        return [QRectF(0, top + at * height, self.width(), height) for at in range(count)]

    def paint_row(
        self, painter: QPainter, text: SourceText, row: CodeRow, box: QRectF, *, muted: bool = False
    ) -> QPointF:
        """Paint a row in the painter's font; return where its base line begins."""
        metrics, theme = QFontMetricsF(painter.font()), self._theme
        wide = metrics.horizontalAdvance("0")
        base = box.top() + (box.height() + metrics.ascent() - metrics.descent()) / 2
        begin = QPointF(2 * theme.px(EDGE) + row.indent * wide, base)
        other: list[tuple[int, str, PaletteRole]] = [(0, row.text, "text_muted")]
        for start, part, role in _colored(text, row) if row.line else other:
            painter.setPen(theme.color("text_muted" if muted else role))
            painter.drawText(begin + QPointF(start * wide, 0), part)
        return begin


def _colored(text: SourceText, row: CodeRow) -> list[tuple[int, str, PaletteRole]]:
    """Return the parts of a row with their first column and color."""
    parts: list[tuple[int, str, PaletteRole]] = []
    at, line = row.start, text.lines[row.line - 1]
    for start, length, role in (*text.spans[row.line - 1], (row.end, 0, "text")):
        first, last = max(start, at), min(start + length, row.end)
        if first > at:
            parts.append((at - row.start, line[at : min(first, row.end)], "text"))
        if last > first:
            parts.append((first - row.start, line[first:last], role))
        at = max(at, min(max(first, last), row.end))
    return [part for part in parts if part[1].strip()]
