"""Where the elements of tensors are in a picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.lesson.lesson import LessonStop
from gradviz.model.what_if import ChangeRecord, InputTarget, WhatIfChange
from gradviz.story.elements import frame_elements
from gradviz.story.frame import Frame
from gradviz.story.frames import Progress, story_frames
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import step_clicks, stop_clicks
from tests.builders import LINEAR_TENSORS, linear_trace

VALUES = {record.id: value for record, value in LINEAR_TENSORS}
PLACE = TracePosition(step=1)
CHANGE = WhatIfChange(
    target=InputTarget(position=0, name="input"),
    dtype="float32",
    shape=(2, 2),
    way="elements",
    positions=(1,),
    bits=np.float32(2.5).tobytes().hex(),
    old_bits=np.float32(2).tobytes().hex(),
)


def frames_of(index: TraceIndex) -> tuple[Frame, ...]:
    run = StoryRun(index=index)
    clicks = step_clicks(run, PLACE, asks=False)
    return story_frames(clicks, run, PLACE, Progress(at=0, count=1))


@pytest.fixture(scope="module")
def recorded() -> TraceIndex:
    return index_trace(linear_trace(), VALUES.get)


@pytest.fixture(scope="module")
def changed() -> TraceIndex:
    trace = structs.replace(
        linear_trace(), changes=(ChangeRecord(id=1, change=CHANGE, applied=True),)
    )
    return index_trace(trace, VALUES.get)


def test_each_element_has_a_place_of_its_own_in_the_order_of_its_tensor(
    recorded: TraceIndex,
) -> None:
    seen = 0
    for frame in frames_of(recorded):
        elements = [*frame_elements(frame)]
        for each in elements:
            assert 0 <= each.rect.x < each.rect.right <= frame.width
            assert 0 <= each.rect.y < each.rect.bottom <= frame.height
        while elements:
            # A graph can have a tensor in several boxes.
            count = recorded.tensor[elements[0].tensor].count
            first, elements = elements[:count], elements[count:]
            assert [each.position for each in first] == [*range(count)]
            assert len({each.tensor for each in first}) == 1
            places = [(each.rect.y, each.rect.x) for each in first]
            assert places == sorted(set(places))
            seen += 1
    assert seen > 3


def texts_of(frame: Frame) -> str:
    parts = [part for drawn in frame.drawn for part in drawn.parts]
    return " ".join(getattr(part, "text", "") for part in parts)


def test_each_picture_of_a_changed_run_says_so(recorded: TraceIndex, changed: TraceIndex) -> None:
    mark = "New run: input[0, 1] = 2.5 instead of 2"
    assert all(mark in texts_of(frame) for frame in frames_of(changed))
    assert not any("New run" in texts_of(frame) for frame in frames_of(recorded))


def test_what_an_author_says_of_the_recorded_numbers_is_not_said_of_others(
    recorded: TraceIndex, changed: TraceIndex
) -> None:
    stop = LessonStop(scene="linear", step="1", question="How many?", answer="It is 7.")
    for headline in ("", "A number"):
        told, other = (
            stop_clicks(replace(stop, headline=headline), StoryRun(index=index), PLACE)
            for index in (recorded, changed)
        )
        assert len(told) == len(other)
        assert "It is 7." in {each.headline for each in told}
        assert "It is 7." not in {each.headline for each in other}
        assert other[0].headline == "How many?"
        assert all("input 2×2" in f"{each.headline} {each.note}" for each in other[1:])
    assert {each.headline for each in other[1:]} == {headline}
    assert not any(each.is_recorded for each in other), "the headline keeps its size"
