"""The menu for what runs record."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QActionGroup
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import Actions
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.session.run_controller import DepthController


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
