from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.model.index import index_of
from gradviz.model.step import ErrorStep
from gradviz.store.reader import open_trace
from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme import DARK, LIGHT
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.timeline.phases import Phase, kinds_of, phases_of, printing_steps
from gradviz.viewer.timeline.track import Track
from tests.builders import linear_trace, write_trace


def test_phases_are_forward_then_backward() -> None:
    assert phases_of(index_of(linear_trace())) == (
        Phase(first=1, last=2, kind="forward", pass_id=None),
        Phase(first=3, last=8, kind="backward", pass_id=1),
    )


def test_custom_steps_and_prints_are_marked() -> None:
    index = index_of(linear_trace())
    assert kinds_of(index).tolist() == [1, 0, 0, 0, 1, 0, 0, 0]
    assert printing_steps(index).tolist() == [1, 5]


@pytest.mark.parametrize("width", [200.0, 1000.0, 3000.0])
def test_each_step_is_found_where_it_is_drawn(width: float) -> None:
    track = Track(index_of(linear_trace()))
    numbers = np.arange(1, 9)
    assert [track.number_at(track.x_of(n, width), width) for n in numbers] == list(numbers)
    assert track.number_at(-50, width) == 1
    assert track.number_at(width + 50, width) == 8


@pytest.fixture
def panel(qtbot: QtBot, tmp_path: Path):
    owner = QObject()
    state = ViewerState(LIGHT)
    panel = TimelinePanel(state, Actions(owner))
    qtbot.addWidget(panel)
    panel.resize(1000, 110)
    panel.show()
    with open_trace(write_trace(tmp_path / "t.gradviz", linear_trace())) as reader:
        state.show(reader)
        yield panel, state
        state.show(None)


def test_words_say_where_we_are(panel: tuple[TimelinePanel, ViewerState]) -> None:
    timeline, state = panel
    state.go_to(5)
    assert timeline.where.text() == "step 5 of 8"
    assert timeline.now.text().startswith("BACKWARD")
    assert timeline.next.text().startswith("next: ")
    assert timeline.bar.value() == 5
    assert "step 5 of 8" in timeline.bar.accessibleDescription()
    state.last_step()
    assert timeline.next.text() == "the run ends here"


def test_steps_are_painted_as_done_up_to_here(
    panel: tuple[TimelinePanel, ViewerState], qtbot: QtBot
) -> None:
    timeline, state = panel
    state.go_to(5)
    image = timeline.bar.grab().toImage()
    ratio = image.devicePixelRatio()
    height = 18 + 14

    def at(number: int) -> str:
        x = timeline.bar.x_of(number)
        return image.pixelColor(round(x * ratio), round(height * ratio)).name()

    assert at(2) == LIGHT.colour("status_done").name()
    assert at(5) == LIGHT.colour("status_now").name()
    assert at(7) == LIGHT.colour("panel").name()
    state.set_theme(DARK)
    assert timeline.bar.grab().toImage() != image


def test_an_error_is_a_mark_of_its_own() -> None:
    trace = linear_trace()
    error = ErrorStep(
        number=8,
        started_ns=0,
        pass_id=1,
        node=1,
        call=None,
        stage="backward",
        exception="ValueError",
        message="<b>no</b>",
        location=None,
        traceback=(),
    )
    import dataclasses

    broken = dataclasses.replace(trace, steps=(*trace.steps[:7], error))
    assert kinds_of(index_of(broken)).tolist()[-1] == 2


def test_the_sentence_of_the_step_gets_the_room_there_is(
    panel: tuple[TimelinePanel, ViewerState],
) -> None:
    timeline, state = panel
    state.go_to(5)
    for width, whole in ((1900, True), (1000, False)):
        timeline.resize(width, 110)
        QApplication.processEvents()
        needed = timeline.now.fontMetrics().horizontalAdvance(timeline.now.text())
        assert (timeline.now.width() >= needed) == whole
        assert timeline.next.width() >= 200
        assert timeline.width() == width
