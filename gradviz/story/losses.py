"""The losses of a training as curves, with the current step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import cycle

from gradviz.analysis.training.training_curves import TrainingRun
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.display.parts import Pen, Shape, circle
from gradviz.drawing.geometry.rect import Point
from gradviz.story.blocks import Block
from gradviz.story.frame import Drawn
from gradviz.story.plot import Plot, round_numbers
from gradviz.story.plot_stack import NamedLine, PlotStack, StackedPlot
from gradviz.text.training_curves import loss_words

_INKS: tuple[PaletteRole, ...] = ("accent", "backward", "forward", "ok")


def losses_block(training: TrainingRun, step: int, room: tuple[float, float]) -> Block:
    """Draw the losses up to a step, which is marked.

    Args:
        training: The training.
        step: Number of the step; later losses are not known yet.
        room: Width and height that there is.
    """
    lines, marks = list[NamedLine](), list[tuple[Point, NamedLine]]()
    for curve, ink in zip(training.losses, cycle(_INKS), strict=False):
        known = [each for each in curve.points if each.step <= step and math.isfinite(each.value)]
        points = [(each.at, each.value) for each in known]
        lines.append(
            NamedLine(f"losses:{curve.name}", points, Pen(ink, 4.0, is_round=True), curve.name)
        )
        marks += [(point, lines[-1]) for point in points[-1:]]
    heights = [y for each in lines for _, y in each.points] or [0.0, 1.0]
    edge = 0.08 * (max(heights) - min(heights)) or 0.5
    up = min(heights) - edge, max(heights) + edge
    across = 0.0, max((each.points[-1].at for each in training.losses if each.points), default=1.0)

    def marked(plot: Plot) -> Iterator[Drawn]:
        for point, line in marks:
            x, y = plot.place(point)
            dot = Shape(circle((0, 0), 9.0), line.pen.ink, Pen("canvas", 2.0))
            yield Drawn(key=f"{line.key}:now", parts=(dot,), x=x, y=y)

    return PlotStack(
        key="losses",
        plots=(StackedPlot(key="losses:plot", lines=lines, up=up),),
        across=across,
        below=[each for each in round_numbers(across, 8) if each.is_integer()],
        here=max((x for (x, _), _ in marks), default=0.0),
        here_text=" · ".join(f"{line.name} = {number_text(y)}" for (_, y), line in marks),
        facts=loss_words(training, step),
        marks=marked,
    ).block(room)
