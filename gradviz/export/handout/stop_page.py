"""The page of a stop with picture, code, question and notes; answers on the last pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.export.graph.svg_document import SvgPicture
from gradviz.export.graph.svg_elements import svg_element, svg_moved
from gradviz.export.handout.drawn_code import draw_code
from gradviz.export.handout.page_layout import (
    A4,
    LEADING,
    TOP,
    WIDTH,
    PageColumn,
    PaperFormat,
)
from gradviz.export.handout.stop_content import StopContent
from gradviz.story.blocks import text_lines

_GAP = 14.0
_NOTE, _LEAST_NOTES = 27.0, 4
"""Distance of the lines for notes, and their least number."""


def stop_column(
    content: StopContent, number: int, paint: Paint, paper: PaperFormat = A4
) -> PageColumn:
    """Fill the page of a stop.

    Args:
        content: What the page shows.
        number: Number of the stop, from 1.
        paint: Returns the color of a role.
        paper: The size of the page.
    """
    column, high = PageColumn(paint), paper.bottom - TOP
    headline = say("handout.headline", number=number, headline=content.headline)
    column.text(headline, size=17, style="title", most=3)
    if content.where:
        column.text(content.where, "text_muted", style="label", most=2)
    if content.sentence:
        column.y += 5
        column.text(content.sentence, most=9)
    if content.verdict:
        column.y += 5
        column.text(content.verdict, "accent", most=4)
    if content.problem:
        column.y += 5
        column.text(content.problem, "warning", most=6)
    below = _below(content, paint)
    notes = 24 + _LEAST_NOTES * _NOTE
    if content.picture is not None:
        column.y += _GAP
        free = high - column.y - below.y - notes - _GAP
        _draw_picture(column, content.picture, free)
    column.y += _GAP
    column.put(below.inside, 0, below.y)
    _draw_notes(column, high)
    return column


def _below(content: StopContent, paint: Paint) -> PageColumn:
    """Draw the code and the question, which are below the picture."""
    column = PageColumn(paint)
    if content.code is not None:
        draw_code(column, content.code)
        column.y += _GAP
    if content.question:
        _draw_question(column, content.question)
        column.y += _GAP
    return column


def _draw_picture(column: PageColumn, picture: SvgPicture, free: float) -> None:
    """Add the picture as large as the page allows, but not larger than it is."""
    scale = min(1.0, WIDTH / picture.width, max(free, 120) / picture.height)
    inside = svg_element("g", picture.inside, transform=f"scale({scale:.4f})")
    column.put(inside, (WIDTH - picture.width * scale) / 2, picture.height * scale)


def _draw_question(column: PageColumn, question: str) -> None:
    inner = PageColumn(column.paint, WIDTH - 28)
    inner.text(say("handout.question"), "accent", 9.5, "label", most=1)
    inner.text(question, size=12.5, style="title", most=9)
    fill, height = column.paint("accent_soft"), inner.y + 20
    back = svg_element("rect", width=WIDTH, height=height, rx=4, fill=fill)
    column.put(back + svg_moved(inner.inside, 14, 8), 0, height)


def _draw_notes(column: PageColumn, high: float) -> None:
    """Add lines to write on, down to the end of the page."""
    column.text(say("handout.notes"), "text_muted", 9.5, "label", most=1)
    while column.y + _NOTE <= high:
        column.y += _NOTE
        column.rule()


_Line = tuple[str, PaletteRole, float, TextStyle]
_PARAGRAPH_GAP = 7.0


def answer_columns(
    contents: Sequence[StopContent], paint: Paint, paper: PaperFormat = A4
) -> Iterator[PageColumn]:
    """Fill as many pages as the answers need; none if the lesson has no answers."""
    numbered = [(at, each) for at, each in enumerate(contents, 1) if each.answers]
    if not numbered:
        return
    column = PageColumn(paint)
    column.text(say("handout.answers"), size=17, style="title", most=1)
    for number, content in numbered:
        for paragraph in _paragraphs(number, content):
            kept = 3 if paragraph[0][3] == "title" else 1
            if _free_height(column, paper) < kept * 11 * LEADING + _PARAGRAPH_GAP:
                yield column
                column = PageColumn(paint)
            column.y += 2 * _PARAGRAPH_GAP if kept > 1 else _PARAGRAPH_GAP
            for line in paragraph:
                if _free_height(column, paper) < line[2] * LEADING:
                    yield column
                    column = PageColumn(paint)
                column.line(*line)
    yield column


def _free_height(column: PageColumn, paper: PaperFormat) -> float:
    return paper.bottom - TOP - column.y


def _paragraphs(number: int, content: StopContent) -> Iterator[Sequence[_Line]]:
    headline = say("handout.headline", number=number, headline=content.headline)
    yield [*_lines(headline, "text", 12.5, "title"), *_lines(content.question, "text_muted")]
    for answer in content.answers:
        for paragraph in answer.split("\n"):
            if paragraph.strip():
                yield [*_lines(paragraph)]


def _lines(
    text: str, role: PaletteRole = "text", size: float = 11, style: TextStyle = "line"
) -> Iterable[_Line]:
    for line in text_lines(text, WIDTH - 12, size, style):
        yield line, role, size, style
