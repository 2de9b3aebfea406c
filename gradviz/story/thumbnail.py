"""A small picture of a stop: what it shows last, without the texts that could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.display.parts import FramePart, TextRun
from gradviz.drawing.geometry.rect import Rect
from gradviz.lesson.lesson import LessonStop
from gradviz.lesson.selection import place_of
from gradviz.story.blocks import Block, bounds_of, fitted
from gradviz.story.frame import Drawn, at
from gradviz.story.picture import PictureMoment, StoryError, picture
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import stop_clicks

_ROOM = 640.0, 260.0
"""In which a picture is arranged before it gets small."""

_NO_VALUES = "code", "exception", "graph", "other:"
"""Begin pictures that are text, which is too small to read, or the graph."""

_LEAST_NAME, _LEAST_VALUE = 14.0, 8.0
"""Smaller names, and smaller numbers and signs between them, are left out."""


def stop_picture(stop: LessonStop, run: StoryRun) -> Block | None:
    """Draw the last values that a stop shows, or its graph; None if it has neither."""
    place, _ = place_of(run.index, stop)
    clicks = stop_clicks(stop, run, place)
    shown = [each.text for each in clicks if not each.is_asked and "{?" not in each.text]
    values = [each for each in shown if each and not each.startswith(_NO_VALUES)]
    revealed = RevealedTrace.of_all(run.index)
    moment = PictureMoment(run=run, place=place, revealed=revealed, room=_ROOM)
    try:
        return picture(moment, values[-1] if values else "graph")
    except StoryError:
        return None


def thumbnail(block: Block, area: Rect, key: str) -> Iterator[Drawn]:
    """Draw a picture small in an area, which what is left of it fills.

    Args:
        block: The picture.
        area: Where it is shown.
        key: Begins the keys of its objects, which are no others in the story.
    """
    scale = min(area.width / block.width, area.height / block.height, 1.0)
    left = []
    for each in block.drawn:
        parts = tuple(part for part in each.parts if _is_readable(part, each.scale * scale))
        # The piece of a line before its name says nothing without it.
        if parts and not each.key.endswith(":piece"):
            left.append(replace(each, key=f"{key}:{each.key}", parts=parts, source=""))
    rect = bounds_of(left)
    drawn = at((-rect.x, -rect.y), left)
    yield from fitted(Block(width=rect.width, height=rect.height, drawn=drawn, middle=0.0), area)


def _is_readable(part: FramePart, scale: float) -> bool:
    if not isinstance(part, TextRun):
        return True
    least = _LEAST_VALUE if part.style == "title" else _LEAST_NAME
    return FONTS[part.style].size * scale >= least
