"""The pictures of a stop: the question alone, the answer in its place, then the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.messages import say
from gradviz.drawing.display.parts import RoundedRect, Shape
from gradviz.drawing.geometry.rect import Rect
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop
from gradviz.lesson.selection import place_of
from gradviz.story.blocks import Block, column, fitted, paragraph, text_lines
from gradviz.story.frame import SLIDE, Drawn, Frame, at
from gradviz.story.picture import Moment, StoryError, StoryRun, picture

SIDE, TOP = 56.0, 34.0
"""Left and right of everything, and above it."""

TOPIC, HEADLINE, LONG = 24.0, 44.0, 30.0
"""Sizes of the muted line, of the headline, and of a headline that is a whole paragraph."""

_PICTURE_GAP, _DOTS = 26.0, 34.0
_MOST_LINES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """What is shown after a click.

    Attributes:
        topic: The muted line.
        headline: The question, the answer, or what the stop is about.
        text: The lines of the picture; see `gradviz.story.picture`.
        is_asked: Whether the answer is still hidden.
    """

    topic: str
    headline: str
    text: str
    is_asked: bool = False


def clicks_of(stop: LessonStop) -> tuple[Click, ...]:
    """What a stop shows, click by click."""
    topic, question = shown_text(stop.headline), shown_text(stop.question)
    answer = shown_text(stop.answer or stop.solution)
    first = stop.ask
    if not question:
        shown = stop.show or (first,)
        return tuple(Click(topic="", headline=topic, text=each) for each in shown)
    clicks = [Click(topic=topic, headline=question, text=first, is_asked=True)]
    if answer:
        clicks.append(Click(topic=question, headline=answer, text=first))
    clicks += [Click(topic=question, headline=answer or question, text=each) for each in stop.show]
    return tuple(clicks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a stop is in its lesson: its position from 0, and the number of stops."""

    at: int
    count: int


def stop_frames(
    stop: LessonStop,
    run: StoryRun | str,
    progress: Progress,
    size: tuple[float, float] = SLIDE,
) -> tuple[Frame, ...]:
    """Draw what a stop shows, click by click.

    Args:
        stop: The stop.
        run: Its run, or a sentence that says why there is none.
        progress: Where it is in the lesson.
        size: Width and height of the pictures.
    """
    clicks = clicks_of(stop)
    return tuple(
        _frame(stop, run, click, number, len(clicks), progress, size)
        for number, click in enumerate(clicks)
    )


def _frame(
    stop: LessonStop,
    run: StoryRun | str,
    click: Click,
    number: int,
    count: int,
    progress: Progress,
    size: tuple[float, float],
) -> Frame:
    width, height = size
    head = _head(click, width - 2 * SIDE)
    drawn = [*at((SIDE, TOP), head.drawn)]
    top = TOP + head.height + _PICTURE_GAP
    area = Rect(x=SIDE, y=top, width=width - 2 * SIDE, height=height - top - 2 * _DOTS)
    drawn += fitted(_picture(stop, run, click, area.width), area)
    drawn += _dots(progress, number, count, size)
    spoken = " ".join(filter(None, (click.topic, click.headline)))
    return Frame(width=width, height=height, drawn=tuple(drawn), spoken=spoken)


def _head(click: Click, width: float) -> Block:
    """The muted line above the headline; both keep their place when the headline changes."""
    blocks = []
    topic = click.topic or "\u00a0"
    blocks.append(paragraph(topic, width, TOPIC, key="topic", ink="text_muted"))
    size = HEADLINE
    if len(text_lines(click.headline, width, HEADLINE, "title")) > _MOST_LINES:
        size = LONG
    blocks.append(paragraph(click.headline, width, size, key="headline", style="title"))
    return column(blocks, 4, align="left")


def _picture(stop: LessonStop, run: StoryRun | str, click: Click, width: float) -> Block:
    """The picture of a click, or a sentence that says why there is none."""
    if isinstance(run, str):
        return _problem(say("handout.no_run", reason=run), width)
    place, problem = place_of(run.index, stop)
    moment = Moment(run=run, place=place, revealed=_revealed(run, place, click), width=width)
    try:
        block = picture(moment, click.text)
    except StoryError as error:
        return _problem(str(error), width)
    return column((block, _problem(problem, width)), 12) if problem else block


def _problem(sentence: str, width: float) -> Block:
    return paragraph(sentence, width, TOPIC, key="problem", ink="warning")


def _revealed(run: StoryRun, place: TracePosition, click: Click) -> RevealedTrace:
    """What may be shown: nothing of the step itself while its question is open."""
    if click.is_asked:
        return RevealedTrace.before_answer(run.index, place.step)
    return RevealedTrace.of_all(run.index)


def _dots(
    progress: Progress, number: int, count: int, size: tuple[float, float]
) -> Iterator[Drawn]:
    """A dot for each stop; the current one has a segment for each of its clicks."""
    step, radius, long = 18.0, 4.0, 20.0
    whole = step * (progress.count - 1) + long * count
    x, y = (size[0] - whole) / 2, size[1] - _DOTS
    for stop in range(progress.count):
        segments: Sequence[int] = range(count) if stop == progress.at else (0,)
        for segment in segments:
            is_now = stop == progress.at
            done = stop < progress.at or (is_now and segment <= number)
            wide = long - 6 if is_now else 2 * radius
            box = Rect(x=0, y=0, width=wide, height=2 * radius)
            fill = ("accent" if is_now else "text_muted") if done else "border"
            shape = Shape(RoundedRect(box, radius), fill)  # type: ignore[arg-type]
            yield Drawn(key=f"dot:{stop}:{segment}", parts=(shape,), x=x, y=y - radius)
            x += long if is_now else step
