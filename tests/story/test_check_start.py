"""Before a check, its three steps are shown with the values of the call that it will repeat."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.drawing.display.parts import ValuePlane
from gradviz.story.check_start import plan_of
from gradviz.story.click import Click
from gradviz.story.frames import Progress, story_frames
from gradviz.story.run import StoryRun
from tests.story.shipped import faults_of, opened, texts
from tests.story.test_curve import PLACE

CLICK = Click(topic="gradcheck", headline="Does backward return the true gradient?", text="check")


@pytest.mark.parametrize("size", [(1280.0, 720.0), (1728.0, 720.0)])
def test_the_three_steps_are_readable_with_their_values(
    size: tuple[float, float], tmp_path: Path
) -> None:
    with opened("linear", False, tmp_path) as index:
        run = StoryRun(index=index)
        (frame,) = story_frames((CLICK,), run, PLACE, Progress(at=0, count=1), size)
    assert faults_of(frame, (20.0, 20.0)) == []
    planes = [each for drawn in frame.drawn for each in drawn.parts if isinstance(each, ValuePlane)]
    assert [each.value.shape for each in planes] == [(2, 2), (2, 3)]
    said = " ".join(text for text, _, _ in texts(frame))
    for text in ("1 Move", "2 See", "3 Compare", "6 (output) × 10 (input) = 60"):
        assert text in said


def test_values_are_those_of_what_is_checked(tmp_path: Path) -> None:
    with opened("linear", False, tmp_path) as index:
        assert "(input 2×2, weight 2×3)" in plan_of(index, "LinearFunction").count
        other = plan_of(index, "AnotherFunction")
    assert (other.values, other.captions[:2], other.count) == ((None, None), ("", ""), "")
