"""The answers to the questions of a lesson, on the last pages of its handout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.export.handout.page_layout import (
    A4,
    LEADING,
    TOP,
    WIDTH,
    PageColumn,
    PaperFormat,
    text_lines,
)
from gradviz.export.handout.stop_content import StopContent

_Line = tuple[str, PaletteRole, float, TextStyle]
_GAP = 7.0


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
            if _free_height(column, paper) < kept * 11 * LEADING + _GAP:
                yield column
                column = PageColumn(paint)
            column.y += 2 * _GAP if kept > 1 else _GAP
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
    for line in text_lines(text, WIDTH - 12, style, size):
        yield line, role, size, style
