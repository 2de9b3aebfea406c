"""The hint on the first start appears once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import Actions
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.window.first_hint import FirstHint
from gradviz.viewer.window.message_bar import MessageBar
from tests.builders import linear_trace
from tests.viewer.traces import MemoryReader, linear_reader

HINT = "F10: next step, Shift+F10: previous step. ? shows all keyboard shortcuts."


class HintDriver:
    """Drives the hint with what exists at a program start."""

    def __init__(self, qtbot: QtBot, *, stored: bool = True) -> None:
        self.state = ViewerState(LIGHT, preferences=Preferences(stored=stored))
        self.messages = MessageBar(LIGHT)
        qtbot.addWidget(self.messages)
        self.parent = QObject()
        self.hint = FirstHint(self.state, Actions(self.parent), self.messages, self.parent)


@pytest.fixture
def first(qtbot: QtBot) -> HintDriver:
    return HintDriver(qtbot)


def test_it_comes_with_the_first_graph_and_goes_with_the_first_step(
    first: HintDriver, qtbot: QtBot
) -> None:
    assert first.messages.text == ""
    first.state.show(linear_reader())
    assert first.messages.text == HINT
    first.state.next_step()
    assert first.messages.text == ""
    first.state.show(linear_reader())
    assert first.messages.text == ""
    second = HintDriver(qtbot)
    second.state.show(linear_reader())
    assert second.messages.text == ""


def test_a_run_without_steps_needs_no_keys_for_them(first: HintDriver) -> None:
    first.state.show(MemoryReader(replace(linear_trace(), steps=(), nodes=()), ()))
    assert first.messages.text == ""


def test_closing_it_counts_as_seen(first: HintDriver, qtbot: QtBot) -> None:
    first.state.show(linear_reader())
    qtbot.mouseClick(first.messages.close_button, Qt.MouseButton.LeftButton)
    assert Preferences().hint_seen


def test_closing_another_message_is_no_sign(first: HintDriver, qtbot: QtBot) -> None:
    first.messages.say("Something else.", "warning")
    first.state.show(linear_reader())
    assert first.messages.text == "Something else."
    qtbot.mouseClick(first.messages.close_button, Qt.MouseButton.LeftButton)
    assert not Preferences().hint_seen


def test_the_hint_returns_if_the_window_closes_at_once(first: HintDriver, qtbot: QtBot) -> None:
    first.state.show(linear_reader())
    second = HintDriver(qtbot)
    second.state.show(linear_reader())
    assert second.messages.text == HINT


def test_pictures_are_taken_without_it(qtbot: QtBot) -> None:
    start = HintDriver(qtbot, stored=False)
    start.state.show(linear_reader())
    assert start.messages.text == ""
