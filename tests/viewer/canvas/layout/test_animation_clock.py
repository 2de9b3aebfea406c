"""Animations end exactly where the graph would be without them."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.canvas.layout.animation_clock import AnimationClock
from gradviz.viewer.preferences import Preferences
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.pixels import pixels_of


@pytest.fixture
def clock(qtbot: QtBot) -> AnimationClock:
    preferences = Preferences(stored=False)
    preferences.motion = "on"
    return AnimationClock(preferences)


def test_a_movement_goes_from_its_start_to_its_end(clock: AnimationClock, qtbot: QtBot) -> None:
    parts: list[float] = []
    with qtbot.waitSignal(clock.animation_finished):
        clock.play(parts.append, 60)
        assert clock.moving
    assert parts == sorted(parts)
    assert (parts[0], parts[-1]) == (0.0, 1.0)
    assert parts.count(1.0) == 1
    assert not clock.moving


def test_the_next_movement_ends_the_one_before(clock: AnimationClock) -> None:
    first: list[float] = []
    second: list[float] = []
    clock.play(first.append, 10_000)
    clock.play(second.append, 10_000)
    assert first[-1] == 1.0
    assert second == [0.0]
    clock.finish()
    assert second[-1] == 1.0
    clock.finish()
    assert second.count(1.0) == 1


@pytest.mark.parametrize("motion", ["off", "system"])
def test_without_motion_there_is_only_the_end(qtbot: QtBot, motion: str) -> None:
    preferences = Preferences(stored=False)
    preferences.motion = motion  # type: ignore[arg-type]
    parts: list[float] = []
    clock = AnimationClock(preferences)
    clock.play(parts.append)
    assert parts == [1.0]
    assert not clock.moving


def shown(panel: GraphPanel) -> np.ndarray:
    return pixels_of(panel.view.viewport())


def test_a_transition_ends_at_the_final_layout(driver: GraphDriver, qtbot: QtBot) -> None:
    state, panel = driver.state, driver.panel
    state.go_to(5)
    at_rest = {5: shown(panel)}
    state.go_to(6)
    at_rest[6] = shown(panel)
    state.go_to(4)
    state.preferences.motion = "on"
    clock = panel.motion.clock
    for number in (5, 6, 5):
        with qtbot.waitSignal(clock.animation_finished):
            state.go_to(number)
            assert clock.moving
            # What is shown is right at once, whatever is on its way.
            assert state.number == number
        assert (shown(panel) == at_rest[number]).all()


def test_a_pulse_runs_along_the_lines_that_bring_the_gradient(driver: GraphDriver) -> None:
    state, scene = driver.state, driver.scene
    state.go_to(4)
    state.preferences.motion = "on"
    state.go_to(5)
    before = shown(driver.panel)
    scene.pulse.show_at(0.5)
    assert scene.pulse.is_visible
    assert (shown(driver.panel) != before).any()
    driver.panel.motion.clock.finish()
    assert not scene.pulse.is_visible
    # Back again: a gradient never flows back.
    state.go_to(4)
    assert not scene.pulse.is_visible
    driver.panel.motion.clock.finish()


def test_steps_in_quick_succession_and_jumps_land_at_once(driver: GraphDriver) -> None:
    state, panel = driver.state, driver.panel
    state.go_to(7)
    wanted = shown(panel)
    state.go_to(2)
    state.preferences.motion = "on"
    for _ in range(4):
        state.next_step()
    state.go_to(8)
    assert not panel.motion.clock.moving
    state.go_to(7)
    panel.motion.clock.finish()
    assert (shown(panel) == wanted).all()


def test_the_command_turns_motion_on_and_off(driver: GraphDriver, qtbot: QtBot) -> None:
    action, preferences = driver.actions.animate, driver.state.preferences
    qtbot.waitUntil(lambda: not action.isChecked())
    action.trigger()
    assert preferences.motion == "on"
    driver.state.go_to(4)
    driver.state.go_to(5)
    assert driver.panel.motion.clock.moving
    action.trigger()
    assert preferences.motion == "off"
    assert not driver.panel.motion.clock.moving
    driver.state.go_to(6)
    assert not driver.panel.motion.clock.moving
