"""Rows of cells as a model of lists, tables and trees."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot

from gradviz.viewer.widgets.row_model import Cell, RowModel
from gradviz.viewer.widgets.row_table import RowTable

ROLE = Qt.ItemDataRole
TREE = {"a": ["1", "2"], "b": [], "c": ["3"]}


def cells(*texts: str) -> list[Cell]:
    return [Cell(text=text) for text in texts]


@pytest.fixture
def table(qtbot: QtBot) -> RowTable:
    table = RowTable()
    qtbot.addWidget(table)
    table.row_model.set_titles(("left", "right"), ("x",))
    table.row_model.show([cells("1", "2"), cells("3"), cells("5", "6")])
    return table


def checked(model: RowModel) -> RowModel:
    """The model, which Qt checks from now on, with warnings."""
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning, model)
    return model


def test_a_table_has_titles_and_rows_that_may_be_short(table: RowTable) -> None:
    model = checked(table.row_model)
    assert (model.rowCount(), model.columnCount()) == (3, 2)
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    assert [model.headerData(at, across) for at in range(2)] == ["left", "right"]
    assert [model.headerData(at, down) for at in range(2)] == ["x", None]
    assert [model.index(row, 1).data() for row in range(3)] == ["2", "", "6"]
    assert not model.index(1, 2).isValid()
    assert not model.index(3, 0).isValid()
    model.set_titles(("left", "middle", "right"))
    model.show([cells("1")])
    assert (model.rowCount(), model.columnCount()) == (1, 3)


def test_some_rows_are_replaced_and_the_current_one_stays(table: RowTable) -> None:
    heard: list[int] = []
    table.row_changed.connect(heard.append)
    table.go_to(2, 1)
    table.go_to(2)
    checked(table.row_model).update([cells("7", "8")], first=2)
    texts = [[each.text for each in row] for row in table.row_model.rows]
    assert texts == [["1", "2"], ["3"], ["7", "8"]]
    assert (heard, table.current_row) == ([2], 2)
    table.row_model.show([])
    assert table.current_row == -1


def test_a_cell_that_was_replaced_while_it_was_clicked_is_not_activated(table: RowTable) -> None:
    chosen: list[tuple[int, int]] = []
    table.cell_chosen.connect(lambda row, column: chosen.append((row, column)))
    place = QPersistentModelIndex(table.row_model.index(2, 1))
    table.clicked.emit(QModelIndex(place))
    table.row_model.show([cells("other")])
    table.activated.emit(QModelIndex(place))
    assert chosen == [(2, 1)]


def test_a_tree_has_headings_that_cannot_be_selected(qtbot: QtBot) -> None:
    view = QTreeView()
    qtbot.addWidget(view)
    model = checked(RowModel(view))
    view.setModel(model)
    below = [[cells(text) for text in texts] for texts in TREE.values()]
    model.show([cells(name) for name in TREE], below)
    found = {}
    for heading in (model.index(at, 0) for at in range(model.rowCount())):
        rows = [model.index(at, 0, heading) for at in range(model.rowCount(heading))]
        found[heading.data()] = [row.data() for row in rows]
        assert heading.flags() == Qt.ItemFlag.ItemIsEnabled
        assert all(row.flags() & Qt.ItemFlag.ItemIsSelectable for row in rows)
        assert all(row.parent() == heading for row in rows)
        assert all(model.rowCount(row) == 0 for row in rows)
    assert found == TREE
    assert model.parent(QModelIndex()) == QModelIndex()
    assert model.parent() is view
    model.show([cells("alone")])
    assert model.rowCount(model.index(0, 0)) == 0
