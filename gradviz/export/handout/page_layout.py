"""Pages of paper, which are filled from top to bottom; nothing on them is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gradviz.drawing.appearance.palette import Paint, PaletteRole, color
from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.drawing.display.parts import Pen, Shape, polyline
from gradviz.story.blocks import Block, text_block, text_lines
from gradviz.story.frame import Drawn, Frame, at
from gradviz.story.summary import take_home

WIDTH = 673.0
"""Of the content on all paper."""

_TOP, _BOTTOM = 84.0, 63.0
_SMALL = 9.5
_NOTE, _LEAST_NOTES = 27.0, 4
"""Distance of the lines for notes, and their least number."""
_MOST_TITLE = 1_000
"""Characters of a title, of which each page has the first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFormat:
    """Width and height of the paper, of which an inch has 96 units."""

    width: int
    height: int

    @property
    def room(self) -> float:
        """Height of the content of a page."""
        return self.height - _TOP - _BOTTOM


PAPERS = {
    "a4": PaperFormat(width=793, height=1123),
    "letter": PaperFormat(width=816, height=1056),
}
"""Formats by name."""


def print_paint() -> Paint:
    """The colors of the light theme on a white page."""
    return Paint("light", lambda role: "#ffffff" if role == "canvas" else color(role, "light"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A line of text or a picture, which is on one page.

    Attributes:
        block: What is drawn.
        above: Space above it, unless it is the first one of its page.
        below: Height that must be left below it on its page.
    """

    block: Block
    above: float = 0.0
    below: float = 0.0


def text_pieces(
    text: str,
    size: float = 13.0,
    *,
    style: TextStyle = "line",
    ink: PaletteRole = "text",
    above: float = 7.0,
    below: float = 0.0,
) -> Iterator[Piece]:
    """The lines of a text, with a space above the first one; see `Piece`."""
    for number, line in enumerate(text_lines(text, WIDTH, size, style)):
        block = text_block(line, size, key="text", style=style, ink=ink)
        yield Piece(block=block, above=0.0 if number else above, below=below)


def filled_pages(
    pieces: Iterable[Piece], paper: PaperFormat, notes: str = ""
) -> Iterator[tuple[Drawn, ...]]:
    """Fill as many pages as the pieces need, at least one.

    Args:
        pieces: What is on the pages.
        paper: Their size.
        notes: What is above lines to write on, down to the end of the last page; empty for none.
            A page that is almost full has none.
    """
    left, y = (paper.width - WIDTH) / 2, 0.0
    drawn: list[Drawn] = []
    for piece in pieces:
        above = piece.above if drawn else 0.0
        height = piece.block.height
        if drawn and y + above + height + piece.below > paper.room:
            yield tuple(drawn)
            drawn, y, above = [], 0.0, 0.0
        drawn += at((left, _TOP + y + above), piece.block.drawn)
        y += above + height
    y += _NOTE
    if notes and y + _LEAST_NOTES * _NOTE <= paper.room:
        drawn += at((left, _TOP + y - _SMALL), _mark(notes).drawn)
        while (y := y + _NOTE) <= paper.room:
            drawn.append(_line(left, _TOP + y))
    yield tuple(drawn)


def page_frame(
    title: str, page: str, where: str, number: int, drawn: Iterable[Drawn], paper: PaperFormat
) -> Frame:
    """Return a page.

    Args:
        title: Title of the lesson, at the top left.
        page: Address of its page, at the bottom left; usually empty.
        where: Text at the top right.
        number: Number of the page.
        drawn: The content.
        paper: Its size.
    """
    left, shown = (paper.width - WIDTH) / 2, title[:_MOST_TITLE]
    stop, last = _mark(where), _mark(str(number))
    marks = [
        *at((left + WIDTH - stop.width, 42), stop.drawn),
        *at((left + WIDTH - last.width, paper.height - 44), last.drawn),
    ]
    home = take_home(page, WIDTH - last.width - 16, _SMALL)
    marks += at((left, paper.height - 44), () if home is None else home.drawn)
    for line in text_lines(shown, WIDTH - stop.width - 16, _SMALL)[:1]:
        marks += at((left, 42), _mark(line).drawn)
    drawn = (*marks, _line(left, 62), *drawn)
    return Frame(width=paper.width, height=paper.height, drawn=drawn, spoken=shown)


def _mark(text: str) -> Block:
    return text_block(text, _SMALL, key="mark", ink="text_muted")


def _line(x: float, y: float) -> Drawn:
    shape = Shape(polyline((0.0, 0.0), (WIDTH, 0.0)), pen=Pen("border"))
    return Drawn(key="line", parts=(shape,), x=x, y=y)
