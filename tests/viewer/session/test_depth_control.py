"""The menu for the recording level."""

from __future__ import annotations

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import Actions
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.session.run_controller import DepthController


def checked(actions: Actions) -> list[str]:
    return [each.data() for each in actions.depths.actions() if each.isChecked()]


def test_what_is_chosen_is_preferred_and_shown(qtbot: QtBot) -> None:
    owner = QObject()
    preferences, actions = Preferences(owner, stored=False), Actions(owner)
    DepthController(preferences, actions, owner)
    assert checked(actions) == ["all"]
    for action in actions.depths.actions():
        action.trigger()
        assert preferences.recording_level == action.data()
        assert checked(actions) == [action.data()]
    preferences.recording_level = "ops"
    assert checked(actions) == ["ops"]
    preferences.reset()
    assert checked(actions) == ["all"]


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
