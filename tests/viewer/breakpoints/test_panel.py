"""The Breakpoints panel, used with mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    AtLine,
    AtNode,
    BreakpointTarget,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.analysis.breakpoints.hits import BreakpointHits, UnexaminedData
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.breakpoints import breakpoint_note, breakpoint_title, hits_text
from gradviz.viewer.actions import Actions
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.breakpoints.panel import BreakpointPanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.theme.theme import DARK, LIGHT
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.viewer.traces import MemoryReader

CUSTOM = AtNode(node=1, name="LinearFunctionBackward")


class BreakpointsDriver:
    def __init__(self) -> None:
        self._owner = QObject()
        self.state = ViewerState(LIGHT)
        self.actions = Actions(self._owner)
        self.breakpoints = BreakpointList(self.state, stored=False)
        self.panel = BreakpointPanel(self.state, self.breakpoints, self.actions)
        self.actions.run_to_next_breakpoint.triggered.connect(
            self.breakpoints.run_to_next_breakpoint
        )
        self.state.show(MemoryReader(inside_trace(), INSIDE_TENSORS))

    @property
    def targets(self) -> list[BreakpointTarget]:
        return [point.target for point in self.breakpoints.points]

    def choose(self, kind: str) -> None:
        box = self.panel.editor.kind
        box.setFocus()
        while box.currentData() != kind:
            QTest.keyClick(box, Qt.Key.Key_Down)

    def type(self, name: str, text: str) -> None:
        field = self.panel.editor.controls[name]
        assert isinstance(field, QLineEdit)
        field.selectAll()
        QTest.keyClicks(field, text)

    def pick(self, name: str, value: object) -> None:
        box = self.panel.editor.controls[name]
        assert isinstance(box, QComboBox)
        while box.currentData() != value:
            QTest.keyClick(box, Qt.Key.Key_Down)

    def add(self) -> None:
        QTest.mouseClick(self.panel.editor.add_button, Qt.MouseButton.LeftButton)

    def text(self, row: int) -> list[str]:
        return [str(self.panel.view.rows.index(row, column).data()) for column in range(3)]

    @property
    def sentence(self) -> str:
        """What a screen reader says of the first row."""
        return str(self.panel.view.rows.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole))

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.panel.view, key)

    def select(self, row: int) -> QPoint:
        """Clicks on a row, right of its box."""
        place = self.panel.view.visualRect(self.panel.view.rows.index(row, 0)).center()
        viewport = self.panel.view.viewport()
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
        return place


@pytest.fixture
def driver(qtbot: QtBot) -> Iterator[BreakpointsDriver]:
    driver = BreakpointsDriver()
    qtbot.addWidget(driver.panel)
    driver.panel.resize(900, 300)
    driver.panel.show()
    yield driver
    driver.panel.close()


def test_an_empty_panel_says_how_to_set_one(driver: BreakpointsDriver) -> None:
    assert driver.panel.hint.isVisible()
    assert "F9" in driver.panel.hint.text()
    assert not driver.panel.remove.isEnabled()
    driver.add()
    assert not driver.panel.hint.isVisible()


def test_conditions_are_put_together(driver: BreakpointsDriver) -> None:
    driver.add()
    driver.choose("norm")
    driver.type("above", "2.5")
    driver.pick("gradients", False)
    driver.pick("appears", False)
    driver.add()
    driver.choose("sign")
    driver.type("name", "weight")
    driver.type("element", "0, 1")
    QTest.keyClick(driver.panel.editor.controls["element"], Qt.Key.Key_Return)
    driver.choose("function")
    driver.type("name", "aten::mm")
    driver.pick("direction", "backward")
    driver.add()
    assert driver.targets == [
        WhenNotFinite(kind="nan"),
        WhenNorm(above=2.5, gradients=False, appears=False),
        WhenSign(name="weight", element=(0, 1)),
        AtFunction(name="aten::mm", direction="backward"),
    ]
    # What was added is the current row.
    assert driver.panel.target == driver.targets[-1]


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("nan", WhenNotFinite(kind="nan")),
        ("inf", WhenNotFinite(kind="inf")),
        ("shape", WhenShape()),
        ("dtype", WhenDtype()),
        ("printed", WhenPrinted()),
        ("raised", WhenRaised()),
    ],
)
def test_conditions_without_more_fields(
    driver: BreakpointsDriver, kind: str, target: BreakpointTarget
) -> None:
    driver.choose(kind)
    driver.add()
    assert driver.targets == [target]


@pytest.mark.parametrize("element", ["a", "-1", "0.5", "0; 1"])
def test_what_is_no_element_is_reported(driver: BreakpointsDriver, element: str) -> None:
    driver.choose("sign")
    driver.type("name", "x")
    driver.type("element", element)
    assert "whole numbers" in driver.panel.editor.problem_text
    driver.add()
    assert driver.targets == []


def test_the_pinned_element_is_offered(driver: BreakpointsDriver) -> None:
    driver.choose("sign")
    # Tensor 8 is the gradient of the leaf `weight`.
    driver.state.pin(ElementRef(tensor=8, index=(1, 2)))
    assert driver.panel.editor.target() == WhenSign(name="weight", element=(1, 2))
    driver.state.pin(ElementRef(tensor=1, index=(0, 1)))
    assert driver.panel.editor.target() == WhenSign(name="input", element=(0, 1), gradient=False)


def test_rows_say_what_how_often_and_where(driver: BreakpointsDriver) -> None:
    driver.breakpoints.add(CUSTOM)
    driver.breakpoints.add(WhenNotFinite(kind="nan"))
    assert driver.text(0) == ["Node LinearFunctionBackward (step 1)", "hit 1 of 2", ""]
    assert driver.text(1) == ["A NaN appears", "none", "No searched tensor contains a NaN."]
    driver.state.go_to(2)
    assert driver.text(0)[1] == "2 hits, 1 behind"
    driver.state.go_to(5)
    assert driver.text(0)[1] == "hit 2 of 2"
    assert driver.sentence == "Node LinearFunctionBackward (step 1), hit 2 of 2"
    driver.state.go_to(3)
    driver.state.set_quiz_mode()
    assert driver.text(0)[1] == "1 hit, 1 behind"
    assert driver.text(1) == ["A NaN appears", "none yet", ""]


def test_without_a_trace_nothing_is_counted(driver: BreakpointsDriver) -> None:
    driver.breakpoints.add(CUSTOM)
    driver.state.show(None)
    assert driver.text(0) == ["Node LinearFunctionBackward", "", ""]


def test_the_box_switches_one_off(driver: BreakpointsDriver) -> None:
    driver.breakpoints.add(CUSTOM)
    for column, enabled in ((0, False), (1, True), (0, False)):
        driver.panel.view.setCurrentIndex(driver.panel.view.rows.index(0, column))
        driver.press(Qt.Key.Key_Space)
        assert driver.breakpoints.points[0].enabled == enabled
    assert driver.sentence.endswith("disabled")
    box = driver.panel.view.visualRect(driver.panel.view.rows.index(0, 0)).topLeft() + QPoint(
        10, 12
    )
    QTest.mouseClick(
        driver.panel.view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, box
    )
    assert driver.breakpoints.points[0].enabled


def test_enter_and_a_double_click_go_to_the_next_hit(driver: BreakpointsDriver) -> None:
    driver.breakpoints.add(CUSTOM)
    driver.breakpoints.add(WhenPrinted())
    place = driver.select(0)
    driver.press(Qt.Key.Key_Return)
    assert driver.state.place == TracePosition(step=5)
    # After the last hit comes the first again.
    driver.press(Qt.Key.Key_Enter)
    assert driver.state.place == TracePosition(step=1)
    QTest.mouseDClick(
        driver.panel.view.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        place,
    )
    assert driver.state.place == TracePosition(step=5)


def test_one_is_removed_by_key_and_button(driver: BreakpointsDriver) -> None:
    for target in (CUSTOM, WhenPrinted(), WhenRaised()):
        driver.breakpoints.add(target)
    driver.select(1)
    driver.press(Qt.Key.Key_Delete)
    assert driver.targets == [CUSTOM, WhenRaised()]
    assert driver.panel.target == WhenRaised()
    QTest.mouseClick(driver.panel.remove, Qt.MouseButton.LeftButton)
    assert driver.targets == [CUSTOM]
    driver.press(Qt.Key.Key_Backspace)
    assert driver.targets == []
    assert driver.panel.hint.isVisible()
    assert driver.panel.focusWidget() is driver.panel.editor.kind


def test_the_current_row_stays_when_another_is_added(driver: BreakpointsDriver) -> None:
    driver.breakpoints.add(CUSTOM)
    driver.select(0)
    driver.breakpoints.add(WhenRaised())
    assert driver.panel.target == CUSTOM


def test_another_theme(driver: BreakpointsDriver) -> None:
    driver.breakpoints.add(CUSTOM)
    driver.state.set_theme(replace(DARK, scale=1.5))
    assert driver.panel.view.font() == driver.state.theme.font()


INDEX_FREE: list[tuple[BreakpointTarget, str]] = [
    (AtFunction(name="mul", direction="forward"), "Each mul, forward only"),
    (AtNode(node=2, name="torch::autograd::AccumulateGrad"), "Node AccumulateGrad"),
    (AtLine(path="/a/b/f.py", line=3), "Line 3 of f.py"),
    (AtLine(path="/a/b/f.py", line=3, text="return x"), "Line 3 of f.py: return x"),
    (WhenNotFinite(kind="inf", appears=False), "An Inf is present"),
    (WhenNorm(above=1e6), "The norm of a gradient rises above 1e+06"),
    (WhenNorm(above=2.5, gradients=False, appears=False), "The norm of a tensor is above 2.5"),
    (WhenSign(name="w", element=(0, 1)), "w.grad[0, 1] changes its sign"),
    (WhenSign(name="loss", element=(), gradient=False), "loss changes its sign"),
    (WhenShape(), "A shape changes"),
    (WhenDtype(), "A dtype changes"),
    (WhenPrinted(), "Something is printed"),
    (WhenRaised(), "An exception is raised"),
]


@pytest.mark.parametrize(("target", "title"), INDEX_FREE)
def test_titles(qapp: object, target: BreakpointTarget, title: str) -> None:
    assert breakpoint_title(target, None) == title


def test_a_leaf_is_named(driver: BreakpointsDriver) -> None:
    title = breakpoint_title(AtNode(node=4, name="AccumulateGrad"), driver.state.index)
    assert title == "Node AccumulateGrad of weight"


def test_what_was_not_looked_at_is_reported(qapp: object) -> None:
    nan = WhenNotFinite(kind="nan")
    one, many = UnexaminedData(tensors=1), UnexaminedData(tensors=1200, lines=True)
    places = (TracePosition(step=3),)
    assert breakpoint_note(nan, BreakpointHits(places=places, unexamined=one)) == (
        "1 tensor was not stored, so it was not searched."
    )
    assert breakpoint_note(WhenShape(), BreakpointHits(why="never", unexamined=many)) == (
        "This never happens in this run. 1,200 tensors were not stored, so they were not "
        "searched. Lines were not recorded, so variables were not searched."
    )
    assert hits_text(None, None) == "searching…"
    assert hits_text(BreakpointHits(places=places), TracePosition(step=1)) == "1 hit ahead"
