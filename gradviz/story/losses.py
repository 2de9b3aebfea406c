"""The losses of a training as curves, with the current step."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradviz.analysis.training.training_curves import CurvePoint, TrainingCurve, TrainingRun
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.display.parts import Pen, Shape, circle
from gradviz.drawing.geometry.rect import Rect
from gradviz.story.blocks import Block, text_block
from gradviz.story.frame import LEAST_TEXT, Drawn, at
from gradviz.story.plot import Plot
from gradviz.text.training_curves import loss_words

_LEFT, _RIGHT = 110.0, 20.0
_LEAST, _MOST = (360.0, 180.0), (900.0, 360.0)
"""Least and largest width and height of the plot."""

_INKS: tuple[PaletteRole, ...] = ("accent", "backward", "forward", "ok")
_BELOW = 44.0


def losses_block(training: TrainingRun, step: int, room: tuple[float, float]) -> Block:
    """Draw the losses up to a step, which is marked.

    Args:
        training: The training.
        step: Number of the step; later losses are not known yet.
        room: Width and height that there is.
    """
    curves = [(each, _known(each, step)) for each in training.losses]
    heights = [point.value for _, points in curves for point in points]
    up = min(heights, default=0.0), max(heights, default=1.0)
    last = max((each.points[-1].at for each in training.losses if each.points), default=1.0)
    words = text_block(loss_words(training, step), LEAST_TEXT * 1.2, key="losses:words")
    free = room[0] - _LEFT - _RIGHT, room[1] - _BELOW - words.height
    wide, high = (
        min(max(size, least), most) for size, least, most in zip(free, _LEAST, _MOST, strict=True)
    )
    area = Rect(x=_LEFT, y=0, width=wide, height=high)
    plot = Plot(key="losses", area=area, across=(0.0, last), up=up)
    drawn = [*plot.axes(dict.fromkeys(up))]
    for number, (curve, points) in enumerate(curves):
        drawn += _curve(plot, curve, points, _INKS[number % len(_INKS)])
    drawn += at((_LEFT, high + _BELOW), words.drawn)
    height = high + _BELOW + words.height
    width = _LEFT + max(wide + _RIGHT, words.width)
    return Block(width=width, height=height, drawn=tuple(drawn), middle=height / 2)


def _known(curve: TrainingCurve, step: int) -> list[CurvePoint]:
    """The points up to a step that have a height."""
    return [each for each in curve.points if each.step <= step and math.isfinite(each.value)]


def _curve(
    plot: Plot, curve: TrainingCurve, points: list[CurvePoint], ink: PaletteRole
) -> Iterator[Drawn]:
    if not points:
        return
    places = [(each.at, each.value) for each in points]
    line = plot.line(places, Pen(ink, 4.0, is_round=True))
    x, y = plot.place(places[-1])
    dot = Shape(circle((x, y), 9.0), ink, Pen("canvas", 2.0))
    yield Drawn(key=f"losses:{curve.name}", parts=(dot,) if line is None else (line, dot))
    name = text_block(curve.name, LEAST_TEXT, key=f"losses:{curve.name}:name", ink=ink)
    left = min(x + 14, plot.area.x + plot.area.width - name.width)
    yield from at((left, max(0.0, y - 36)), name.drawn)
