"""A list of rows, with boxes that the user can check."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from gradviz.viewer.widgets.row_list import RowList
from gradviz.viewer.widgets.row_model import Cell

ROLE = Qt.ItemDataRole


@pytest.fixture
def shown(qtbot: QtBot) -> RowList:
    shown = RowList()
    qtbot.addWidget(shown)
    boxed = Cell(text="two", tip="<b>", spoken="two, boxed", checked=True)
    shown.show_rows([Cell(text="one"), boxed])
    shown.show()
    return shown


def test_a_row_has_text_tip_name_and_box(shown: RowList) -> None:
    first, second = (shown.row_model.index(row, 0) for row in range(2))
    roles = ROLE.DisplayRole, ROLE.AccessibleTextRole, ROLE.ToolTipRole, ROLE.CheckStateRole
    assert [first.data(role) for role in roles] == ["one", None, None, None]
    assert second.data(ROLE.AccessibleTextRole) == "two, boxed"
    assert "<b>" not in str(second.data(ROLE.ToolTipRole))
    assert second.data(ROLE.CheckStateRole) == Qt.CheckState.Checked
    assert not first.flags() & Qt.ItemFlag.ItemIsUserCheckable


def test_the_current_row_stays_while_rows_are_updated(shown: RowList) -> None:
    heard: list[int] = []
    shown.row_changed.connect(heard.append)
    shown.go_to(1)
    assert (heard, shown.current_row) == ([1], 1)
    shown.update_rows([Cell(text="1"), Cell(text="2")])
    assert (shown.current_row, [row.text for row in shown.rows]) == (1, ["1", "2"])
    shown.show_rows([])
    assert shown.current_row == -1
    assert heard == [1]


def test_space_and_clicks_are_heard(shown: RowList, qtbot: QtBot) -> None:
    toggled: list[tuple[int, bool]] = []
    shown.row_model.toggled.connect(lambda row, on: toggled.append((row, on)))
    shown.go_to(1)
    qtbot.keyClick(shown, Qt.Key.Key_Space)
    assert toggled == [(1, False)]
    assert shown.rows[1].checked, "its owner decides"
    place = shown.visualRect(shown.row_model.index(0, 0)).center()
    with qtbot.waitSignal(shown.row_clicked) as clicked:
        qtbot.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked.args == [0]
    assert isinstance(shown, QListView)
