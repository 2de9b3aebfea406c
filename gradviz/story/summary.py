"""The last pages of a lesson: what was shown, a row with a small picture for each stop."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.display.parts import TextRun
from gradviz.drawing.geometry.rect import Rect
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.story.blocks import Block, column, fitted, paragraph
from gradviz.story.click import Click
from gradviz.story.frame import SLIDE, Drawn, Frame, at
from gradviz.story.frames import Progress, headed, progress_dots
from gradviz.story.thumbnail import thumbnail

_SIZES = (34.0, 1), (30.0, 1), (27.0, 1), (27.0, 2), (24.0, 2), (22.0, 2)
"""Sizes of texts, and numbers of columns: few pages come first, then large texts."""

_LEAST_COLUMN, _COLUMN_GAP = 480.0, 44.0
_LEAST_GAP, _MOST_GAP = 18.0, 34.0
"""Between two rows."""

_SHARE, _WIDEST, _LINES, _PICTURE_GAP = 0.36, 250.0, 3.8, 22.0
"""Width of a picture in a column, its largest width, its height in texts, and the gap after it."""

_LINK, _LINK_GAP = 24.0, 16.0

# Neither after an abbreviation, as in "e.g.", nor before a small letter.
_SENTENCE_END = re.compile(r"(?<=[^\s.]{2}[.!?])\s+(?=[^a-zäöü])|(?<=[。！？])|\n")

_Told = tuple[str, str, Block | None]
"""What a row says of a stop: its headline, the first sentence of its answer, and its picture."""


def summary_frames(
    lesson: Lesson,
    pictures: Mapping[LessonStop, Block | None],
    size: tuple[float, float] = SLIDE,
    *,
    command: str = "",
) -> tuple[Frame, ...]:
    """Draw the headline of each stop with the first sentence of its answer and its picture.

    Args:
        lesson: The lesson.
        pictures: The pictures of its stops that were shown; see
            `gradviz.story.thumbnail`.
        size: Width and height of the pages.
        command: What the audience can call at home if the lesson names no page; may be empty.
    """
    click = Click(topic=visible_text(lesson.title), headline=say("story.summary"), text="")
    (head,), area = headed([click], size)
    told = [
        (shown_text(each.headline) or each.run, _first_sentence(each), pictures.get(each))
        for each in lesson.stops
    ]
    spoken = [click.headline, *(": ".join(filter(None, each[:2])) for each in told)]
    link = take_home(lesson.page, area.width, _LINK, command)
    if link is not None:
        spoken.append(say("story.take_home", where=lesson.page or command))
        area = replace(area, height=area.height - link.height - _LINK_GAP)
    area = replace(area, height=max(1.0, area.height))
    sizes = [each for each in _SIZES if each[1] == 1 or area.width > 2 * _LEAST_COLUMN]
    pages = min((_pages(told, *each, area) for each in sizes), key=len)
    progress = Progress(at=len(lesson.stops), count=len(lesson.stops) + 1)
    frames = []
    for number, page in enumerate(pages):
        # All pages begin at the same height.
        place = replace(area, height=min(page.height, area.height))
        dots = progress_dots(progress, number, len(pages), size)
        drawn = (*head, *fitted(page, place), *dots)
        if link is not None and page is pages[-1]:
            drawn += at((area.x, area.bottom + _LINK_GAP), link.drawn)
        frames.append(Frame(width=size[0], height=size[1], drawn=drawn, spoken="\n".join(spoken)))
    return tuple(frames)


def take_home(page: str, width: float, size: float, command: str = "") -> Block | None:
    """The link to the page of a lesson, or else a command; None if there is neither."""
    if not (where := page or command):
        return None
    ink: PaletteRole = "accent" if page else "text_muted"
    block = paragraph(say("story.take_home", where=where), width, size, key="", ink=ink)
    scale = block.drawn[0].scale
    parts = [
        replace(part, baseline=part.baseline + line.y / scale)
        for line in block.drawn
        for part in line.parts
        if isinstance(part, TextRun)
    ]
    return replace(block, drawn=(Drawn(key="link", parts=tuple(parts), scale=scale, link=page),))


def _first_sentence(stop: LessonStop) -> str:
    """The first sentence of a stop's answer; empty if it has none."""
    answer = shown_text(stop.answer or stop.solution).strip()
    return _SENTENCE_END.split(answer, maxsplit=1)[0]


def _pages(told: Sequence[_Told], text_size: float, count: int, area: Rect) -> list[Block]:
    """Rows in columns, on as few pages as they fit, and about equally many in each column."""
    width = (area.width - _COLUMN_GAP * (count - 1)) / count
    picture = 0.0
    if any(each for *_, each in told):
        picture = min(_WIDEST, _SHARE * width)
    rows = [_row(at, each, picture, width, text_size) for at, each in enumerate(told)]
    tallest = max((each.height for each in rows), default=0.0)
    columns, most = _filled(rows, area.height), area.height - _LEAST_GAP
    whole = -(-len(columns) // count) * count
    # The last one would often be almost empty.
    while most > tallest and len(closer := _filled(rows, most)) <= whole:
        columns, most = closer, most - _LEAST_GAP
    gap = min(_MOST_GAP, *(_free(each, area.height) for each in columns))
    blocks = [column(each, gap, align="left") for each in columns]
    return [
        _beside(blocks[start : start + count], width + _COLUMN_GAP, area.width)
        for start in range(0, len(blocks), count)
    ]


def _beside(columns: Sequence[Block], distance: float, width: float) -> Block:
    """Columns at equal distances, which begin at one height."""
    height = max(each.height for each in columns)
    drawn = [
        each
        for number, block in enumerate(columns)
        for each in at((number * distance, 0), block.drawn)
    ]
    return Block(width=width, height=height, drawn=tuple(drawn), middle=height / 2)


def _free(rows: Sequence[Block], height: float) -> float:
    """Height that is left for each gap between rows."""
    return (height - sum(each.height for each in rows)) / max(1, len(rows) - 1)


def _filled(rows: Sequence[Block], most: float) -> list[list[Block]]:
    columns: list[list[Block]] = []
    height = most
    for each in rows:
        if height + each.height > most:
            columns.append([])
            height = 0.0
        columns[-1].append(each)
        height += each.height + _LEAST_GAP
    return columns


def _row(number: int, told: _Told, picture: float, width: float, text_size: float) -> Block:
    """A picture, and beside it a headline above its answer."""
    title, answer, shown = told
    key, start = f"summary:{number}", picture + _PICTURE_GAP if picture else 0.0
    texts = [paragraph(title, width - start, text_size, key=key, style="title")]
    if answer:
        key = f"{key}:answer"
        texts.append(paragraph(answer, width - start, text_size, key=key, ink="text_muted"))
    text = column(texts, 2, align="left")
    height = max(text.height, text_size * _LINES if picture else 0.0)
    drawn = at((start, (height - text.height) / 2), text.drawn)
    if shown is not None:
        place = Rect(x=0, y=0, width=picture, height=height)
        drawn += tuple(thumbnail(shown, place, f"picture:{number}"))
    return Block(width=width, height=height, drawn=drawn, middle=height / 2)
