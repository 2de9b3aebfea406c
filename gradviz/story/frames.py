"""The pictures of a stop: the question alone, the answer in its place, then the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.messages import say
from gradviz.drawing.display.parts import RoundedRect, Shape
from gradviz.drawing.geometry.rect import Rect
from gradviz.lesson.facts import shown_text, speaker_text
from gradviz.lesson.lesson import LessonStop
from gradviz.lesson.selection import place_of
from gradviz.story.blocks import Block, column, fitted, paragraph, text_lines, within
from gradviz.story.click import Click
from gradviz.story.frame import SLIDE, Drawn, Frame, at
from gradviz.story.picture import PictureMoment, StoryError, picture
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import later_clicks, step_clicks, stop_clicks
from gradviz.text.what_if import new_run_line

SIDE, TOP = 56.0, 28.0
"""Left and right of everything, and above it."""

TOPIC, HEADLINE, LONG = 24.0, 44.0, 24.0
"""Sizes of the muted line, of the headline, and of a headline that is a whole paragraph."""

NOTE = 26.0
"""Size of a text below the picture."""
_NOTE_GAP = 24.0
_PICTURE_GAP, _DOTS, _DOTS_GAP = 20.0, 30.0, 16.0
_CURRENT_DOT = 80.0
"""Width of the current stop's dot with all of its segments."""
_LEAST_PICTURE = 0.4
"""Height of a picture with long texts below it, as a share of the whole."""

_MOST_LINES = 2
_MOST_SCALE = 1.6
"""Of a picture that has more room than it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a stop is in its lesson: its position from 0, and the number of stops."""

    at: int
    count: int


def story_frames(
    clicks: Sequence[Click],
    run: StoryRun | None,
    place: TracePosition,
    progress: Progress,
    size: tuple[float, float] = SLIDE,
    problem: str = "",
    only: int | None = None,
) -> tuple[Frame, ...]:
    """Draw what is shown, click by click.

    Args:
        clicks: The clicks.
        run: The run; None if it is missing.
        place: The place in it.
        progress: Where this is in the whole story.
        size: Width and height of the pictures.
        problem: What is missing; usually empty.
        only: The click whose picture alone is drawn; None for all.
    """
    heads, area = headed(clicks, size)
    found = []
    for number, (click, head) in enumerate(zip(clicks, heads, strict=True)):
        if only not in (None, number):
            continue
        shown = fitted(click_block(click, run, place, area, problem), area, _MOST_SCALE)
        dots = progress_dots(progress, number, len(clicks), size)
        spoken = " ".join(filter(None, (click.topic, click.headline)))
        drawn = (*head, *shown, *dots)
        found.append(Frame(width=size[0], height=size[1], drawn=drawn, spoken=spoken))
    return tuple(found)


def stop_frames(
    stop: LessonStop, last_step: int | None, run: StoryRun | str, progress: Progress
) -> Iterator[Frame]:
    """Draw the slides of a stop: each click with its notes, then a picture of each later step.

    Args:
        stop: The stop.
        last_step: The last step that gets a slide; None for the last one of the run.
        run: Its run, or a sentence that says why there is none.
        progress: Where the stop is in the lesson.
    """
    notes = speaker_text(stop)
    if isinstance(run, str):
        headline = shown_text(stop.headline) or stop.run
        frame = message_frame(headline, say("handout.no_run", reason=run), progress)
        yield replace(frame, notes=notes)
        return
    place, problem = place_of(run.index, stop)
    clicks = stop_clicks(stop, run, place)
    for frame in story_frames(clicks, run, place, progress, problem=problem):
        yield replace(frame, notes=notes)
    total = len(run.index.trace.steps)
    last = total if last_step is None else min(total, last_step)
    for number in range(stop.number + 1, last + 1):
        place = TracePosition(step=number)
        clicks = later_clicks(stop, step_clicks(run, place, asks=False))
        yield from story_frames(clicks, run, place, progress)


def message_frame(
    headline: str, sentence: str, progress: Progress, size: tuple[float, float] = SLIDE
) -> Frame:
    """A picture that says why there is none."""
    click = Click(topic="", headline=headline, text="")
    return story_frames((click,), None, TracePosition(step=1), progress, size, sentence)[0]


def click_block(
    click: Click, run: StoryRun | None, place: TracePosition, area: Rect, problem: str = ""
) -> Block:
    """Draw the picture of a click above its texts, or a sentence that says why there is none.

    Args:
        click: The click.
        run: The run; None if it is missing.
        place: The place in it.
        area: Where there is room for it.
        problem: What is missing; usually empty.
    """
    texts = []
    if run is not None and (mark := new_run_line(run.index.trace)):
        texts.append(paragraph(mark, area.width, NOTE, key="new-run", style="label", ink="accent"))
    if click.note:
        texts.append(paragraph(click.note, area.width, NOTE, key="note"))
    if problem:
        texts.append(_problem(problem, area.width))
    if run is None or not click.text:
        return column(texts, _NOTE_GAP)
    below = sum(each.height + _NOTE_GAP for each in texts)
    # Long texts get smaller only when the picture has given them most of the space.
    room = replace(area, height=max(area.height - below, _LEAST_PICTURE * area.height))
    revealed = RevealedTrace.of_all(run.index)
    if click.is_asked:
        # Nothing of the step itself while its question is open.
        revealed = RevealedTrace.before_answer(run.index, place.step)
    moment = PictureMoment(run=run, place=place, revealed=revealed, room=(room.width, room.height))
    try:
        shown = picture(moment, click.text)
    except StoryError as error:
        shown = _problem(str(error), area.width)
    return column([within(shown, room), *texts], _NOTE_GAP)


def headed(
    clicks: Sequence[Click], size: tuple[float, float]
) -> tuple[list[tuple[Drawn, ...]], Rect]:
    """The texts above the picture of each click, and the area that they leave for all pictures.

    Args:
        clicks: What is shown, one after the other.
        size: Width and height of the whole picture.
    """
    width = size[0] - 2 * SIDE
    headline = _headline_size(clicks, width)
    heads = [_head(each, width, headline) for each in clicks]
    # A picture keeps its place when the headline changes.
    top = TOP + max((each.height for each in heads), default=0.0) + _PICTURE_GAP
    area = Rect(x=SIDE, y=top, width=width, height=size[1] - top - _DOTS - _DOTS_GAP)
    return [at((SIDE, TOP), each.drawn) for each in heads], area


def _headline_size(clicks: Sequence[Click], width: float) -> float:
    """Size of the headlines of one place, which stays the same from click to click."""
    for each in clicks:
        lines = text_lines(each.headline, width, HEADLINE, "title")
        if each.is_recorded or len(lines) > _MOST_LINES:
            return LONG
    return HEADLINE


def _head(click: Click, width: float, size: float) -> Block:
    """The muted line above the headline; both keep their place when the headline changes."""
    topic = paragraph(click.topic or "\u00a0", width, TOPIC, key="topic", ink="text_muted")
    headline = paragraph(click.headline, width, size, key="headline", style="title")
    return column([topic, headline], 4, align="left")


def _problem(sentence: str, width: float) -> Block:
    return paragraph(sentence, width, TOPIC, key="problem", ink="warning")


def progress_dots(
    progress: Progress, number: int, count: int, size: tuple[float, float]
) -> Iterator[Drawn]:
    """A dot for each stop; the current one has a segment for each of its clicks.

    The row keeps its width and so its place, however many clicks the current stop has.
    """
    step, radius, long = 18.0, 4.0, _CURRENT_DOT / count
    whole = step * (progress.count - 1) + _CURRENT_DOT
    x, y = (size[0] - whole) / 2, size[1] - _DOTS
    for stop in range(progress.count):
        segments: Sequence[int] = range(count) if stop == progress.at else (0,)
        for segment in segments:
            is_now = stop == progress.at
            done = stop < progress.at or (is_now and segment <= number)
            wide = max(long - 6, 2.0) if is_now else 2 * radius
            box = Rect(x=0, y=0, width=wide, height=2 * radius)
            fill = ("accent" if is_now else "text_muted") if done else "border"
            shape = Shape(RoundedRect(box, radius), fill)  # type: ignore[arg-type]
            yield Drawn(key=f"dot:{stop}:{segment}", parts=(shape,), x=x, y=y - radius)
            x += long if is_now else step
