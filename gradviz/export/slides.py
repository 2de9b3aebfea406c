"""Slides of a lesson or a run, as 16:9 pages: one for each click, as on the stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.messages import say
from gradviz.lesson.facts import shown_text, speaker_text
from gradviz.lesson.lesson import LessonStop
from gradviz.lesson.selection import place_of
from gradviz.story.frame import Frame
from gradviz.story.frames import Progress, message_frame, story_frames
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import step_clicks, stop_clicks


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """A slide: its picture, and what only the speaker sees."""

    frame: Frame
    notes: str = ""


def stop_slides(
    stop: LessonStop, last_step: int | None, run: StoryRun | str, progress: Progress
) -> Iterator[Slide]:
    """Draw the slides of a stop, each with its notes.

    Args:
        stop: The stop.
        last_step: Each later step up to this one gets a slide; None for the last one of the run.
        run: Its run, or a sentence that says why there is none.
        progress: Where the stop is in the lesson.
    """
    notes = speaker_text(stop)
    if isinstance(run, str):
        headline = shown_text(stop.headline) or stop.run
        frame = message_frame(headline, say("handout.no_run", reason=run), progress)
        yield Slide(frame=frame, notes=notes)
        return
    place, problem = place_of(run.index, stop)
    clicks = stop_clicks(stop, run, place)
    for frame in story_frames(clicks, run, place, progress, problem=problem):
        yield Slide(frame=frame, notes=notes)
    total = len(run.index.trace.steps)
    last = total if last_step is None else min(total, last_step)
    for number in range(stop.number + 1, last + 1):
        place = TracePosition(step=number)
        # The further pictures of a step say the same in more detail.
        clicks = step_clicks(run, place, asks=False)[:1]
        for frame in story_frames(clicks, run, place, progress):
            yield Slide(frame=frame)
