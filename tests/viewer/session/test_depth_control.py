"""The menu for what runs record."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject
from PySide6.QtGui import QActionGroup
from pytestqt.qtbot import QtBot

from gradviz.gallery.registry import SCENES, offer_of
from gradviz.model.settings.recording_scope import (
    ALL_PASSES,
    SAMPLED_PASSES,
    PassRange,
    RecordingScope,
)
from gradviz.model.what_if import InputTarget, WhatIfChange
from gradviz.viewer.actions import Actions
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.session.preferred import preferred_limits, preferred_run
from gradviz.viewer.session.run_controller import DepthController
from gradviz.viewer.session.script_controller import script_offer
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.viewer.traces import MemoryReader


def checked(group: QActionGroup) -> list[str]:
    return [each.data() for each in group.actions() if each.isChecked()]


def test_what_is_chosen_is_preferred_and_shown(qtbot: QtBot) -> None:
    owner = QObject()
    preferences, actions = Preferences(owner, stored=False), Actions(owner)
    DepthController(preferences, actions, owner)
    for name, group, first in (
        ("recording_level", actions.depths, "all"),
        ("passes", actions.passes, ""),
    ):
        assert checked(group) == [first]
        for action in group.actions():
            # Again, as a second click must not turn it off.
            for _ in range(2):
                action.trigger()
                assert getattr(preferences, name) == action.data()
                assert checked(group) == [action.data()]
    preferences.recording_level = "ops"
    assert checked(actions.depths) == ["ops"]
    preferences.passes = "3:5"
    assert checked(actions.passes) == []
    preferences.reset()
    assert (checked(actions.depths), checked(actions.passes)) == (["all"], [""])


def test_lines_are_recorded_by_running_again(qtbot: QtBot) -> None:
    owner = QObject()
    preferences, actions = Preferences(owner, stored=False), Actions(owner)
    DepthController(preferences, actions, owner)
    preferences.recording_level = "nodes"
    runs: list[str] = []
    actions.run.triggered.connect(lambda: runs.append(preferences.recording_level))
    actions.run.setEnabled(False)
    assert not actions.record_lines.isEnabled()
    actions.run.setEnabled(True)
    actions.record_lines.trigger()
    assert runs == ["all"]


def test_runs_record_what_is_preferred_or_what_the_shown_run_has(qtbot: QtBot) -> None:
    state = ViewerState(LIGHT, preferences=Preferences(stored=False))
    script, scene = script_offer(Path("train.py")), offer_of(SCENES[0])

    def passes(changes: tuple[WhatIfChange, ...] = ()) -> tuple[PassRange, PassRange]:
        script_passes, other = (
            preferred_run(state, each, Path("trace"), changes).passes for each in (script, scene)
        )
        return script_passes, other

    assert passes() == (SAMPLED_PASSES, SAMPLED_PASSES)
    state.preferences.passes = "3:5"
    rows = ((1, 1), (3, 5))
    assert passes() == (PassRange(is_sampled=True, rows=rows), SAMPLED_PASSES)
    state.preferences.passes = "all"
    assert passes() == (ALL_PASSES, ALL_PASSES)
    kept = ((1, 20), (50, 50))
    scope = RecordingScope(passes=SAMPLED_PASSES, first_pass=1, last_pass=50, kept=kept)
    state.show(MemoryReader(replace(linear_trace(), scope=scope), LINEAR_TENSORS))
    change = WhatIfChange(
        target=InputTarget(position=0, name="x"), dtype="float32", shape=(), way="scale"
    )
    same = PassRange(is_sampled=True, rows=kept)
    assert passes((change,)) == (same, same)


def test_a_program_has_no_time_limit_unless_one_is_set(qtbot: QtBot) -> None:
    owner = QObject()
    preferences = Preferences(owner, stored=False)
    program, function = script_offer(Path("train.py")), offer_of(SCENES[0])

    def limits() -> list[float | None]:
        offers = (program, function, None)
        return [preferred_limits(preferences, each).time_s for each in offers]

    assert limits() == [None, 120, 120]
    preferences.time_limit_s = 300
    assert limits() == [300, 300, 300]
    preferences.time_limit_s = 0
    assert limits() == [None, None, None]
