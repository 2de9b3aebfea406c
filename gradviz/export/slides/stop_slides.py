"""The slides of a stop, in the order of the clicks: the question, the answer, further steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradviz.drawing.appearance.palette import Paint
from gradviz.export.handout.stop_content import StopContent, StopRun, stop_content
from gradviz.export.slides.slide import slide_svg
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import ANSWER, Lesson, LessonStop


def stop_slides(
    stop: LessonStop,
    last_step: int | None,
    run: StopRun | str,
    paint: Paint,
    title: str,
    first: int,
) -> Iterator[str]:
    """Draw the slides of a stop.

    The first one shows the stop as the audience first sees it. A second one shows what it hides and
    the arithmetic that it names, if there is any.

    Args:
        stop: The stop.
        last_step: Last step, each of which up to this one gets a slide; None for none.
        run: Its run, or a sentence that says why there is none.
        paint: Returns the color of a role.
        title: Title of the lesson.
        first: Number of the first slide.
    """
    known = None if isinstance(run, str) else run
    headline = shown_text(stop.headline)

    def slide(content: StopContent, number: int, answers: tuple[str, ...] = ()) -> str:
        return slide_svg(
            content,
            known,
            paint,
            headline=headline,
            title=title,
            number=number,
            answers=answers,
        )

    asked = stop_content(stop, run, paint, for_slide=True)
    yield slide(asked, first)
    if known is None:
        return
    shown = _revealed(stop)
    if stop.hide or stop.question or stop.arithmetic:
        answered = replace(shown, arithmetic=stop.arithmetic)
        told = stop_content(answered, known, paint, for_slide=True)
        if told.answers or (told.sentence, told.picture) != (asked.sentence, asked.picture):
            first += 1
            yield slide(told, first, told.answers)
    total = len(known.index.trace.steps)
    for number in range(
        stop.number + 1, 1 + min(total, stop.number if last_step is None else last_step)
    ):
        first += 1
        step = stop_content(replace(shown, step=str(number)), known, paint, for_slide=True)
        yield slide(step, first)


def _revealed(stop: LessonStop) -> LessonStop:
    """The stop after its answer is shown, without question and notes."""
    hidden = tuple(each for each in stop.hide if each != ANSWER)
    return replace(stop, hide=hidden, question="", notes="", arithmetic="")


def last_step(lesson: Lesson, at: int) -> int | None:
    """Number of the last step at a stop, which may be beyond the run; None for the stop's own."""
    stop = lesson.stops[at]
    if not stop.steps:
        return None
    for after in lesson.stops[at + 1 : at + 2]:
        if after.run == stop.run and after.number > stop.number:
            return after.number - 1
    return 1 << 62
