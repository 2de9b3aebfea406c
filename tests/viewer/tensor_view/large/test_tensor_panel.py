"""A tensor's own window: pinned or following the step, linked to all views."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from gradviz.viewer.background import Background
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef, TensorRef
from gradviz.viewer.tensor_view.large.tensor_panel import TensorPanel
from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.widgets.plain_text import PlainLabel
from tests.viewer.traces import linear_reader, summed_reader
from tests.viewer.view_requests import requests_of

INPUT, WEIGHT, GRAD_WEIGHT, TOTAL = 1, 2, 8, 32


class TensorPanelDriver:
    """Drives a window with an inspector and the tensor windows it opens."""

    def __init__(self, qtbot: QtBot) -> None:
        self.background = Background()
        self.state = ViewerState(LIGHT)
        self.window = QMainWindow()
        self.inspector = Inspector(self.state, requests_of(self.state), background=self.background)
        self.window.setCentralWidget(self.inspector)
        self.tensors = TensorWindows(
            self.window, self.state, requests_of(self.state), self.background, remember=False
        )
        qtbot.addWidget(self.window)
        self.window.resize(400, 700)
        self.window.show()
        self.state.show(linear_reader())

    def open(self, tensor: int, name: str, step: int) -> TensorPanel:
        self.state.go_to(step)
        requests_of(self.state).show_tensor(TensorRef(tensor=tensor, name=name, step=step))
        QApplication.processEvents()
        shown = [dock for dock in self.tensors.docks if dock.isVisible()]
        panel = shown[-1].widget()
        assert isinstance(panel, TensorPanel)
        return panel


@pytest.fixture
def driver(qtbot: QtBot) -> Iterator[TensorPanelDriver]:
    made = TensorPanelDriver(qtbot)
    yield made
    made.tensors.close()
    made.background.close()


def numbers(panel: TensorPanel) -> list[list[str]] | None:
    return panel.view.heatmap.numbers


def test_a_gradient_is_followed_and_says_so(driver: TensorPanelDriver) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    assert panel.head.says.text() == "Following the step: grad_weight as of step 5."
    assert numbers(panel) == [["2", "2", "2"], ["4", "4", "4"]]
    driver.state.go_to(4)
    assert panel.head.says.text() == "Following the step: no grad_weight yet in step 4."
    assert not panel.view.isVisible()
    driver.state.go_to(6)
    assert panel.head.says.text() == "Following the step: grad_weight as of step 6."
    assert panel.view.isVisible()


def test_a_total_follows_the_total(driver: TensorPanelDriver) -> None:
    driver.state.show(summed_reader())
    panel = driver.open(TOTAL, "weight.grad", 7)
    assert numbers(panel) == [["4", "4", "4"], ["8", "8", "8"]]
    driver.state.go_to(5)
    assert "no weight.grad yet" in panel.head.says.text()


def test_it_can_stay_at_what_is_seen(driver: TensorPanelDriver) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 6)
    panel.head.follow.click()
    assert panel.head.says.text() == "Fixed: grad_weight as recorded in step 5."
    driver.state.go_to(1)
    assert panel.head.says.text() == "Fixed: grad_weight as recorded in step 5."
    assert numbers(panel) == [["2", "2", "2"], ["4", "4", "4"]]


def test_a_value_of_the_forward_just_stays(driver: TensorPanelDriver) -> None:
    panel = driver.open(WEIGHT, "weight", 5)
    assert not panel.head.follow.isVisible()
    assert panel.head.says.text() == "Fixed: weight as recorded in step 5."


def test_in_another_run_a_gradient_is_found_again_and_a_tensor_is_not(
    driver: TensorPanelDriver,
) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    driver.state.show(summed_reader())
    driver.state.go_to(5)
    assert panel.head.says.text() == "Following the step: grad_weight as of step 5."
    panel = driver.open(WEIGHT, "weight", 5)
    driver.state.show(linear_reader())
    driver.state.go_to(5)
    assert panel.head.says.text() == "This tensor belongs to another run."
    assert not panel.view.isVisible()


def test_quiz_mode_hides_the_answer_here_too(driver: TensorPanelDriver) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    driver.state.go_to(4)
    driver.state.set_quiz_mode()
    driver.state.go_to(5)
    assert driver.state.revealed.hides_answer
    assert panel.head.says.text() == "grad_weight is hidden until revealed."
    assert panel.hidden_tensor.isVisible()
    assert not panel.view.isVisible()
    driver.state.set_answer_hidden(False)
    assert panel.head.says.text() == "Following the step: grad_weight as of step 5."
    assert not panel.hidden_tensor.isVisible()


def test_the_next_tensor_replaces_this_one_unless_it_is_kept(driver: TensorPanelDriver) -> None:
    driver.open(GRAD_WEIGHT, "grad_weight", 5)
    panel = driver.open(WEIGHT, "weight", 5)
    assert len(driver.tensors.docks) == 1
    assert driver.tensors.docks[0].windowTitle() == "Tensor weight"
    panel.head.keep.click()
    other = driver.open(INPUT, "input", 5)
    assert len(driver.tensors.docks) == 2
    assert other is not panel
    assert panel.isVisible()


def test_a_closed_window_is_used_again_and_knows_what_happened_since(
    driver: TensorPanelDriver,
) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    dock = driver.tensors.docks[0]
    dock.close()
    driver.state.go_to(4)
    dock.show()
    assert "no grad_weight yet" in panel.head.says.text()


def test_escape_lets_go_of_the_element_and_then_of_the_window(
    driver: TensorPanelDriver, qtbot: QtBot
) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    heatmap = panel.view.heatmap
    driver.state.pin(ElementRef(tensor=WEIGHT, index=(1, 0)))
    qtbot.keyClick(heatmap, Qt.Key.Key_Escape)
    assert driver.state.element is None
    assert panel.isVisible()
    qtbot.keyClick(heatmap, Qt.Key.Key_Escape)
    assert not panel.isVisible()


def test_an_element_is_pinned_in_the_tensor_and_its_gradient(
    driver: TensorPanelDriver, qtbot: QtBot
) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    heatmap = panel.view.heatmap
    qtbot.mouseClick(
        heatmap, Qt.MouseButton.LeftButton, pos=heatmap.cell_rect(1, 0).center().toPoint()
    )
    assert driver.state.element == ElementRef(tensor=GRAD_WEIGHT, index=(1, 0))
    driver.state.pin(ElementRef(tensor=WEIGHT, index=(0, 2)))
    assert heatmap.marked_cell == (0, 2)
    assert panel.view.readout.text() == "grad_weight[0, 2] = 2.0"
    driver.state.pin(ElementRef(tensor=INPUT, index=(0, 1)))
    assert heatmap.marked_cell is None


def test_a_pinned_element_stays_pinned_while_one_steps(driver: TensorPanelDriver) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    driver.state.pin(ElementRef(tensor=GRAD_WEIGHT, index=(1, 1)))
    driver.state.go_to(7)
    assert panel.view.heatmap.marked_cell == (1, 1)
    driver.state.show(linear_reader())
    assert driver.state.element is None


def test_enter_in_the_inspector_opens_the_tensor(driver: TensorPanelDriver, qtbot: QtBot) -> None:
    driver.state.go_to(7)
    view = next(
        row
        for section in driver.inspector.sections
        for row in section.rows
        if section.key == "total"
    )
    qtbot.keyClick(view.heatmap, Qt.Key.Key_Return)
    panel = driver.tensors.docks[0].widget()
    assert isinstance(panel, TensorPanel)
    assert panel.head.says.text() == "Following the step: weight.grad as of step 7."


def test_every_control_of_it_can_be_reached_and_has_a_name(driver: TensorPanelDriver) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    parts = panel.view
    controls = (
        panel.head.follow,
        panel.head.keep,
        parts.options.reaches,
        parts.heatmap,
        *(parts.options.switch.segment(place) for place in range(3)),
    )
    for control in controls:
        assert control.accessibleName()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_signs_stand_beside_the_name_and_not_on_it(driver: TensorPanelDriver) -> None:
    panel = driver.open(GRAD_WEIGHT, "grad_weight", 5)
    assert panel.head.tags.pills == ()
    driver.state.go_to(6)
    QApplication.processEvents()
    (sign,) = panel.head.tags.pills
    assert sign.text() == "from step 5"
    labels = panel.head.findChildren(PlainLabel)
    assert not any(
        label.isVisible() and label.geometry().intersects(sign.geometry()) for label in labels
    )
