"""What a story shows after one click."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop


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
