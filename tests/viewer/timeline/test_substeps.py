"""The timeline inside steps: level switch, ticks, texts, and whole phases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from pytestqt.qtbot import QtBot

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.text.narration import describe_position
from gradviz.viewer.actions import Actions
from gradviz.viewer.commands.step_commands import StepCommands
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.timeline.timeline_bar import substeps_of
from gradviz.viewer.timeline.visible_span import SIDE, timeline_metrics
from tests.viewer.pixels import pixels_of
from tests.viewer.traces import inside_reader

Opened = tuple[TimelinePanel, ViewerState]


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[Opened]:
    owner = QObject()
    state, actions = ViewerState(LIGHT), Actions(owner)
    panel = TimelinePanel(state, actions)
    StepCommands(state, actions, owner)
    qtbot.addWidget(panel)
    panel.resize(1400, 120)
    panel.show()
    state.show(inside_reader())
    yield panel, state
    state.show(None)


def texts(timeline: TimelinePanel) -> list[str]:
    return [each.text() for each in timeline.crumbs.buttons]


def test_the_breadcrumb_says_where_we_are_and_leads_to_each_level(
    panel: Opened, qtbot: QtBot
) -> None:
    timeline, state = panel
    state.go_to_place(TracePosition(step=5, stage="backward", line=2), "line")
    where = ["backward", "LinearFunction.backward", "backward", "line 24", "line 6"]
    assert texts(timeline) == [*where, "ops"]
    tones = [each.property("tone") for each in timeline.crumbs.buttons]
    assert tones[-2:] == ["here", "next"]
    for at, level, number in ((5, "op", 5), (4, "line", 5), (2, "stage", 5), (1, "node", 5)):
        qtbot.mouseClick(timeline.crumbs.buttons[at], Qt.MouseButton.LeftButton)
        assert (state.level, state.number) == (level, number)
        assert texts(timeline)[: at + 1] == [*where, "aten::mul_.Tensor"][: at + 1]
    qtbot.mouseClick(timeline.crumbs.buttons[0], Qt.MouseButton.LeftButton)
    assert (state.level, state.number) == ("pass", 3)
    assert texts(timeline) == ["backward", "steps"]


def test_words_say_where_inside_a_step_we_are(panel: Opened) -> None:
    timeline, state = panel
    state.go_to_place(TracePosition(step=5, stage="backward", line=1), "line")
    index = state.index
    assert index is not None
    assert state.place is not None
    sentence = describe_position(index, state.place, "line")
    assert "24" in sentence
    where = "backward · step 5 of 8 · line 24"
    assert timeline.bar.accessibleDescription() == f"{where}. {sentence}"
    state.set_level("pass")
    assert timeline.bar.accessibleDescription().startswith("phase 2 of 2 · backward · steps 3–8. ")
    sentence = describe_position(index, TracePosition(step=3), "pass")
    assert timeline.bar.accessibleDescription().endswith(sentence)
    assert timeline.controls.next_tip.endswith("end of run")


def test_buttons_follow_the_walk_and_not_only_the_steps(panel: Opened) -> None:
    timeline, state = panel
    state.set_level("line")
    buttons = {action.text(): button for button, action, _ in timeline.controls._buttons}  # noqa: SLF001
    back = next(button for text, button in buttons.items() if "Previous" in text)
    assert not back.isEnabled()
    state.next_step()
    assert state.number == 1
    assert back.isEnabled()


def test_ticks_stand_apart_within_the_step_and_lead_to_their_places(
    panel: Opened, qtbot: QtBot
) -> None:
    timeline, state = panel
    state.go_to_place(TracePosition(step=5, stage="backward", line=0), "line")
    bar, inside = timeline.bar, substeps_of(state.index, state.place, "line")
    assert inside is not None
    pitch, middle = bar.x_of(6) - bar.x_of(5), bar.x_of(5)
    assert inside.have_space(pitch)
    xs = [inside.x_of(at, middle, pitch) for at in range(inside.count)]
    assert xs == sorted(xs)
    assert middle - pitch / 2 < xs[0] < xs[-1] < middle + pitch / 2
    height = round(timeline_metrics(LIGHT).middle) - 3
    # In front of the step's own dot, on a ground of their own.
    beside = QPoint(round((xs[2] + xs[3]) / 2), height)
    assert bar.grab().toImage().pixelColor(beside) == LIGHT.color("panel")
    for at, x in enumerate(xs):
        assert inside.place_at(x, middle, pitch) is not None
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(round(x), height))
        now = substeps_of(state.index, state.place, "line")
        assert now is not None
        assert (state.number, now.at) == (5, at)
    # Beside the ticks a click means the step, as everywhere.
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.x_of(6)), height))
    assert state.number == 6


def test_ticks_that_do_not_fit_become_a_bar(panel: Opened) -> None:
    _, state = panel
    state.go_to_place(TracePosition(step=5, stage="backward", line=0), "line")
    inside = substeps_of(state.index, state.place, "line")
    assert inside is not None
    assert not inside.have_space(10.0)
    assert inside.place_at(100.0, 100.0, 10.0) is None
    assert substeps_of(state.index, state.place, "node") is None


def test_a_phase_is_marked_as_a_whole(panel: Opened) -> None:
    timeline, state = panel
    node = timeline.bar.grab().toImage()
    state.go_to(3)
    step = timeline.bar.grab().toImage()
    state.set_level("pass")
    phase = timeline.bar.grab().toImage()
    assert phase != step != node
    # Its mark reaches to the last step.
    x, y = round(timeline.bar.x_of(8)), round(timeline_metrics(LIGHT).label) + 2
    ratio = phase.devicePixelRatio()
    ink = phase.pixelColor(round(x * ratio), round(y * ratio))
    assert ink == LIGHT.color("status_now")


def test_the_ticks_of_the_first_step_leave_the_arrow_of_its_pass_alone(panel: Opened) -> None:
    timeline, state = panel
    bar = timeline.bar
    for width in (600, 800, 1200):
        bar.resize(width, bar.sizeHint().height())
        state.go_to(1)
        plain, beside = pixels_of(bar), slice(round(SIDE), round(SIDE) + 11)
        state.set_level("stage")
        assert (plain[:, beside] == pixels_of(bar)[:, beside]).all(), width
        assert len(set(map(bytes, plain[:, beside].reshape(-1, 3)))) > 3
        state.set_level("node")
