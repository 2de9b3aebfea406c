"""The last pages of a lesson: what was shown, a row for each stop."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.geometry.rect import Rect
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.story.blocks import Block, column, fitted, paragraph, text_width
from gradviz.story.click import Click
from gradviz.story.frame import SLIDE, Frame, at
from gradviz.story.frames import Progress, headed, progress_dots

_SIZES = 34.0, 30.0, 27.0, 24.0, 22.0
"""Sizes of the texts: few pages come first, then rows of one line, then large texts."""

_LEAST_GAP, _MOST_GAP = 14.0, 30.0
"""Between two rows."""
_ANSWER_GAP, _MOST_LEFT = 32.0, 0.62
"""Between a headline and its answer, and the share of the width for headlines."""

# Neither after an abbreviation, as in "e.g.", nor before a small letter.
_SENTENCE_END = re.compile(r"(?<=[^\s.]{2}[.!?])\s+(?=[^a-zäöü])|(?<=[。！？])|\n")


def summary_frames(lesson: Lesson, size: tuple[float, float] = SLIDE) -> tuple[Frame, ...]:
    """Draw the headline of each stop beside the first sentence of its answer.

    Args:
        lesson: The lesson.
        size: Width and height of the pictures.
    """
    click = Click(topic=visible_text(lesson.title), headline=say("story.summary"), text="")
    (head,), area = headed([click], size)
    height = max(1.0, area.height)
    titles = (shown_text(each.headline) or each.run for each in lesson.stops)
    told = [*zip(titles, map(_first_sentence, lesson.stops), strict=True)]
    spoken = "\n".join((click.headline, *(": ".join(filter(None, each)) for each in told)))
    pages = min((_pages(told, each, area) for each in _SIZES), key=_length)
    progress = Progress(at=len(lesson.stops), count=len(lesson.stops) + 1)
    frames = []
    for number, page in enumerate(pages):
        # All pages begin at the same height.
        place = Rect(x=area.x, y=area.y, width=area.width, height=min(page.height, height))
        dots = progress_dots(progress, number, len(pages), size)
        drawn = (*head, *fitted(page, place), *dots)
        frames.append(Frame(width=size[0], height=size[1], drawn=drawn, spoken=spoken))
    return tuple(frames)


def _first_sentence(stop: LessonStop) -> str:
    """The first sentence of a stop's answer; empty if it has none."""
    answer = shown_text(stop.answer or stop.solution).strip()
    return _SENTENCE_END.split(answer, maxsplit=1)[0]


def _length(pages: Sequence[Block]) -> tuple[int, int]:
    """Number of pages and of lines."""
    return len(pages), len({(at, each.y) for at, page in enumerate(pages) for each in page.drawn})


def _pages(told: Sequence[tuple[str, str]], text_size: float, area: Rect) -> list[Block]:
    """Rows below each other, on as few pages as they fit, and about equally many on each."""
    widest = max((text_width(title, text_size, "title") for title, _ in told), default=0.0)
    left = min(widest, _MOST_LEFT * area.width)
    rows = [_row(at, *each, left, area.width, text_size) for at, each in enumerate(told)]
    tallest = max((each.height for each in rows), default=0.0)
    pages, most = _filled(rows, area.height), area.height - _LEAST_GAP
    # The last page would often be almost empty.
    while most > tallest and len(closer := _filled(rows, most)) == len(pages):
        pages, most = closer, most - _LEAST_GAP
    free = (_free(each, area.height) for each in pages)
    gap = min(_MOST_GAP, *free)
    return [column(each, gap, align="left") for each in pages]


def _free(rows: Sequence[Block], height: float) -> float:
    """Height that is left for each gap between rows."""
    return (height - sum(each.height for each in rows)) / max(1, len(rows) - 1)


def _filled(rows: Sequence[Block], most: float) -> list[list[Block]]:
    pages: list[list[Block]] = []
    height = most
    for each in rows:
        if height + each.height > most:
            pages.append([])
            height = 0.0
        pages[-1].append(each)
        height += each.height + _LEAST_GAP
    return pages


def _row(
    number: int, title: str, answer: str, left: float, width: float, text_size: float
) -> Block:
    """A headline, and the answer beside it."""
    key = f"summary:{number}"
    if not answer:
        return paragraph(title, width, text_size, key=key, style="title")
    first = paragraph(title, left, text_size, key=key, style="title")
    start = left + _ANSWER_GAP
    second = paragraph(answer, width - start, text_size, key=f"{key}:answer", ink="text_muted")
    height = max(first.height, second.height)
    drawn = (*first.drawn, *at((start, 0), second.drawn))
    return Block(width=width, height=height, drawn=drawn, middle=height / 2)
