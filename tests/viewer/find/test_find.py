"""Find: typing a query, going through the hits, and closing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.traces import MemoryReader, linear_reader
from tests.viewer.view_requests import requests_of


class Bench:
    """A window with nothing but a search field and a button."""

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
        rows = self.find.panel.list.rows
        return [rows.choice(row).title for row in range(rows.rowCount())]


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    bench = Bench(qtbot)
    bench.state.show(linear_reader())
    yield bench
    bench.background.close()


def test_typing_lists_and_marks_what_is_found(bench: Bench) -> None:
    bench.type("weight")
    assert bench.titles == ["weight", "LinearFunctionBackward"]
    assert bench.state.hits == {4, 1}
    assert bench.find.field.count == "2 matches"
    assert bench.find.panel.isVisible()
    # Nothing is selected before somebody asks for it.
    assert bench.state.selection is None


def test_enter_goes_through_the_hits_in_a_circle(bench: Bench) -> None:
    sought: list[int] = []
    requests_of(bench.state).node_requested.connect(sought.append)
    bench.type("weight")
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
        bench.press(key)
    assert sought == [4, 1, 4]
    assert bench.find.field.count == "1 of 2"
    bench.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    bench.press(Qt.Key.Key_Up)
    assert sought == [4, 1, 4, 1, 4]
    assert bench.find.panel.list.row == 0
    assert bench.state.selection == 4
    assert bench.state.number == 1
    assert "1 of 2" in bench.find.field.accessibleDescription()


def test_backwards_begins_at_the_last_hit(bench: Bench) -> None:
    bench.type("weight")
    bench.actions.find_previous.trigger()
    assert bench.find.field.count == "2 of 2"


def test_enter_pressed_early_counts_when_the_answer_is_there(bench: Bench) -> None:
    bench.actions.find.trigger()
    bench.qtbot.keyClicks(bench.find.field, "weight")
    assert bench.find.finder.busy
    bench.press(Qt.Key.Key_Return)
    bench.press(Qt.Key.Key_Return)
    bench.wait()
    assert bench.find.field.count == "2 of 2"


def test_the_step_of_a_hit(bench: Bench) -> None:
    bench.type("step:5")
    bench.press(Qt.Key.Key_Return)
    assert (bench.state.number, bench.state.selection) == (5, 1)
    bench.find.field.setText("weight kind:leaf")
    bench.wait()
    bench.press(Qt.Key.Key_Return)
    assert bench.state.number == 5
    bench.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (bench.state.number, bench.state.selection) == (7, 4)


def test_a_step_without_a_node_is_gone_to(bench: Bench) -> None:
    bench.type("step:8")
    bench.press(Qt.Key.Key_Return)
    assert bench.state.number == 8
    assert bench.state.hits == frozenset()


def test_escape_ends_it_and_gives_the_focus_back(bench: Bench) -> None:
    bench.type("weight")
    bench.press(Qt.Key.Key_Escape)
    assert bench.button.hasFocus()
    assert not bench.find.panel.isVisible()
    assert bench.state.hits == frozenset()
    assert bench.find.field.text() == ""
    # F3 goes on with what was searched last.
    bench.actions.find_next.trigger()
    bench.wait()
    assert bench.find.field.text() == "weight"
    assert bench.find.field.count == "1 of 2"


def test_going_on_with_no_search_begins_one(bench: Bench) -> None:
    bench.actions.find_next.trigger()
    assert bench.find.field.hasFocus()


def test_the_list_goes_when_the_focus_does_but_the_marks_stay(bench: Bench) -> None:
    bench.type("weight")
    bench.button.setFocus()
    assert not bench.find.panel.isVisible()
    assert bench.state.hits == {4, 1}
    bench.actions.find_next.trigger()
    assert bench.state.selection == 4


def test_an_empty_field_and_an_empty_result_show_examples(bench: Bench) -> None:
    bench.actions.find.trigger()
    assert "shape:2x3" in bench.titles
    bench.type("nothing like this")
    assert "nothing like this" in bench.find.panel.status_text
    assert bench.find.field.count == "no matches"
    at = bench.titles.index("shape:2x3")
    place = bench.find.panel.list.visualRect(bench.find.panel.list.rows.index(at, 0)).center()
    bench.qtbot.mouseClick(bench.find.panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    bench.wait()
    assert bench.find.field.text() == "shape:2x3"
    assert bench.state.hits == {1, 2, 4}
    assert bench.find.field.hasFocus()


def test_clicking_a_hit_selects_it(bench: Bench) -> None:
    bench.type("weight")
    place = bench.find.panel.list.visualRect(bench.find.panel.list.rows.index(1, 0)).center()
    bench.qtbot.mouseClick(bench.find.panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert bench.state.selection == 1
    assert bench.find.field.hasFocus()


def test_a_wrong_search_says_why_and_marks_nothing(bench: Bench) -> None:
    bench.type("weight")
    bench.find.field.setText("color:red")
    assert "There is no field named color" in bench.find.panel.status_text
    assert bench.state.hits == frozenset()
    assert "There is no field" in bench.find.field.accessibleDescription()
    bench.qtbot.wait(1)
    said = next(each for each in bench.find.panel.findChildren(QLabel) if each.text())
    assert said.height() >= said.heightForWidth(said.width()) > said.fontMetrics().height()


def test_another_trace_is_searched_for_the_same(bench: Bench) -> None:
    bench.type("weight")
    trace = linear_trace()
    nodes = (*trace.nodes[:3], replace(trace.nodes[3], variable_name="other"))
    bench.state.show(MemoryReader(replace(trace, nodes=nodes), LINEAR_TENSORS))
    bench.wait()
    # The leaf has another name now, but its gradient is still that of the weight.
    assert bench.titles == ["LinearFunctionBackward", "other"]
    assert bench.state.hits == {1, 4}
    bench.state.show(None)
    bench.wait()
    assert bench.state.hits == frozenset()


def test_reasons_and_unknown_values_are_told(bench: Bench) -> None:
    bad = tensor(7, [[np.nan, np.inf], [np.nan, 1.0]])
    record, value = LINEAR_TENSORS[4]
    nothing = (
        replace(record, content="metadata", kept_shape=(), kept_steps=(), statistics=None),
        value,
    )
    bench.state.show(
        MemoryReader(
            linear_trace(),
            (*LINEAR_TENSORS[:4], nothing, LINEAR_TENSORS[5], bad, LINEAR_TENSORS[7]),
        )
    )
    bench.type("has NaN")
    rows = bench.find.panel.list.rows
    assert rows.choice(0).note == "returned gradient for input has 2 NaN"
    assert "The values of 1 tensor were not recorded" in bench.find.panel.more
    assert "has 2 NaN" in str(rows.data(rows.index(0, 0), Qt.ItemDataRole.AccessibleTextRole))


def test_where_the_bar_is_hidden_the_field_comes_with_the_list(bench: Bench) -> None:
    bench.find.home.hide()
    bench.type("weight")
    assert bench.find.field.isVisible()
    assert bench.find.field.hasFocus()
    assert bench.find.panel.geometry().right() > bench.window.width() - 20
    assert bench.titles == ["weight", "LinearFunctionBackward"]
    bench.press(Qt.Key.Key_Escape)
    assert bench.button.hasFocus()
    bench.qtbot.waitUntil(lambda: bench.find.field.parent() is bench.find.home)
    bench.find.home.show()
    assert bench.find.field.isVisible()


def test_the_list_stays_inside_a_narrow_window(bench: Bench) -> None:
    bench.type("weight")
    bench.window.resize(360, 260)
    bench.qtbot.waitUntil(lambda: bench.window.rect().contains(bench.find.panel.geometry()))
