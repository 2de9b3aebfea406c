"""Screen reader announcements: each step, message and input problem once."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtTest import QTest

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inspector.facts.current_facts import current_facts
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.widgets import screen_reader
from tests.gui.conftest import Desk


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []

    class Listener(QAccessible):
        @staticmethod
        def updateAccessibility(event: object) -> None:  # noqa: N802 - Qt's name
            assert isinstance(event, QAccessibleAnnouncementEvent)
            said.append(event.message())

    monkeypatch.setattr(screen_reader, "QAccessible", Listener)
    return said


def sentence_now(desk: Desk) -> str:
    state = desk.state
    assert state.index is not None
    return current_facts(state.revealed, state.number).sentence


@pytest.mark.parametrize("view", ["graph", "jacobians"])
def test_each_step_is_said_once(desk: Desk, heard: list[str], view: str) -> None:
    desk.start()
    desk.window.top.show_tab(view)
    for number in range(1, desk.state.count + 1):
        desk.state.go_to(1 if number > 1 else 2)
        heard.clear()
        desk.state.go_to(number)
        desk.wait()
        assert heard == [sentence_now(desk)]


def test_nothing_hidden_is_said(desk: Desk, heard: list[str]) -> None:
    desk.start()
    desk.state.set_quiz_mode(True)
    heard.clear()
    desk.state.go_to(5)
    assert desk.state.revealed.hides_answer
    desk.wait()
    question = sentence_now(desk)
    assert heard == [question]
    desk.state.set_answer_hidden(False)
    desk.wait()
    assert heard == [question, sentence_now(desk)]
    assert heard[0] != heard[1]


def test_messages_are_said(desk: Desk, heard: list[str]) -> None:
    desk.window.messages.say("The trace is saved.", "info")
    assert heard == ["The trace is saved."]


def test_a_problem_of_the_inputs_is_said_once(desk: Desk, heard: list[str]) -> None:
    desk.start()
    row = desk.window.parts[InputsForm].rows[0]
    row.open()
    field = row.fields.shape
    field.setFocus()
    field.selectAll()
    heard.clear()
    QTest.keyClicks(field, "2x")
    assert row.fields.problem("shape")
    assert heard == [row.fields.problem("shape")]


def test_a_line_is_said_where_the_source_has_the_keys(desk: Desk, heard: list[str]) -> None:
    desk.start()
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    desk.state.go_to_place(TracePosition(step=1, stage="forward", line=0), "line")
    heard.clear()
    desk.state.next_step()
    assert not [text for text in heard if text.startswith("line ")]
    desk.window.parts[SourcePanel].columns[0].view.setFocus()
    desk.state.previous_step()
    (said,) = [text for text in heard if text.startswith("line ")]
    rows = desk.window.parts[SourcePanel].columns[0].view.rows
    assert rows is not None
    assert said.startswith(f"line {rows.block[0]}: ctx.save_for_backward(")
