"""The end of a lesson: every stop in a row, readable, with nothing cut."""

from __future__ import annotations

import pytest

from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.reading import read_lesson
from gradviz.lesson.shipped import LESSONS
from gradviz.resource import resource_path
from gradviz.story.frame import Frame
from gradviz.story.summary import summary_frames
from tests.story.shipped import faults_of, texts


def rows(frame: Frame) -> list[str]:
    """The texts of each row."""
    found: dict[float, list[str]] = {}
    for text, _, drawn in texts(frame):
        if drawn.key.startswith("summary:"):
            found.setdefault(round(drawn.y, 3), []).append(text)
    return [" | ".join(each) for each in found.values()]


def lesson_of(*stops: LessonStop) -> Lesson:
    return Lesson(title="Rules", stops=stops)


def test_each_stop_has_its_headline_and_the_first_sentence_of_its_answer() -> None:
    (frame,) = summary_frames(
        lesson_of(
            LessonStop(headline="One", question="How many?", answer="{{12|exp: x}}. It is even."),
            LessonStop(headline="Two", question="Why?", solution="As in e.g. Exp. More.\n\nLong."),
            LessonStop(scene="linear"),
            LessonStop(trace="own.gradviz", answer="对。也对。"),
        )
    )
    assert [text for text, _, _ in texts(frame)][:2] == ["Rules", "What we have seen"]
    assert rows(frame) == [
        "One | 12.",
        "Two | As in e.g. Exp.",
        "linear",
        "own.gradviz | 对。",
    ]
    assert frame.spoken.startswith("What we have seen\nOne: 12.\n")


def test_many_long_rows_go_on_on_further_pages() -> None:
    stops = [
        LessonStop(headline=f"{at} {'head ' * at}", answer=f"{'word ' * 3 * at}end{at}")
        for at in range(40)
    ]
    frames = summary_frames(lesson_of(*stops))
    assert len(frames) > 2
    told = " ".join(text for frame in frames for text, _, _ in texts(frame))
    assert [at for at in range(40) if f"end{at}" not in told] == []
    for at, frame in enumerate(frames):
        assert faults_of(frame, (20.0, 20.0)) == []
        rings = [each for each in frame.drawn if each.key.startswith("dot:40:")]
        assert len(rings) == len(frames), f"page {at} has a segment for each page"


@pytest.mark.parametrize("language", ["en", "de", "zh"])
@pytest.mark.parametrize("name", LESSONS)
def test_a_shipped_lesson_has_one_line_for_each_stop(name: str, language: str) -> None:
    path = resource_path("lessons") / language / f"{name}.gradviz-lesson"
    lesson = read_lesson(path)
    frames = summary_frames(lesson)
    assert sum(len(rows(each)) for each in frames) == len(lesson.stops)
    for frame in frames:
        assert faults_of(frame, (20.0, 20.0)) == []


def test_a_lesson_fits_a_narrow_stage() -> None:
    long = LessonStop(headline="A headline of many words " * 3, answer="An answer " * 20)
    for frame in summary_frames(lesson_of(*[long] * 9), (720.0, 720.0)):
        assert faults_of(frame, (20.0, 20.0)) == []
        assert all(drawn.x < 720 - 56 for drawn in frame.drawn)
