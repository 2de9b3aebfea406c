"""Find: typing a query, going through the hits, and closing it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.find.panel import FindPanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.traces import MemoryReader, linear_reader
from tests.viewer.view_requests import requests_of


class FindDriver:
    """Drives a window with only a search field and a button."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.state = ViewerState(LIGHT)
        self.background = Background()
        self.window = QWidget()
        self.window.resize(900, 600)
        self.actions = Actions(self.window)
        self.window.addActions(self.window.actions())
        self.find = FindController(
            self.state, requests_of(self.state), self.background, self.actions, self.window
        )
        self.button = QPushButton("elsewhere")
        column = QVBoxLayout(self.window)
        column.addWidget(self.find.home)
        column.addWidget(self.button)
        qtbot.addWidget(self.window)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        self.button.setFocus()

    def type(self, text: str) -> None:
        self.actions.find.trigger()
        self.qtbot.keyClicks(self.find.field, text)
        self.wait()

    def press(
        self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        self.qtbot.keyClick(self.find.field, key, modifiers)

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: not self.find.finder.busy and not self.background.busy)

    @property
    def titles(self) -> list[str]:
        document = self.find.panel.list.rows.document
        return [document.row(key).texts[0] for key in document.keys]


@pytest.fixture
def driver(qtbot: QtBot) -> Iterator[FindDriver]:
    driver = FindDriver(qtbot)
    driver.state.show(linear_reader())
    yield driver
    driver.background.close()


def test_typing_lists_and_marks_what_is_found(driver: FindDriver) -> None:
    driver.type("weight")
    assert driver.titles == ["weight", "LinearFunctionBackward"]
    assert driver.state.hits == {4, 1}
    assert driver.find.field.count.text() == "2 matches"
    assert driver.find.panel.isVisible()
    # Nothing is selected before somebody asks for it.
    assert driver.state.selection is None


def test_enter_goes_through_the_hits_in_a_circle(driver: FindDriver) -> None:
    sought: list[int] = []
    requests_of(driver.state).node_requested.connect(sought.append)
    driver.type("weight")
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
        driver.press(key)
    assert sought == [4, 1, 4]
    assert driver.find.field.count.text() == "1 of 2"
    driver.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    driver.press(Qt.Key.Key_Up)
    assert sought == [4, 1, 4, 1, 4]
    assert driver.find.panel.list.current_key == 0
    assert driver.state.selection == 4
    assert driver.state.number == 1
    assert "1 of 2" in driver.find.field.accessibleDescription()


def test_backwards_begins_at_the_last_hit(driver: FindDriver) -> None:
    driver.type("weight")
    driver.actions.find_previous.trigger()
    assert driver.find.field.count.text() == "2 of 2"


def test_enter_pressed_early_counts_when_the_answer_is_there(driver: FindDriver) -> None:
    driver.actions.find.trigger()
    driver.qtbot.keyClicks(driver.find.field, "weight")
    assert driver.find.finder.busy
    driver.press(Qt.Key.Key_Return)
    driver.press(Qt.Key.Key_Return)
    driver.wait()
    assert driver.find.field.count.text() == "2 of 2"


def test_the_step_of_a_hit(driver: FindDriver) -> None:
    driver.type("step:5")
    driver.press(Qt.Key.Key_Return)
    assert (driver.state.number, driver.state.selection) == (5, 1)
    driver.find.field.setText("weight kind:leaf")
    driver.wait()
    driver.press(Qt.Key.Key_Return)
    assert driver.state.number == 5
    driver.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (driver.state.number, driver.state.selection) == (7, 4)


def test_a_step_without_a_node_is_gone_to(driver: FindDriver) -> None:
    driver.state.select(4)
    driver.type("step:8")
    driver.press(Qt.Key.Key_Return)
    assert driver.state.number == 8
    assert driver.state.selection is None, "the inspector follows"
    assert driver.state.hits == frozenset()


def test_escape_ends_it_and_gives_the_focus_back(driver: FindDriver) -> None:
    driver.type("weight")
    driver.press(Qt.Key.Key_Escape)
    assert driver.button.hasFocus()
    assert not driver.find.panel.isVisible()
    assert driver.state.hits == frozenset()
    assert driver.find.field.text() == ""
    # F3 goes on with what was searched last.
    driver.actions.find_next.trigger()
    driver.wait()
    assert driver.find.field.text() == "weight"
    assert driver.find.field.count.text() == "1 of 2"


def test_going_on_with_no_search_begins_one(driver: FindDriver) -> None:
    driver.actions.find_next.trigger()
    assert driver.find.field.hasFocus()


def test_the_list_goes_when_the_focus_does_but_the_marks_stay(driver: FindDriver) -> None:
    driver.type("weight")
    driver.button.setFocus()
    assert not driver.find.panel.isVisible()
    assert driver.state.hits == {4, 1}
    driver.actions.find_next.trigger()
    assert driver.state.selection == 4


def test_an_empty_field_and_an_empty_result_show_examples(driver: FindDriver) -> None:
    driver.actions.find.trigger()
    assert "shape:2x3" in driver.titles
    driver.type("nothing like this")
    assert "nothing like this" in driver.find.panel.status.text()
    assert driver.find.field.count.text() == "no matches"
    at = driver.titles.index("shape:2x3")
    place = driver.find.panel.list.visualRect(driver.find.panel.list.rows.index(at, 0)).center()
    driver.qtbot.mouseClick(driver.find.panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    driver.wait()
    assert driver.find.field.text() == "shape:2x3"
    assert driver.state.hits == {1, 2, 4}
    assert driver.find.field.hasFocus()


def test_clicking_a_hit_selects_it(driver: FindDriver) -> None:
    driver.type("weight")
    place = driver.find.panel.list.visualRect(driver.find.panel.list.rows.index(1, 0)).center()
    driver.qtbot.mouseClick(driver.find.panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert driver.state.selection == 1
    assert driver.find.field.hasFocus()


def test_a_wrong_search_says_why_and_marks_nothing(driver: FindDriver) -> None:
    driver.type("weight")
    driver.find.field.setText("color:red")
    assert "There is no field named color" in driver.find.panel.status.text()
    assert driver.state.hits == frozenset()
    assert "There is no field" in driver.find.field.accessibleDescription()
    driver.qtbot.wait(1)
    label = next(each for each in driver.find.panel.findChildren(QLabel) if each.text())
    assert label.height() >= label.heightForWidth(label.width()) > label.fontMetrics().height()


def test_another_trace_is_searched_for_the_same(driver: FindDriver) -> None:
    driver.type("weight")
    trace = linear_trace()
    nodes = (*trace.nodes[:3], replace(trace.nodes[3], variable_name="other"))
    driver.state.show(MemoryReader(replace(trace, nodes=nodes), LINEAR_TENSORS))
    driver.wait()
    # The leaf has another name now, but its gradient is still that of the weight.
    assert driver.titles == ["LinearFunctionBackward", "other"]
    assert driver.state.hits == {1, 4}
    driver.state.show(None)
    driver.wait()
    assert driver.state.hits == frozenset()


def test_reasons_and_unknown_values_are_reported(driver: FindDriver) -> None:
    bad = tensor(7, [[np.nan, np.inf], [np.nan, 1.0]])
    record, value = LINEAR_TENSORS[4]
    nothing = (
        replace(record, content="metadata", kept_shape=(), kept_steps=(), statistics=None),
        value,
    )
    driver.state.show(
        MemoryReader(
            linear_trace(),
            (*LINEAR_TENSORS[:4], nothing, LINEAR_TENSORS[5], bad, LINEAR_TENSORS[7]),
        )
    )
    driver.type("has NaN")
    rows = driver.find.panel.list.rows
    assert rows.document.row(0).note == "returned gradient for input has 2 NaN"
    assert "The values of 1 tensor were not recorded" in driver.find.panel.more.text()
    assert "has 2 NaN" in str(rows.data(rows.index(0, 0), Qt.ItemDataRole.AccessibleTextRole))


def test_where_the_bar_is_hidden_the_field_comes_with_the_list(driver: FindDriver) -> None:
    driver.find.home.hide()
    driver.type("weight")
    assert driver.find.field.isVisible()
    assert driver.find.field.hasFocus()
    assert driver.find.panel.geometry().right() > driver.window.width() - 20
    assert driver.titles == ["weight", "LinearFunctionBackward"]
    driver.press(Qt.Key.Key_Escape)
    assert driver.button.hasFocus()
    driver.qtbot.waitUntil(lambda: driver.find.field.parent() is driver.find.home)
    driver.find.home.show()
    assert driver.find.field.isVisible()


def test_the_list_stays_inside_a_narrow_window(driver: FindDriver) -> None:
    driver.type("weight")
    driver.window.resize(360, 260)
    driver.qtbot.waitUntil(lambda: driver.window.rect().contains(driver.find.panel.geometry()))


def test_a_list_without_sentences_has_no_space_for_them(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    panel = FindPanel(LIGHT, window)
    panel.resize(400, 300)
    # In presenter mode, it is shown with only the field, until that has the focus.
    panel.show()
    panel.fit_height(300)
    assert panel.height() < 40
