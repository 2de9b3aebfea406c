"""A button follows its action, however often that changes."""

from __future__ import annotations

from PySide6.QtCore import SIGNAL
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from gradviz.viewer.widgets.action_button import ActionButton


def test_it_shows_the_state_of_its_action_and_triggers_it(qtbot: QtBot) -> None:
    action = QAction("&Play")
    button = ActionButton(action)
    qtbot.addWidget(button)
    action.setCheckable(True)
    action.setText("&Pause && Go")
    action.setToolTip("Pause or go")
    assert (button.text(), button.toolTip()) == ("Pause && Go", "Pause or go")
    button.click()
    assert action.isChecked()
    action.setChecked(False)
    action.setEnabled(False)
    assert not button.isChecked()
    assert not button.isEnabled()


def test_changes_add_no_connections(qtbot: QtBot) -> None:
    action = QAction("Next")
    button = ActionButton(action)
    qtbot.addWidget(button)
    connections = action.receivers(SIGNAL("changed()"))
    for step in range(20):
        action.setEnabled(step % 2 == 0)
    assert action.receivers(SIGNAL("changed()")) == connections


def test_a_mnemonic_is_not_shown(qtbot: QtBot) -> None:
    action = QAction("返回(&B)")
    button = ActionButton(action)
    qtbot.addWidget(button)
    assert (button.text(), button.toolTip()) == ("返回", "返回")
    action.setIconText("Back")
    assert (button.text(), button.toolTip()) == ("Back", "返回")
