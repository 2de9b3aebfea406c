"""The losses of a training as curves, with the current step."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradviz.analysis.training.training_curves import CurvePoint, TrainingCurve, TrainingRun
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.display.parts import Pen, RoundedRect, Shape, circle, polyline
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.story.blocks import Block, text_block, text_width
from gradviz.story.frame import LEAST_TEXT, Drawn, at
from gradviz.text.training_curves import loss_words

_WIDTH, _HEIGHT, _LEFT = 900.0, 360.0, 110.0
_INKS: tuple[PaletteRole, ...] = ("accent", "backward", "forward", "ok")
_BELOW = 44.0


def losses_block(training: TrainingRun, step: int) -> Block:
    """Draw the losses up to a step, which is marked.

    Args:
        training: The training.
        step: Number of the step; later losses are not known yet.
    """
    curves = [(each, _known(each, step)) for each in training.losses]
    heights = [point.value for _, points in curves for point in points]
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    last = max((each.points[-1].at for each in training.losses if each.points), default=1.0)

    def place(point: CurvePoint) -> Point:
        share = (point.value - low) / (high - low) if high > low else 0.5
        return _LEFT + _WIDTH * point.at / last, _HEIGHT * (1 - share)

    drawn = [*_axes(low, high)]
    for number, (curve, points) in enumerate(curves):
        drawn += _curve(curve, [place(each) for each in points], _INKS[number % len(_INKS)])
    words = text_block(loss_words(training, step), LEAST_TEXT * 1.2, key="losses:words")
    drawn += at((_LEFT, _HEIGHT + _BELOW), words.drawn)
    height = _HEIGHT + _BELOW + words.height
    width = max(_LEFT + _WIDTH + 20, _LEFT + words.width)
    return Block(width=width, height=height, drawn=tuple(drawn), middle=height / 2)


def _known(curve: TrainingCurve, step: int) -> list[CurvePoint]:
    """The points up to a step that have a height."""
    return [each for each in curve.points if each.step <= step and math.isfinite(each.value)]


def _axes(low: float, high: float) -> Iterator[Drawn]:
    pen = Pen("border_strong", 2.0)
    frame = polyline((_LEFT, 0.0), (_LEFT, _HEIGHT), (_LEFT + _WIDTH, _HEIGHT))
    yield Drawn(key="losses:axes", parts=(Shape(frame, pen=pen),))
    for value, y in {high: 0.0, low: _HEIGHT}.items():
        text = number_text(value)
        label = text_block(text, LEAST_TEXT, key=f"losses:{y}", ink="text_muted")
        x = _LEFT - 12 - text_width(text, LEAST_TEXT)
        yield from at((x, y - label.height / 2), label.drawn)


def _curve(curve: TrainingCurve, points: list[Point], ink: PaletteRole) -> Iterator[Drawn]:
    if not points:
        return
    parts: list[Shape] = []
    if len(points) > 1:
        parts.append(Shape(polyline(*points), pen=Pen(ink, 4.0, is_round=True)))
    dot: RoundedRect = circle(points[-1], 9.0)
    parts.append(Shape(dot, ink, Pen("canvas", 2.0)))
    yield Drawn(key=f"losses:{curve.name}", parts=tuple(parts))
    name = text_block(curve.name, LEAST_TEXT, key=f"losses:{curve.name}:name", ink=ink)
    x, y = points[-1]
    side = Rect(x=min(x + 14, _LEFT + _WIDTH - name.width), y=y - 36, width=0, height=0)
    yield from at((side.x, max(0.0, side.y)), name.drawn)
