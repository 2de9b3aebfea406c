"""The list of changes: one per target; enabled, disabled, edited and removed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.model.what_if import InputTarget, WhatIfChange
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.what_if.change_list import ChangeList
from gradviz.viewer.what_if.panel import ChangeListView
from tests.viewer.column_texts import column_texts

X, Y = InputTarget(position=0, name="x"), InputTarget(position=1, name="y")


def scaled(target: InputTarget, factor: float) -> WhatIfChange:
    return WhatIfChange(target=target, dtype="float32", shape=(2,), way="scale", factor=factor)


@pytest.fixture
def plan() -> ChangeList:
    plan = ChangeList()
    plan.put(scaled(X, 2))
    plan.put(scaled(Y, 3))
    return plan


def test_each_target_has_one_change(plan: ChangeList, qtbot: QtBot) -> None:
    with qtbot.waitSignal(plan.changed):
        plan.put(scaled(X, 5))
    assert plan.chosen == (scaled(Y, 3), scaled(X, 5))
    assert plan.of(X) == scaled(X, 5)
    plan.drop(X)
    assert plan.of(X) is None
    plan.clear()
    assert plan.entries == ()


def test_what_is_switched_off_stays_in_the_list(plan: ChangeList) -> None:
    plan.switch(X, on=False)
    assert plan.chosen == (scaled(Y, 3),)
    plan.switch_all_off()
    assert plan.chosen == ()
    assert len(plan.entries) == 2


def test_the_list_by_keyboard(plan: ChangeList, qtbot: QtBot) -> None:
    shown = ChangeListView(plan, LIGHT)
    qtbot.addWidget(shown)
    shown.show()
    assert column_texts(shown, 0) == [
        "x multiplied by 2",
        "y multiplied by 3",
    ]
    shown.go_to(Y)
    qtbot.keyClick(shown, Qt.Key.Key_Space)
    assert plan.chosen == (scaled(X, 2),)
    assert shown.current_key == Y
    with qtbot.waitSignal(shown.edit_requested) as asked:
        qtbot.keyClick(shown, Qt.Key.Key_Return)
    assert asked.args == [Y]
    qtbot.keyClick(shown, Qt.Key.Key_Delete)
    assert [entry.change.target for entry in plan.entries] == [X]
    qtbot.keyClick(shown, Qt.Key.Key_Delete)
    qtbot.keyClick(shown, Qt.Key.Key_Delete)
    assert plan.entries == ()
