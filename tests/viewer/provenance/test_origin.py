"""The origin of a NaN: the sentence, the elements around it, the path, and navigation."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow
from pytestqt.qtbot import QtBot

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.values.non_finite_reach import NonFiniteReach
from gradviz.model.inside import Inside
from gradviz.model.item import tensor_item
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.provenance.panel import ProvenanceController, ProvenancePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef, OriginQuery
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import DARK, LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.inside_builder import INSIDE_TENSORS, inside_trace, op, part
from tests.viewer.traces import MemoryReader, linear_reader
from tests.viewer.view_requests import requests_of

DOUBLED = [[2.0, np.nan, 2.0], [2.0, 2.0, 2.0]]


def spoilt_reader() -> MemoryReader:
    """The backward of the linear scene, in which doubling in place makes a NaN."""
    record, value = tensor(10, DOUBLED)
    weight = tensor(8, [[4.0, np.nan, 4.0], [8.0, np.nan, 8.0]])
    changed = {10: (replace(record, storage=9, version=1), value), 8: weight}
    pairs = tuple(changed.get(each[0].id, each) for each in INSIDE_TENSORS)
    return MemoryReader(inside_trace(), pairs)


class OriginDriver:
    """Drives a window with the dock and the inspector."""

    def __init__(self, qtbot: QtBot, *, background: Background | None = None) -> None:
        self.qtbot = qtbot
        self.state = ViewerState(LIGHT)
        self.window = QMainWindow()
        self.actions = Actions(self.window)
        self.panel = ProvenancePanel(self.state, requests_of(self.state), background, self.actions)
        self.dock = QDockWidget()
        self.dock.setWidget(self.panel)
        self.window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.dock)
        self.inspector = Inspector(self.state, requests_of(self.state))
        self.window.setCentralWidget(self.inspector)
        self.control = ProvenanceController(
            self.state, requests_of(self.state), self.actions, self.dock, self.window
        )
        self.dock.hide()
        qtbot.addWidget(self.window)
        self.window.resize(1100, 900)
        self.window.show()
        qtbot.waitExposed(self.window)

    @property
    def view(self) -> object:
        return self.panel.origin.view


@pytest.fixture
def driver(qtbot: QtBot) -> OriginDriver:
    driver = OriginDriver(qtbot)
    driver.state.show(spoilt_reader())
    return driver


def test_the_first_of_the_run_is_found_and_told(driver: OriginDriver) -> None:
    driver.actions.find_origin.trigger()
    page = driver.panel.origin
    assert driver.dock.isVisible()
    assert page.view.isVisible()
    assert page.view.sentence.text() == (
        "NaN first appears in LinearFunction.backward, line 6, aten::mul_: output[0, 1] "
        "is nan, computed from self[0, 1] = 1."
    )
    titles = [patch.title.text() for patch in page.view.patches if not patch.isHidden()]
    assert titles == ["output 2×3", "self 2×3"]
    table = page.view.patches[0].table
    assert table.model().index(0, 2).data() == "▸ nan"
    assert table.accessibleDescription() == "output[0, 1] is nan"


def test_the_way_leads_from_the_op_to_where_it_was_seen(driver: OriginDriver) -> None:
    requests_of(driver.state).find_origin(OriginQuery(tensor=8, name="weight.grad", step=7))
    view = driver.panel.origin.view
    assert view.shown_origin is not None
    stops = view.shown_origin.stops
    assert [(stop.what, stop.place.step) for stop in stops] == [
        ("aten::mul_", 5),
        ("aten::mm", 5),
        ("weight", 7),
    ]
    assert stops[1].note == "mat2[0, 1] goes into output[0, 1]"
    assert view.path.rows.document.row(0).texts[1] == "line 6 · step 5"


def test_go_there_goes_to_the_op_and_pins_the_element(driver: OriginDriver) -> None:
    driver.actions.find_origin.trigger()
    driver.qtbot.mouseClick(driver.panel.origin.view.go, Qt.MouseButton.LeftButton)
    place = driver.state.place
    assert place is not None
    assert (place.step, place.stage, place.level) == (5, "backward", "op")
    assert driver.state.element == ElementRef(tensor=10, index=(0, 1))


def test_the_way_is_walked_by_keys(driver: OriginDriver) -> None:
    requests_of(driver.state).find_origin(OriginQuery(tensor=8, name="weight.grad", step=7))
    path = driver.panel.origin.view.path
    path.setFocus()
    path.go_to(0)
    driver.qtbot.keyClick(path, Qt.Key.Key_Down)
    driver.qtbot.keyClick(path, Qt.Key.Key_Return)
    assert driver.state.place is not None
    assert driver.state.place.step == 5
    assert driver.state.element == ElementRef(tensor=8, index=(0, 1))


def test_an_element_of_the_table_can_be_pinned(driver: OriginDriver) -> None:
    driver.actions.find_origin.trigger()
    table = driver.panel.origin.view.patches[1].table
    rect = table.visualRect(table.model().index(1, 3))
    driver.qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert driver.state.element == ElementRef(tensor=9, index=(1, 2))


def weight_gradient(driver: OriginDriver) -> TensorView:
    return next(
        each
        for each in driver.inspector.findChildren(TensorView)
        if each.display is not None and each.display.record.id == 8
    )


def test_a_double_click_on_a_nan_asks(driver: OriginDriver) -> None:
    driver.state.go_to(7)
    view = weight_gradient(driver)
    heatmap = view.heatmap
    box = heatmap.cell_rect(1, 1).center().toPoint()
    driver.qtbot.mouseDClick(heatmap, Qt.MouseButton.LeftButton, pos=box)
    query = driver.panel.origin.answer.query
    assert query is not None
    assert (query.tensor, query.index) == (8, (1, 1))


def test_a_double_click_on_their_count_asks_about_the_first(driver: OriginDriver) -> None:
    driver.state.go_to(7)
    view = weight_gradient(driver)
    pill = next(each for each in view.pills if each.text() == "2 NaN")
    driver.qtbot.mouseDClick(pill, Qt.MouseButton.LeftButton)
    query = driver.panel.origin.answer.query
    assert query is not None
    assert (query.tensor, query.index) == (8, (0, 1))


def test_a_run_without_problems_says_so(driver: OriginDriver) -> None:
    driver.state.show(linear_reader())
    driver.actions.find_origin.trigger()
    assert driver.panel.origin.text == "No recorded value of this run is NaN or infinite."
    requests_of(driver.state).find_origin(OriginQuery(tensor=3, name="output", step=1))
    assert driver.panel.origin.text == "No element of output is NaN, infinite or very large."


def test_a_normal_element_is_reported_as_such(driver: OriginDriver) -> None:
    driver.state.pin(ElementRef(tensor=8, index=(0, 0)))
    driver.actions.find_origin.trigger()
    page = driver.panel.origin
    assert page.text.endswith("[0, 0] is not NaN, infinite, zero or very large.")
    page.bar.kinds.setCurrentIndex(page.bar.kinds.findData("nan"))
    assert page.text.endswith("[0, 0] is not NaN.")
    page.bar.kinds.setCurrentIndex(page.bar.kinds.findData("large"))
    page.bar.limit_field.setText("3")
    page.bar.limit_field.editingFinished.emit()
    assert page.view.sentence.text().startswith("An element beyond 3 first appears in ")


def test_what_is_large_is_for_the_user_to_say(driver: OriginDriver) -> None:
    bar = driver.panel.origin.bar
    requests_of(driver.state).find_origin(OriginQuery(tensor=4, name="L", step=2))
    bar.kinds.setCurrentIndex(bar.kinds.findData("large"))
    assert bar.limit_field.isVisible()
    assert driver.panel.origin.text == "No element of L is larger than 1e+06."
    bar.limit_field.setText("15")
    bar.limit_field.editingFinished.emit()
    view = driver.panel.origin.view
    assert view.sentence.text().startswith("An element beyond 15 first appears in ")
    assert "output[1, 2] is 19" in view.sentence.text()


def test_what_only_an_op_has_made_is_found(driver: OriginDriver) -> None:
    ops = (
        op("aten::exp", (tensor_item("self", 1),), (tensor_item("output", 11),)),
        op("aten::log", (tensor_item("self", 11),), (tensor_item("output", 2),)),
    )
    inside = Inside(id=1, parts=(part("forward", ops=ops),))
    tensors = (*LINEAR_TENSORS, tensor(11, [[1e9, 0.0], [0.0, 0.0]]))
    driver.state.show(MemoryReader(replace(linear_trace(), insides=(inside,)), tensors))
    bar = driver.panel.origin.bar
    bar.kinds.setCurrentIndex(bar.kinds.findData("large"))
    bar.first_requested.emit()
    answer = driver.panel.origin.answer
    assert answer is not None
    assert answer.query is not None
    assert (answer.query.name, answer.query.step) == ("the output of aten::exp", 1)
    assert "output[0, 0] is 1e+09" in driver.panel.origin.view.sentence.text()


def test_without_ops_the_node_is_reported_and_what_is_lost(
    qtbot: QtBot, driver: OriginDriver
) -> None:
    pairs = {8: tensor(8, [[np.nan] * 3, [0.0] * 3])}
    reader = MemoryReader(
        linear_trace(), tuple(pairs.get(each[0].id, each) for each in LINEAR_TENSORS)
    )
    driver.state.show(reader)
    driver.actions.find_origin.trigger()
    view = driver.panel.origin.view
    assert view.sentence.text() == (
        "NaN first appears in LinearFunction.backward: weight[0, 0] is nan. It is not "
        "known which elements of grad_output, input and weight it was computed from."
    )
    assert "without ops" in view.note.text()
    # There is nothing to run again: the trace was opened.
    driver.actions.run.setEnabled(False)
    assert driver.panel.origin.deeper.isHidden()
    driver.actions.run.setEnabled(True)
    with qtbot.waitSignal(driver.actions.record_lines.triggered):
        qtbot.mouseClick(driver.panel.origin.deeper, Qt.MouseButton.LeftButton)


def test_quiz_mode_hides_the_answer(driver: OriginDriver) -> None:
    driver.state.set_quiz_mode()
    driver.actions.find_origin.trigger()
    assert driver.panel.origin.text == "No such value is known up to step 1."
    while driver.state.number < 5:
        driver.state.next_step()
    assert driver.state.revealed.hides_answer
    assert not driver.actions.find_origin.isEnabled()
    requests_of(driver.state).find_origin(OriginQuery(tensor=8, name="weight", step=5))
    assert "until the answer is revealed" in driver.panel.origin.text
    driver.state.set_answer_hidden(False)
    requests_of(driver.state).find_origin(OriginQuery(tensor=8, name="weight", step=5))
    assert driver.panel.origin.text == ""


def test_a_problem_mark_links_to_its_origin(driver: OriginDriver) -> None:
    assert driver.state.index is not None
    driver.state.select(4)
    driver.state.index.finite.look()
    driver.state.set_reach(NonFiniteReach(driver.state.index))
    driver.actions.find_node_origin.trigger()
    query = driver.panel.origin.answer.query
    assert query is not None
    assert (query.tensor, query.step) == (8, 7)
    # The node that makes the gradient for another leaf has no NaN.
    driver.state.select(3)
    assert not driver.actions.find_node_origin.isEnabled()


def test_in_the_background_the_latest_question_is_answered(qtbot: QtBot) -> None:
    background = Background()
    driver = OriginDriver(qtbot, background=background)
    driver.state.show(spoilt_reader())
    requests_of(driver.state).find_origin(OriginQuery(tensor=3, name="output", step=1))
    with qtbot.waitSignal(driver.panel.origin.answered):
        driver.actions.find_origin.trigger()
    assert driver.panel.origin.view.sentence.text().startswith("NaN first appears")
    background.close()


def test_it_follows_the_theme_and_another_trace(driver: OriginDriver) -> None:
    driver.actions.find_origin.trigger()
    driver.state.set_theme(DARK)
    table = driver.panel.origin.view.patches[0].table
    role = Qt.ItemDataRole.ForegroundRole
    assert table.model().index(0, 2).data(role) == DARK.color("text_muted")
    assert driver.state.index is not None
    driver.state.index.finite.look()
    driver.state.set_reach(NonFiniteReach(driver.state.index))
    # It reaches the gradient of a leaf.
    assert table.model().index(0, 2).data(role) == DARK.color("error")
    driver.state.show(None)
    assert driver.panel.origin.text == "This page shows where a NaN, an Inf or a zero came from."


def test_the_graph_step_and_the_answer_agree(driver: OriginDriver) -> None:
    driver.actions.find_origin.trigger()
    origin = driver.panel.origin.view.shown_origin
    assert origin is not None
    driver.state.go_to_place(origin.stops[0].place, "op")
    assert driver.state.place == TracePosition(
        step=5, stage="backward", line=origin.stops[0].place.line, op=origin.stops[0].place.op
    )
