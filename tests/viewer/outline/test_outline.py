"""The Outline panel: the graph as a list."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFontMetrics, QIcon
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.document.outline import graph_outline
from gradviz.model.graph import ModuleCall, Node
from gradviz.model.trace import Trace
from gradviz.viewer.outline.panel import OutlinePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.traces import MemoryReader, failed_reader, linear_reader
from tests.viewer.view_requests import requests_of

MODULES = (
    ModuleCall(id=1, path="Net", class_name="Net", parent=None),
    ModuleCall(id=2, path="layers.3", class_name="Linear", parent=1),
)


def with_modules() -> Trace:
    trace = linear_trace()
    calls = {1: 2, 2: 1}
    nodes = tuple(structs.replace(node, module_call=calls.get(node.id)) for node in trace.nodes)
    return structs.replace(trace, nodes=nodes, modules=MODULES)


@pytest.fixture
def panel(qtbot: QtBot, state: ViewerState) -> OutlinePanel:
    panel = OutlinePanel(state, requests_of(state))
    qtbot.addWidget(panel)
    panel.resize(700, 400)
    panel.show()
    return panel


ROOT = QModelIndex()


def lines(panel: OutlinePanel, parent: QModelIndex = ROOT, depth: int = 0) -> list[str]:
    found = []
    for row in range(panel.view.rows.rowCount(parent)):
        cells = [str(panel.view.rows.index(row, column, parent).data()) for column in range(5)]
        found.append("  " * depth + " | ".join(cells).rstrip(" |"))
        found += lines(panel, panel.view.rows.index(row, 0, parent), depth + 1)
    return found


def spoken(panel: OutlinePanel, node: int) -> str:
    place = panel.view.rows.place_of(node)
    return str(panel.view.rows.data(place, Qt.ItemDataRole.AccessibleTextRole))


def test_nodes_in_the_order_of_the_run_leaves_last(state: ViewerState, panel: OutlinePanel) -> None:
    state.show(linear_reader())
    state.go_to(5)
    assert lines(panel) == [
        "LinearFunctionBackward | now | 2×3 |  | custom Function",
        "SumBackward0 | done | scalar |  | built-in node",
        "Leaves |  |  |  | 2 leaves",
        "  input | to come |  |  | leaf",
        "  weight | to come |  |  | leaf",
    ]
    state.go_to(8)
    assert lines(panel)[3] == "  input | done | 2×2 |  | leaf"


def test_modules_hold_their_nodes(state: ViewerState, panel: OutlinePanel) -> None:
    state.show(MemoryReader(with_modules(), LINEAR_TENSORS))
    state.go_to(5)
    assert lines(panel)[:4] == [
        "Net | now inside |  |  | module",
        "  layers.3 | now inside |  |  | module Linear",
        "    LinearFunctionBackward | now | 2×3 |  | custom Function",
        "  SumBackward0 | done | scalar |  | built-in node",
    ]
    inner = panel.view.rows.place_of(1).parent()
    assert panel.view.rows.row_at(inner).sentence == "layers.3, module Linear"
    state.go_to(4)
    assert lines(panel)[1] == "  layers.3 |  |  |  | module Linear"


def test_inside_a_module_names_are_short(state: ViewerState, panel: OutlinePanel) -> None:
    deeper = ModuleCall(id=2, path="Net.layers.3", class_name="Linear", parent=1)
    state.show(
        MemoryReader(structs.replace(with_modules(), modules=(MODULES[0], deeper)), LINEAR_TENSORS)
    )
    inner = panel.view.rows.place_of(1).parent()
    assert inner.data() == "layers.3"
    assert panel.view.rows.row_at(inner).sentence.startswith("Net.layers.3,")


def test_a_row_is_a_sentence_for_a_screen_reader(state: ViewerState, panel: OutlinePanel) -> None:
    state.show(linear_reader())
    state.go_to(5)
    assert spoken(panel, 1) == "LinearFunctionBackward, custom Function, now, gradient 2×3"
    state.show_hits(frozenset({1}))
    assert spoken(panel, 1).endswith(", found")
    assert not spoken(panel, 2).endswith(", found")


def test_selection_goes_both_ways(state: ViewerState, panel: OutlinePanel) -> None:
    state.show(linear_reader())
    state.select(4)
    assert panel.view.rows.key_at(panel.view.currentIndex()) == 4
    assert panel.view.isExpanded(panel.view.currentIndex().parent())
    panel.view.setCurrentIndex(panel.view.rows.place_of(2))
    assert state.selection == 2
    state.select(None)
    assert panel.view.rows.key_at(panel.view.currentIndex()) is None
    # The group of leaves is no node: the selection stays.
    state.select(3)
    panel.view.setCurrentIndex(panel.view.rows.index(2, 0))
    assert state.selection == 3


def test_keys_walk_and_enter_goes_to_the_step(
    state: ViewerState, panel: OutlinePanel, qtbot: QtBot
) -> None:
    sought: list[int] = []
    requests_of(state).node_requested.connect(sought.append)
    state.show(linear_reader())
    panel.view.setCurrentIndex(panel.view.rows.index(0, 0))
    qtbot.keyClick(panel.view, Qt.Key.Key_Down)
    assert state.selection == 2
    qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    assert (state.number, sought) == (2, [2])
    qtbot.keyClick(panel.view, Qt.Key.Key_Enter)
    assert state.number == 4
    # On a group it opens and closes.
    leaves = panel.view.rows.index(2, 0)
    panel.view.setCurrentIndex(leaves)
    before = panel.view.isExpanded(leaves)
    qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    assert panel.view.isExpanded(leaves) != before
    assert state.number == 4


def test_typing_finds_a_row(state: ViewerState, panel: OutlinePanel, qtbot: QtBot) -> None:
    state.show(linear_reader())
    qtbot.keyClicks(panel.view, "sum")
    assert state.selection == 2


def test_problems_are_reported(state: ViewerState, panel: OutlinePanel) -> None:
    bad = tensor(7, [[np.nan, np.inf], [np.nan, 1.0]])
    pairs = (*LINEAR_TENSORS[:6], bad, LINEAR_TENSORS[7])
    state.show(MemoryReader(linear_trace(), pairs))
    assert panel.view.rows.place_of(1).siblingAtColumn(3).data() == ""
    state.go_to(5)
    assert panel.view.rows.place_of(1).siblingAtColumn(3).data() == "2 NaN, 1 Inf"
    assert "2 NaN" in spoken(panel, 1)
    # What a room is to guess is not given away.
    state.set_answer_hidden()
    assert panel.view.rows.place_of(1).siblingAtColumn(3).data() == ""
    state.set_answer_hidden(False)
    state.show(failed_reader())
    assert panel.view.rows.place_of(1).siblingAtColumn(3).data() == "raises RuntimeError"


def test_a_hidden_outline_does_nothing_and_catches_up(state: ViewerState, qtbot: QtBot) -> None:
    panel = OutlinePanel(state, requests_of(state))
    qtbot.addWidget(panel)
    state.show(linear_reader())
    state.select(2)
    assert panel.view.rows.rowCount() == 0
    panel.show()
    assert panel.view.rows.rowCount() == 3
    assert panel.view.rows.key_at(panel.view.currentIndex()) == 2
    state.show(None)
    assert panel.view.rows.rowCount() == 0
    assert not panel.view.isVisible()


def test_hits_stand_on_the_color_of_hits(state: ViewerState, panel: OutlinePanel) -> None:
    state.show(linear_reader())
    state.show_hits(frozenset({2}))
    for theme in (LIGHT, DARK):
        state.set_theme(theme)
        grounds = [
            panel.view.rows.data(panel.view.rows.place_of(node), Qt.ItemDataRole.BackgroundRole)
            for node in (1, 2)
        ]
        assert grounds == [theme.color("current_line"), theme.color("search_hit")]


def test_ten_thousand_rows_are_quick(state: ViewerState, panel: OutlinePanel) -> None:
    trace = linear_trace()
    many = tuple(
        Node(
            id=number,
            name="MulBackward0",
            kind="builtin",
            sequence_nr=number,
            call=None,
            variable=None,
            variable_name="",
            made_by=None,
            module_call=None,
        )
        for number in range(5, 10_005)
    )
    large = structs.replace(trace, nodes=(*trace.nodes, *many))
    assert len(graph_outline(index_trace(large)).all_keys()) == 10_005
    state.show(MemoryReader(large, LINEAR_TENSORS))
    panel.view.viewport().repaint()
    begin = time.process_time()
    for number in range(1, 9):
        state.go_to(number)
        panel.view.viewport().repaint()
    assert time.process_time() - begin < 8 * 0.1


def test_a_hostile_name_is_plain_text(state: ViewerState, panel: OutlinePanel) -> None:
    trace = linear_trace()
    nodes = (structs.replace(trace.nodes[0], name="<b>x</b>"), *trace.nodes[1:])
    state.show(MemoryReader(structs.replace(trace, nodes=nodes), LINEAR_TENSORS))
    place = panel.view.rows.place_of(1)
    assert place.data() == "<b>x</b>"
    assert "&lt;b&gt;" in place.data(Qt.ItemDataRole.ToolTipRole)


@pytest.mark.parametrize("scale", [1.0, 1.6])
def test_how_far_a_node_is_can_be_read_in_a_narrow_panel(
    state: ViewerState, panel: OutlinePanel, scale: float
) -> None:
    state.set_theme(replace(LIGHT, scale=scale))
    panel.resize(round(270 * scale), 300)
    state.show(linear_reader())
    font = state.theme.font(bold=True)
    for text in ("now inside", "not reached", "to come"):
        width = QFontMetrics(font).horizontalAdvance(text)
        assert width + 8 <= panel.view.columnWidth(1)


def test_names_are_readable_in_a_panel_that_was_hidden(qtbot: QtBot, state: ViewerState) -> None:
    panel = OutlinePanel(state, requests_of(state))
    qtbot.addWidget(panel)
    panel.resize(340, 600)
    state.show(linear_reader())
    panel.show()
    assert panel.view.columnWidth(0) > 200


def test_a_narrow_panel_shows_the_columns_that_fit(state: ViewerState, panel: OutlinePanel) -> None:
    state.show(failed_reader())
    hidden = []
    for width in (339, 430, 700):
        panel.resize(width, 300)
        QApplication.processEvents()
        assert not panel.view.horizontalScrollBar().maximum()
        hidden.append([panel.view.isColumnHidden(column) for column in range(5)])
    first, *_, last = hidden
    assert first[:2] == [False, False]
    assert first[3:] == [True, True]
    assert not any(last)
    # The column of problems is hidden, but not the problem.
    assert isinstance(panel.view.rows.place_of(1).data(Qt.ItemDataRole.DecorationRole), QIcon)
    assert panel.view.rows.place_of(2).data(Qt.ItemDataRole.DecorationRole) is None
