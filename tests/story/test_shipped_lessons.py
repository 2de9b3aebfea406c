"""Every click of the shipped lessons: drawn from their runs, whole, and readable."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.drawing.geometry.rect import Rect
from gradviz.lesson.reading import read_lesson
from gradviz.lesson.shipped import LESSONS, shipped_path
from gradviz.story.frame import SLIDE, Frame
from gradviz.story.frames import Progress, stop_frames
from gradviz.viewer.lesson.stop_runs import checked_runs
from tests.story.shipped import shipped_run, texts

LEAST_IN_GRAPH, LEAST = 12.0, 20.0


def faults_of(frame: Frame) -> list[str]:
    found = []
    for text, size, drawn in texts(frame):
        least = LEAST_IN_GRAPH if drawn.key.startswith("graph:") else LEAST
        if size < least:
            found.append(f"small: {text!r} {size:.1f} px")
        if text.endswith(("…", "...")) and not drawn.key.startswith(("code", "graph")):
            found.append(f"cut: {text!r}")
        if drawn.key.startswith("problem"):
            found.append(f"problem: {text!r}")
    whole = Rect(x=-1, y=-1, width=SLIDE[0] + 2, height=SLIDE[1] + 2)
    for drawn in frame.drawn:
        is_inside = whole.x <= drawn.x <= whole.right and whole.y <= drawn.y <= whole.bottom
        if not is_inside and not drawn.key.startswith("graph:"):
            found.append(f"outside: {drawn.key}")
    return found


@pytest.mark.parametrize("name", LESSONS)
def test_every_click_of_a_lesson_can_be_read(name: str, tmp_path: Path) -> None:
    lesson, faults = read_lesson(shipped_path(name)), []
    checked = checked_runs(lesson)
    for at, stop in enumerate(lesson.stops):
        folder = tmp_path / str(at)
        folder.mkdir()
        with shipped_run(stop, checked, folder) as run:
            frames = stop_frames(stop, run, Progress(at=at, count=len(lesson.stops)))
        assert len(frames) > (1 if stop.question else 0)
        for number, frame in enumerate(frames):
            faults += [
                f"{name}, stop {at + 1}, click {number}: {each}" for each in faults_of(frame)
            ]
    assert not faults, "\n".join(faults)
