"""Stepping by levels: emitted signals, and what quiz mode withholds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from gradviz.analysis.position.trace_position import LEVELS, Level, TracePosition
from gradviz.viewer.actions import Actions
from gradviz.viewer.commands.step_commands import StepCommands
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import inside_reader, linear_reader

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def state() -> Iterator[ViewerState]:
    state = ViewerState(LIGHT)
    state.show(inside_reader())
    yield state
    state.show(None)


@pytest.fixture
def actions(state: ViewerState) -> Actions:
    owner = QObject(state)
    actions = Actions(owner)
    StepCommands(state, actions, owner)
    return actions


def level_action(actions: Actions, level: Level) -> QAction:
    return next(each for each in actions.levels.actions() if each.data() == level)


def test_a_place_is_announced_after_its_step(state: ViewerState) -> None:
    seen: list[object] = []
    state.step_changed.connect(seen.append)
    state.place_changed.connect(seen.append)
    state.go_to(5)
    state.into()
    state.next_step()
    assert seen == [
        5,
        TracePosition(step=5),
        TracePosition(step=5, stage="backward"),
        TracePosition(step=5, stage="engine"),
    ]
    assert (state.number, state.level) == (5, "stage")


def test_into_and_out_lead_through_all_levels(state: ViewerState, actions: Actions) -> None:
    state.go_to(5)
    seen = [(state.level, state.place)]
    while actions.into.isEnabled():
        actions.into.trigger()
        seen.append((state.level, state.place))
    assert [level for level, _ in seen] == ["node", "stage", "line"]
    state.next_step()
    while actions.into.isEnabled():
        actions.into.trigger()
        seen.append((state.level, state.place))
    # The second line calls a function of the user, whose lines are led into first.
    assert [level for level, _ in seen[3:]] == ["line", "op"]
    while actions.out.isEnabled():
        actions.out.trigger()
    assert (state.level, state.place) == ("pass", TracePosition(step=3))
    assert [level_action(actions, level).isChecked() for level in LEVELS] == [True] + [False] * 4


def test_a_level_that_is_chosen_leads_to_the_nearest_place(
    state: ViewerState, actions: Actions
) -> None:
    state.go_to(5)
    level_action(actions, "op").trigger()
    place = state.place
    assert place is not None
    assert place.step == 5
    assert place.stage == "backward"
    level_action(actions, "node").trigger()
    assert state.place == TracePosition(step=5)
    level_action(actions, "line").trigger()
    assert state.place == TracePosition(step=5, stage="backward", line=0)


def test_a_step_that_is_chosen_is_arrived_at_on_the_level(state: ViewerState) -> None:
    state.set_level("line")
    assert state.place == TracePosition(step=1, stage="forward", line=0)
    state.go_to(5)
    assert state.place == TracePosition(step=5, stage="backward", line=0)
    state.go_to(3)
    assert state.place == TracePosition(step=3)
    assert state.level == "line"
    # On the level of passes a single step can only be arrived at on that of nodes.
    state.set_level("pass")
    state.go_to(6)
    assert (state.place, state.level) == (TracePosition(step=6), "node")


def test_first_and_last_are_the_ends_of_the_walk(state: ViewerState) -> None:
    for level in LEVELS:
        state.set_level(level)
        state.last_step()
        assert state.next_target is None
        there = 0
        while state.previous_target is not None:
            state.previous_step()
            there += 1
        first = state.place
        state.last_step()
        state.first_step()
        assert state.place == first
        assert there >= (1 if level == "pass" else 7)


def test_a_place_that_is_finer_than_steps_makes_them_finer(state: ViewerState) -> None:
    state.go_to_place(TracePosition(step=5, stage="backward", line=2))
    assert (state.level, state.number) == ("line", 5)
    state.go_to_place(TracePosition(step=1), "line")
    assert state.place == TracePosition(step=1, stage="forward", line=0)


def test_the_level_stays_with_another_trace_and_is_chosen_without_one(
    state: ViewerState, actions: Actions
) -> None:
    state.show(None)
    assert state.place is None
    assert not actions.into.isEnabled()
    for action in (actions.next, actions.into):
        assert actions.reasons[action] == "there is no run to show yet"
    level_action(actions, "stage").trigger()
    state.show(linear_reader())
    assert state.place == TracePosition(step=1, stage="forward")
    assert actions.reasons[actions.next] == "there is no later step"


def test_quiz_mode_does_not_step_into_the_answer(state: ViewerState, actions: Actions) -> None:
    state.set_level("line")
    state.go_to(4)
    state.set_quiz_mode()
    while state.number == 4:
        state.next_step()
    assert (state.place, state.level) == (TracePosition(step=5), "node")
    assert state.revealed.hides_answer
    assert not actions.into.isEnabled()
    assert actions.reasons[actions.into] == "Quiz Mode hides it"
    level_action(actions, "line").trigger()
    assert state.place == TracePosition(step=5)
    assert level_action(actions, "node").isChecked()
    state.next_step()
    assert not state.revealed.hides_answer
    assert actions.into.isEnabled()
    assert actions.reasons[actions.into] == "nothing finer was recorded"
    actions.into.trigger()
    assert state.place == TracePosition(step=5, stage="backward")


def test_hiding_the_answer_leads_out_of_the_step(state: ViewerState) -> None:
    state.go_to_place(TracePosition(step=5, stage="backward", line=2))
    seen: list[object] = []
    state.place_changed.connect(seen.append)
    state.set_answer_hidden()
    assert seen == [TracePosition(step=5)]
    assert state.level == "node"


def test_the_same_place_is_announced_once(state: ViewerState) -> None:
    seen: list[object] = []
    state.place_changed.connect(seen.append)
    state.go_to_place(TracePosition(step=1))
    state.set_level("node")
    state.previous_step()
    assert seen == []
