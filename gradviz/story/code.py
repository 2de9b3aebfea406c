"""The lines of code that a picture is about, in the colors of the editor, wrapped and never cut."""

from __future__ import annotations

from collections.abc import Container, Iterator

from gradviz.document.source_excerpt import SourceExcerpt
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.syntax_colors import SyntaxSpan, syntax_spans
from gradviz.drawing.appearance.text_styles import BASELINE, FONTS
from gradviz.drawing.display.parts import RoundedRect, Shape, TextRun
from gradviz.drawing.geometry.rect import Rect
from gradviz.story.blocks import Block, column, text_block, text_width
from gradviz.story.frame import Drawn

CODE = 26.0
"""Size of code; all of it is smaller where this leaves no room for it."""

_MarkColors = tuple[PaletteRole, PaletteRole]
"""Colors of a marked line and of the bar at its left."""

LINE_HEIGHT = 1.5 * CODE
"""Height of a row of code."""

_PAD, _GUTTER, _HANG = 14.0, 56.0, 2
"""Around the code, for line numbers, and characters by which the rest of a long line is moved."""


def code_block(
    excerpt: SourceExcerpt, width: float, remark: str = "", wrong: Container[int] | None = None
) -> Block:
    """Draw lines of code, with the current ones marked.

    Args:
        excerpt: The lines.
        width: Largest width.
        remark: A text below the current lines; may be empty.
        wrong: Numbers of the lines that are marked as wrong, instead of the current ones.
    """
    colors: _MarkColors = ("current_line", "accent") if wrong is None else ("error_fill", "error")
    # Marks on all lines would mark nothing.
    current = range(0) if len(excerpt.current) >= len(excerpt.lines) else excerpt.current
    marked = current if wrong is None else wrong
    character = text_width("0", CODE, "code")
    columns = max(12, int((width - _GUTTER - 2 * _PAD) / character))
    spans = syntax_spans(excerpt.lines, max(map(len, excerpt.lines), default=0))
    widest = max((min(len(line), columns) for line in excerpt.lines), default=0)
    whole = _GUTTER + widest * character + 2 * _PAD
    blocks = []
    for place, (line, inks) in enumerate(zip(excerpt.lines, spans, strict=True)):
        number = excerpt.first + place
        mark = colors if number in marked else None
        blocks.append(_line(excerpt.file, number, line, inks, columns, whole, mark))
        if remark and number == excerpt.current[-1]:
            note = text_block(remark, CODE, key=f"remark:{number}", style="label", ink="accent")
            blocks.append(_indented(note, _GUTTER + _PAD))
    return column(blocks, 0, align="left")


def _indented(block: Block, by: float) -> Block:
    drawn = tuple(each.placed(by, 0) for each in block.drawn)
    return Block(width=block.width + by, height=block.height, drawn=drawn, middle=block.middle)


def _line(
    file: str,
    number: int,
    line: str,
    colors: tuple[SyntaxSpan, ...],
    columns: int,
    width: float,
    mark: _MarkColors | None,
) -> Block:
    """A line in as many rows as it needs."""
    font = FONTS["code"]
    scale = CODE / font.size
    rows = [*_rows(line, columns)]
    height = LINE_HEIGHT * len(rows)
    parts: list[Shape | TextRun] = []
    if mark is not None:
        area = Rect(x=0, y=0, width=width / scale, height=height / scale)
        bar = Rect(x=0, y=0, width=5 / scale, height=height / scale)
        parts += [Shape(RoundedRect(area, 2), mark[0]), Shape(RoundedRect(bar), mark[1])]
    character = text_width("0", font.size, "code")
    digits = str(number)
    high = LINE_HEIGHT / scale
    baseline = high * (BASELINE - 0.08)
    left = _GUTTER / scale - (len(digits) + 1) * character + _PAD / scale / 2
    parts.append(TextRun(digits, left, baseline, "code", "gutter_text"))
    for place, (start, stop, moved) in enumerate(rows):
        for begin, end, ink in _pieces(start, stop, colors):
            text = line[begin:end]
            # Not every program keeps the spaces around a text.
            begin += len(text) - len(text.lstrip())
            if text := text.strip():
                x = (_GUTTER + _PAD) / scale + (begin - start + moved) * character
                parts.append(TextRun(text, x, baseline + place * high, "code", ink))
    drawn = Drawn(key=f"code:{file}:{number}", parts=tuple(parts), scale=scale)
    return Block(width=width, height=height, drawn=(drawn,), middle=height / 2)


def _rows(line: str, columns: int) -> Iterator[tuple[int, int, int]]:
    """Start and end of each row of a line, and by how many characters it is moved."""
    hang = len(line) - len(line.lstrip()) + _HANG
    start, moved = 0, 0
    while len(line) - start > columns - moved:
        stop = start + max(1, columns - moved)
        # After a space or a comma rather than inside of a word.
        breaks = [at + 1 for at in range(start, stop) if line[at] in " ,(" and at > start + hang]
        stop = breaks[-1] if breaks else stop
        yield start, stop, moved
        start, moved = stop, min(hang, columns // 2)
    yield start, len(line), moved


def _pieces(
    start: int, stop: int, colors: tuple[SyntaxSpan, ...]
) -> Iterator[tuple[int, int, PaletteRole]]:
    """Parts of a row in one color each."""
    at = start
    for begin, length, ink in colors:
        first, last = max(begin, start), min(begin + length, stop)
        if first >= last:
            continue
        if at < first:
            yield at, first, "text"
        yield first, last, ink
        at = last
    if at < stop:
        yield at, stop, "text"
