"""Every click of the shipped lessons: drawn from their runs, whole, and readable."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.lesson.facts import shown_text
from gradviz.lesson.reading import read_lesson
from gradviz.lesson.shipped import LESSONS, shipped_path
from gradviz.lesson.stop_runs import checked_runs
from gradviz.resource import resource_path
from gradviz.story.click import Click
from gradviz.story.frame import SLIDE
from gradviz.story.frames import Progress, headed, stop_frames
from tests.story.shipped import faults_of, shipped_run


@pytest.mark.parametrize("language", ["en", "de", "zh"])
@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("size", [SLIDE, (1280.0, 800.0)], ids=["16:9", "16:10"])
def test_questions_have_one_line_and_answers_two(
    name: str, language: str, size: tuple[float, float]
) -> None:
    lesson = read_lesson(resource_path("lessons") / language / f"{name}.gradviz-lesson")
    for stop in lesson.stops:
        for text, most in ((stop.question, 1), (stop.answer, 2)):
            click = Click(topic="", headline=shown_text(text), text="")
            (head,), _ = headed([click], size)
            lines = [each for each in head if each.key.startswith("headline:")]
            assert len(lines) <= most, text


@pytest.mark.parametrize("name", LESSONS)
def test_every_click_of_a_lesson_can_be_read(name: str, tmp_path: Path) -> None:
    lesson, faults = read_lesson(shipped_path(name)), []
    checked = checked_runs(lesson)
    for at, stop in enumerate(lesson.stops):
        folder = tmp_path / str(at)
        folder.mkdir()
        with shipped_run(stop, checked, folder) as run:
            progress = Progress(at=at, count=len(lesson.stops))
            frames = [*stop_frames(stop, lesson.last_step(at), run, progress)]
        assert len(frames) > (1 if stop.question else 0)
        for number, frame in enumerate(frames):
            faults += [
                f"{name}, stop {at + 1}, click {number}: {each}"
                for each in faults_of(frame, (20.0, 18.0))
            ]
    assert not faults, "\n".join(faults)
