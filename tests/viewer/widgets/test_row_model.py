"""Rows of cells as a model of lists, tables and trees."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot

from gradviz.viewer.widgets.row_model import Cell, RowModel

ROLE = Qt.ItemDataRole
TREE = {"a": ["1", "2"], "b": [], "c": ["3"]}


def cells(*texts: str) -> list[Cell]:
    return [Cell(text=text) for text in texts]


def checked(model: RowModel) -> RowModel:
    """The model, which Qt checks from now on, with warnings."""
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning, model)
    return model


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
