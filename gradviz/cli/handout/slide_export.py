"""Draws the slides of a lesson or a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.cli import output

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.cli.handout.lesson_runs import LessonRuns
    from gradviz.drawing.appearance.palette import PaletteTheme
    from gradviz.lesson.lesson import Lesson
    from gradviz.model.tensor import TensorValues


def lesson_slides(lesson: Lesson, runs: LessonRuns, theme: PaletteTheme) -> Iterator[str]:
    """Draw the slides of each stop."""
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.slides import last_step, stop_slides
    from gradviz.lesson.facts import shown_text

    paint, title, number = theme_paint(theme), shown_text(lesson.title), 1
    for at, stop in enumerate(lesson.stops):
        output.say_progress(say("command.drawing", done=at + 1, total=len(lesson.stops)))
        with runs.run_of(stop) as run:
            for slide in stop_slides(stop, last_step(lesson, at), run, paint, title, number):
                yield slide
                number += 1


def run_slides(
    index: TraceIndex, values: TensorValues, places: Sequence[str], theme: PaletteTheme
) -> Iterator[str]:
    """Draw a slide for each position of a run."""
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.handout.stop_content import StopRun
    from gradviz.export.slides import stop_slides
    from gradviz.lesson.lesson import LessonStop

    run, paint = StopRun(index=index, values=values), theme_paint(theme)
    for number, place in enumerate(places, 1):
        output.say_progress(say("command.drawing", done=number, total=len(places)))
        yield from stop_slides(LessonStop(step=place), None, run, paint, "", number)
