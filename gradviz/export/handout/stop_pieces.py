"""What a handout has of a stop: its question with what is known then, and its answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from gradviz.analysis.compare.run_comparison import compare_runs
from gradviz.catalogue.messages import say
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.check.verdict import outcome_sentence
from gradviz.export.handout.page_layout import (
    WIDTH,
    PaperFormat,
    Piece,
    filled_pages,
    page_frame,
    text_pieces,
)
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop
from gradviz.lesson.selection import place_of
from gradviz.story.blocks import Block
from gradviz.story.click import Click
from gradviz.story.frame import Frame, at
from gradviz.story.frames import click_block
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import stop_clicks
from gradviz.text.compare import comparison_summary
from gradviz.text.titles import origin_title, with_display_title

_ROOM = Rect(x=0, y=0, width=1168, height=800)
"""Of a picture: as wide as on a slide, and higher, as paper is."""

_SCALE = WIDTH / _ROOM.width
_PICTURE_GAP = 18.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StopPieces:
    """What a handout has of a stop.

    Attributes:
        page: What is on its own page.
        answer: What is at the end of the handout; empty if it has no answer.
    """

    page: tuple[Piece, ...]
    answer: tuple[Piece, ...]


def stop_pieces(stop: LessonStop, number: int, run: StoryRun | str) -> StopPieces:
    """Draw what the stage shows of a stop, and keep what answers its question for the end.

    Args:
        stop: The stop.
        number: Its number in the lesson, from 1.
        run: Its run, or a sentence that says why there is none.
    """
    if isinstance(run, str):
        name, problem = stop.run, say("handout.no_run", reason=run)
        clicks, found, pictures = tuple[Click, ...](), list[str](), list[Block]()
    else:
        place, problem = place_of(run.index, stop)
        clicks = stop_clicks(stop, run, place)
        pictures = [click_block(each, run, place, _ROOM) for each in clicks]
        name, problem = origin_title(run.index.trace.origin), problem or run.no_other
        found = [*_findings(stop, run)]
    asked = [picture for each, picture in zip(clicks, pictures, strict=True) if each.is_asked]
    question = clicks[0].headline if asked else shown_text(stop.question)
    headline = shown_text(stop.headline) or name
    said = [each.headline for each in clicks if not each.is_asked and each.headline != headline]
    title = say("handout.headline", number=number, headline=headline)
    page = [
        *text_pieces(title, 17, style="title", below=60),
        *text_pieces(question, 15, style="title", ink="accent"),
        *_paragraphs(() if question else (*said, *found)),
        *text_pieces(problem, ink="warning"),
        *_pictures(asked if question else pictures),
    ]
    written = shown_text(stop.answer), shown_text(stop.solution)
    answer = [*_paragraphs(written)]
    if question:
        # A lesson without answers may have them in its notes.
        noted = "" if any(written) else shown_text(stop.notes)
        told = (each for each in (*said, *written) if each != question)
        answer = [*_paragraphs((*told, *found, noted))]
        answer += _pictures([each for each in pictures if each not in asked])
    if answer:
        heading = text_pieces(title, 15, style="title", above=22, below=60)
        answer = [*heading, *text_pieces(question, ink="text_muted", above=2, below=30), *answer]
    return StopPieces(page=tuple(page), answer=tuple(answer))


def handout_frames(
    title: str, page: str, stops: Iterable[StopPieces], total: int, paper: PaperFormat
) -> Iterator[Frame]:
    """Draw the pages of each stop, and then those of the answers.

    Args:
        title: Title of the lesson.
        page: Address of its page; usually empty.
        stops: What it has of each stop.
        total: The number of stops.
        paper: The size of the pages.
    """
    pages, answers = count(1), list[Piece]()
    for number, stop in enumerate(stops, 1):
        answers += stop.answer
        where = say("handout.stop", number=number, total=total)
        for drawn in filled_pages(stop.page, paper, say("handout.notes")):
            yield page_frame(title, page, where, next(pages), drawn, paper)
    if answers:
        where = say("handout.answers")
        for drawn in filled_pages((*text_pieces(where, 17, style="title"), *answers), paper):
            yield page_frame(title, page, where, next(pages), drawn, paper)


def _findings(stop: LessonStop, run: StoryRun) -> Iterator[str]:
    """What the check or the comparison of a stop found, in words."""
    trace = run.index.trace
    if stop.tab == "jacobians" and trace.reports:
        report = with_display_title(trace.reports[-1], trace.origin)
        yield outcome_sentence(report)
        yield from (each.message for each in report.diagnoses)
    if stop.tab == "compare" and run.other is not None:
        yield comparison_summary(compare_runs(run.index, run.other.index))


def _paragraphs(texts: Iterable[str]) -> Iterator[Piece]:
    """The paragraphs of some texts, each once: a solution often begins with the answer."""
    lines = (line.strip() for text in texts for line in text.split("\n"))
    found = dict.fromkeys(filter(None, lines))
    for paragraph in found:
        # Chinese has no space between sentences.
        start = paragraph if paragraph[-1] in "。！？" else f"{paragraph} "
        if not any(each != paragraph and each.startswith(start) for each in found):
            yield from text_pieces(paragraph)


def _pictures(blocks: Iterable[Block]) -> Iterator[Piece]:
    """Pictures in the middle of the page, each once, as large as there is room."""
    shown: list[Block] = []
    for block in blocks:
        if block in shown or not block.width:
            continue
        shown.append(block)
        scale = min(_SCALE, WIDTH / block.width, _SCALE * _ROOM.height / block.height)
        drawn = at(((WIDTH - block.width * scale) / 2, 0), block.drawn, scale)
        height = block.height * scale
        yield Piece(
            block=Block(width=WIDTH, height=height, drawn=drawn, middle=height / 2),
            above=_PICTURE_GAP,
        )
