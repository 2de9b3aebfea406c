"""Slides are the pictures of the stage: question, answer and evidence of what was recorded."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.appearance.palette import PaletteTheme, theme_paint
from gradviz.export.frame_svg import frame_svg
from gradviz.lesson.lesson import LessonStop
from gradviz.story.frame import Frame
from gradviz.story.frames import Progress, stop_frames
from gradviz.story.run import StoryRun
from gradviz.text.narration import describe_position
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.story.shipped import texts

VALUES = {record.id: value for record, value in LINEAR_TENSORS}
STOP = LessonStop(
    headline="The gradients",
    scene="linear",
    step="5",
    question="Which shape has the gradient of {{weight|linear: a query}}?",
    answer="That of weight.",
    show=("{step 5 returned weight}", "graph"),
)
ALONE = Progress(at=0, count=1)


def linear_run() -> StoryRun:
    return StoryRun(index=index_trace(linear_trace(), VALUES.get))


def told(frame: Frame) -> str:
    return " ".join(text for text, _, _ in texts(frame))


def test_the_answer_takes_the_place_of_the_question_and_the_evidence_follows() -> None:
    asked, answered, value, graph = stop_frames(STOP, 0, linear_run(), ALONE)
    question = "Which shape has the gradient of weight?"
    assert told(asked).startswith(f"The gradients {question}")
    assert "That of weight." not in told(asked)
    for frame in (answered, value, graph):
        assert told(frame).startswith(f"{question} That of weight.")
    assert "grad_weight" in told(value)
    assert "LinearFunctionBackward" in told(graph)
    assert len(heads_of(asked, answered, value, graph)) == 1, "headlines keep their place and size"


def heads_of(*frames: Frame) -> set[tuple[float, float, float]]:
    return {
        (each.x, each.y, each.scale)
        for frame in frames
        for _, _, each in texts(frame)
        if each.key == "headline:0"
    }


def test_each_later_step_has_a_slide_below_the_same_headline() -> None:
    frames = [*stop_frames(replace(STOP, step="6"), None, linear_run(), ALONE)]
    for number, frame in zip((7, 8), frames[-2:], strict=True):
        sentence = describe_position(linear_run().index, TracePosition(step=number))
        assert told(frame).startswith(f"{sentence} {STOP.headline}")
    assert len(heads_of(*frames)) == 1, "it keeps its place and size"


def test_a_stop_without_its_run_says_why() -> None:
    (frame,) = stop_frames(STOP, 0, "It is gone.", ALONE)
    assert told(frame).split()[:2] == ["The", "gradients"]
    assert told(frame).endswith("The run of this stop is missing. It is gone.")


def test_a_place_of_a_run_has_the_slides_of_the_stage() -> None:
    frames = [*stop_frames(LessonStop(step="5"), 0, linear_run(), ALONE)]
    assert len(frames) > 1
    assert all(told(each).startswith("Step 5 of 8 · backward") for each in frames)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_slide_is_a_document_of_its_size_in_the_colors_of_its_theme(theme: PaletteTheme) -> None:
    paint = theme_paint(theme)
    for frame in stop_frames(STOP, 0, linear_run(), ALONE):
        root = ElementTree.fromstring(frame_svg(frame, paint))
        assert (root.get("width"), root.get("height")) == ("1280", "720")
        shown = {each.text for each in root.iter("{http://www.w3.org/2000/svg}text")}
        assert {text for text, _, _ in texts(frame)} - shown <= {"\N{NO-BREAK SPACE}"}
        assert root.find("{http://www.w3.org/2000/svg}rect").get("fill") == paint("canvas")  # type: ignore[union-attr]
