"""The Ops panel: its rows at each step, and navigating from them."""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import Any, cast

import pytest
from msgspec import structs
from msgspec.structs import replace
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.ops import LINE, OpRow
from gradviz.model.inside import Inside
from gradviz.model.item import object_item
from gradviz.viewer.actions import Actions
from gradviz.viewer.ops.panel import OpsPanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.theme.theme import DARK, LIGHT
from tests.viewer.inside_traces import BACKWARD, DEEP_TENSORS, deep_reader, deep_trace, many_ops
from tests.viewer.traces import MemoryReader
from tests.viewer.view_requests import requests_of

BACK = TracePosition(step=5, stage="backward")
MUL = replace(BACK, line=2, op=2)


@pytest.fixture
def actions(qtbot: QtBot) -> Actions:
    owner = QObject(QApplication.instance())
    return Actions(owner)


@pytest.fixture
def panel(qtbot: QtBot, state: ViewerState, actions: Actions) -> OpsPanel:
    panel = OpsPanel(state, requests_of(state), actions)
    qtbot.addWidget(panel)
    panel.resize(800, 400)
    panel.show()
    return panel


OP, NOTE = 0, 3
ROLE = Qt.ItemDataRole


def rows(panel: OpsPanel) -> list[OpRow]:
    return cast("list[OpRow]", panel.view.rows.document.all_keys())


def cell(panel: OpsPanel, row: Hashable, column: int = OP, role: int = ROLE.DisplayRole) -> Any:
    return panel.view.rows.place_of(row, column).data(role)


def texts(panel: OpsPanel) -> list[str]:
    cells = ([cell(panel, row, column) for column in range(6)] for row in rows(panel))
    return [" | ".join(each).rstrip(" |") for each in cells]


def row_of(panel: OpsPanel, place: TracePosition) -> OpRow:
    assert panel.step is not None
    row = panel.step.key_of(place)
    assert row in rows(panel)
    return row


def now(panel: OpsPanel) -> list[OpRow]:
    model = panel.view.rows
    return [row for row in rows(panel) if model.row_at(model.place_of(row)).is_now]


def test_the_ops_of_a_step_stand_below_their_lines(panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.go_to(5)
    assert texts(panel) == [
        "backward of LinearFunction: 6 ops",
        "line 10: grad_input = grad_output.mm(weight.t())",
        "aten::t | self 2×3 | 3×2 |  | 870 ns | line 10",
        "aten::mm | self 2×3, mat2 3×2 | 2×2 |  | 36.4 µs | line 10",
        "line 11: grad_input.mul_(1)",
        "aten::mul_.Scalar | self 2×2, other=1 | 2×2 | writes into self | 4.20 µs | line 11",
        "line 21: return np.linalg.norm(x.numpy())",
        "Tensor.numpy | self 2×2 |  | not tracked by autograd | 4.20 µs | line 21",
        "lines 13 to 17: return ( …",
        "aten::t | self 2×2 | 2×2 |  | 4.20 µs | line 13",
        "aten::mm | self 2×2, mat2 2×3 | 2×3 |  | 4.20 µs | line 13",
        "engine checks after LinearFunction: no ops recorded",
    ]
    assert panel.note == "Tensors are float64 on cpu unless noted."
    tip = cell(panel, rows(panel)[7], NOTE, ROLE.ToolTipRole)
    assert "no gradient flows through it" in tip


def test_without_lines_the_number_of_each_is_known_from_its_ops(
    panel: OpsPanel, state: ViewerState
) -> None:
    state.show(deep_reader("ops"))
    state.go_to(5)
    shown = texts(panel)
    assert shown[1] == "line 10: grad_input = grad_output.mm(weight.t())"
    panel.view.chosen.emit(rows(panel)[1], OP)
    assert state.place == replace(BACK, op=0)
    assert now(panel) == [rows(panel)[2]]


def test_unusual_values_are_labeled_and_highlighted(panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.go_to(4)
    row = row_of(panel, TracePosition(step=4, stage="backward", op=0))
    assert texts(panel)[rows(panel).index(row)] == (
        "aten::expand | self scalar, like 1×2 int64, size=[2, 3] | 2×3 |  | 4.20 µs | engine"
    )
    assert cell(panel, row, 1, ROLE.ForegroundRole) == LIGHT.color("accent")
    assert cell(panel, row, 2, ROLE.ForegroundRole) is None


def test_text_from_outside_stays_plain_and_in_its_cell(panel: OpsPanel, state: ViewerState) -> None:
    odd = object_item("a\tb", "<img src=x>\n" + "y" * 100)
    ops = (structs.replace(BACKWARD.ops[0], name="<b>x</b>", inputs=(odd,)),)
    inside = Inside(id=5, parts=(structs.replace(BACKWARD, ops=ops),))
    state.show(MemoryReader(structs.replace(deep_trace(), insides=(inside,)), DEEP_TENSORS))
    state.go_to(5)
    row = rows(panel)[2]
    assert panel.view.rows.document.table.splitlines()[3].count("\t") == 5
    shown = cell(panel, row, 1)
    assert shown == "a b=<img src=x> " + "y" * 27 + "…"
    assert "<img" not in cell(panel, row, 1, ROLE.ToolTipRole)


def test_the_row_of_the_place_is_marked_and_in_sight(panel: OpsPanel, state: ViewerState) -> None:
    state.show(many_ops(20_000))
    state.go_to_place(replace(BACK, op=15_000), "op")
    row = row_of(panel, replace(BACK, op=15_000))
    assert panel.view.current_key == row
    rect = panel.view.visualRect(panel.view.rows.place_of(row))
    assert panel.view.viewport().rect().intersects(rect)
    assert cell(panel, row, OP, ROLE.AccessibleTextRole).startswith("Current: ")
    assert cell(panel, rows(panel)[-2]) == "1,234 more ops ran that were not recorded"


def test_a_line_without_ops_says_so(panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.go_to_place(replace(BACK, line=0), "line")
    assert now(panel) == []
    assert panel.note.startswith("No ops were recorded in line 9. ")
    state.go_to_place(replace(BACK, line=1), "line")
    assert now(panel) == [rows(panel)[1]]
    assert "No op was recorded" not in panel.note


def test_a_click_and_enter_go_to_the_row(qtbot: QtBot, panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.go_to(5)
    click(qtbot, panel, row_of(panel, MUL), OP)
    assert (state.place, state.level) == (MUL, "op")
    click(qtbot, panel, row_of(panel, MUL), LINE)
    assert (state.place, state.level) == (replace(BACK, line=2), "line")
    qtbot.keyClick(panel.view, Qt.Key.Key_Up)
    assert state.place == replace(BACK, line=2)
    qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    assert (state.place, state.level) == (replace(BACK, line=1, op=1), "op")


def click(qtbot: QtBot, panel: OpsPanel, row: OpRow, column: int) -> None:
    place = panel.view.visualRect(panel.view.rows.place_of(row, column)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_right_and_left_step(qtbot: QtBot, panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.go_to_place(MUL, "op")
    qtbot.keyClick(panel.view, Qt.Key.Key_Right)
    assert state.place is not None
    assert state.place.key > MUL.key
    qtbot.keyClick(panel.view, Qt.Key.Key_Left)
    assert state.place == MUL


def test_a_step_without_ops_says_why(panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.go_to(3)
    assert panel.absent.text == ("This step only marks a point in the run; it computes nothing.")
    state.go_to(6)
    assert panel.absent.text == "No ops were recorded in this step."
    assert panel.absent.isVisible()
    assert panel.absent.button.isHidden()


def test_a_run_recorded_by_nodes_can_be_run_again_deeper(
    qtbot: QtBot, panel: OpsPanel, state: ViewerState, actions: Actions
) -> None:
    state.show(deep_reader("nodes"))
    with qtbot.waitSignal(actions.record_lines.triggered):
        qtbot.mouseClick(panel.absent.button, Qt.MouseButton.LeftButton)
    actions.run.setEnabled(False)
    assert panel.absent.button.isHidden()
    assert "gradviz record --level ops" in panel.absent.text


def test_nothing_of_a_hidden_step_is_shown(panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.set_quiz_mode()
    state.go_to(4)
    assert state.revealed.hides_answer
    assert rows(panel) == []
    assert panel.head.isHidden()
    assert "hidden until the answer is revealed" in panel.absent.text
    state.set_answer_hidden(False)
    assert len(rows(panel)) == 2
    assert not panel.head.isHidden()


def test_a_built_in_node_shows_op_formula_and_saved_values(
    panel: OpsPanel, state: ViewerState
) -> None:
    state.show(deep_reader())
    state.go_to(4)
    assert panel.head.texts == (
        "SumBackward0",
        "created by sum",
        "grad_self = expand(grad, self.shape)",
    )
    panel.head.jump_requested.emit(panel.head.jump)
    assert state.number == 2
    state.go_to(5)
    assert panel.head.isHidden()


def test_in_a_low_panel_the_head_is_one_line(panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.go_to(4)
    QApplication.processEvents()
    high = panel.head.height()
    panel.resize(800, 150)
    QApplication.processEvents()
    assert panel.head.height() < high
    assert panel.head.texts == ("SumBackward0", "grad_self = expand(grad, self.shape)")
    panel.resize(800, 400)
    QApplication.processEvents()
    assert panel.head.height() == high


def test_times_that_were_not_measured_are_a_dash(panel: OpsPanel, state: ViewerState) -> None:
    ops = tuple(structs.replace(each, duration_ns=None) for each in BACKWARD.ops)
    inside = Inside(id=5, parts=(structs.replace(BACKWARD, ops=ops),))
    state.show(MemoryReader(structs.replace(deep_trace(), insides=(inside,)), DEEP_TENSORS))
    state.go_to(5)
    assert "aten::t | self 2×3 | 3×2 |  | – | line 10" in texts(panel)
    assert panel.note.endswith("Times were not measured.")


# The offscreen platform has no keyboard that a menu could grab, and says so.
@pytest.mark.qt_log_ignore("grabbing the (keyboard|mouse)")
def test_the_menu_copies_goes_and_shows_large(
    qtbot: QtBot, panel: OpsPanel, state: ViewerState
) -> None:
    state.show(deep_reader())
    state.go_to(5)
    rect = panel.view.visualRect(panel.view.rows.place_of(rows(panel)[3]))
    menu = panel.view.menu.open(rect.center())
    assert menu is not None
    entries = {action.text(): action for action in menu.actions() if action.text()}
    assert list(entries) == [
        "&Go to Op",
        "&Enlarge self",
        "&Enlarge mat2",
        "&Enlarge output",
        "&Copy Row",
        "Copy &Table",
    ]
    entries["&Copy Row"].trigger()
    assert QGuiApplication.clipboard().text().split("\t")[:3] == [
        "aten::mm",
        "self 2×3, mat2 3×2",
        "2×2",
    ]
    entries["Copy &Table"].trigger()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 13
    with qtbot.waitSignal(requests_of(state).tensor_requested) as sought:
        entries["&Enlarge mat2"].trigger()
    assert sought.args == [TensorRef(tensor=9, name="mat2", step=5)]
    entries["&Go to Op"].trigger()
    assert state.place == replace(BACK, line=1, op=1)
    menu.close()
    assert panel.view.menu.open(QPoint(5, panel.view.viewport().height() - 2)) is None


def test_a_trace_that_is_closed_leaves_nothing(panel: OpsPanel, state: ViewerState) -> None:
    state.show(deep_reader())
    state.go_to(5)
    state.set_theme(DARK)
    state.show(None)
    assert rows(panel) == []
    assert panel.absent.text == "The ops within a step are listed here."


def test_a_trace_that_a_check_appended_to_is_shown_with_its_new_index(
    panel: OpsPanel, state: ViewerState
) -> None:
    state.show(deep_reader())
    state.go_to_place(MUL, "op")
    before = texts(panel)
    reader = many_ops(3)
    state.show_appended(reader, index_trace(reader.trace(), reader.value))
    assert sum(row.kind == "op" for row in rows(panel)) == 3
    reader = deep_reader()
    state.show_appended(reader, index_trace(reader.trace(), reader.value))
    assert texts(panel) == before
    assert now(panel) == [row_of(panel, MUL)]


@pytest.mark.sweep
def test_stepping_among_very_many_ops_costs_as_little_as_among_few(
    panel: OpsPanel, state: ViewerState
) -> None:
    few, many = (_time_of_steps(panel, state, count) for count in (200, 20_000))
    assert many < 12 * few


def _time_of_steps(panel: OpsPanel, state: ViewerState, count: int) -> float:
    state.show(many_ops(count))
    state.go_to_place(replace(BACK, op=100), "op")
    panel.view.viewport().repaint()
    best = 1e9
    for _ in range(5):
        begun = time.process_time()
        for op in range(101, 111):
            state.go_to_place(replace(BACK, op=op), "op")
            panel.view.viewport().repaint()
        best = min(best, time.process_time() - begun)
    return best


def test_behind_another_tab_it_changes_when_it_comes_to_the_front(
    qtbot: QtBot, state: ViewerState, actions: Actions
) -> None:
    panel = OpsPanel(state, requests_of(state), actions)
    window, front, behind = QMainWindow(), QDockWidget("front"), QDockWidget("ops")
    qtbot.addWidget(window)
    behind.setWidget(panel)
    behind.visibilityChanged.connect(panel.on_dock_visibility_changed)
    for dock in (behind, front):
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    window.tabifyDockWidget(behind, front)
    front.raise_()
    window.show()
    QApplication.processEvents()
    state.show(deep_reader())
    state.go_to(5)
    assert not texts(panel)
    behind.raise_()
    QApplication.processEvents()
    assert texts(panel)[0] == "backward of LinearFunction: 6 ops"
