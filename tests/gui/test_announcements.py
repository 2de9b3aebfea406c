"""Screen reader announcements: each step, message and input problem once."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtTest import QTest

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.facts.current_facts import current_facts
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.widgets import screen_reader
from tests.gui.conftest import WindowDriver


@pytest.fixture
def announcements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    announced: list[str] = []

    class Listener(QAccessible):
        @staticmethod
        def updateAccessibility(event: object) -> None:  # noqa: N802 - Qt's name
            assert isinstance(event, QAccessibleAnnouncementEvent)
            announced.append(event.message())

    monkeypatch.setattr(screen_reader, "QAccessible", Listener)
    return announced


def sentence_now(driver: WindowDriver) -> str:
    state = driver.state
    assert state.index is not None
    return current_facts(state.revealed, state.number).sentence


def each_step_is_announced_once(driver: WindowDriver, announcements: list[str]) -> None:
    for view in ("graph", "jacobians"):
        driver.window.top.show_tab(view)
        for number in range(1, driver.state.count + 1):
            driver.state.go_to(1 if number > 1 else 2)
            announcements.clear()
            driver.state.go_to(number)
            driver.wait()
            assert announcements == [sentence_now(driver)]


def nothing_hidden_is_announced(driver: WindowDriver, announcements: list[str]) -> None:
    driver.state.set_quiz_mode(True)
    announcements.clear()
    driver.state.go_to(5)
    assert driver.state.revealed.hides_answer
    driver.wait()
    question = sentence_now(driver)
    assert announcements == [question]
    driver.state.set_answer_hidden(False)
    driver.wait()
    assert announcements == [question, sentence_now(driver)]
    assert announcements[0] != announcements[1]


def messages_are_announced(driver: WindowDriver, announcements: list[str]) -> None:
    driver.window.messages.say("The trace is saved.", "info")
    assert announcements == ["The trace is saved."]


def an_input_problem_is_announced_once(driver: WindowDriver, announcements: list[str]) -> None:
    row = driver.window.parts[InputsForm].rows[0]
    row.open()
    field = row.fields.shape
    field.setFocus()
    field.selectAll()
    announcements.clear()
    QTest.keyClicks(field, "2x")
    assert row.fields.problem("shape")
    assert announcements == [row.fields.problem("shape")]


def a_line_is_announced_while_its_source_has_the_focus(
    driver: WindowDriver, announcements: list[str]
) -> None:
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    driver.state.go_to_place(TracePosition(step=1, stage="forward", line=0), "line")
    announcements.clear()
    driver.state.next_step()
    assert not [text for text in announcements if text.startswith("line ")]
    driver.window.parts[SourcePanel].columns[0].view.setFocus()
    driver.state.previous_step()
    (announced,) = [text for text in announcements if text.startswith("line ")]
    rows = driver.window.parts[SourcePanel].columns[0].view.rows
    assert rows is not None
    assert announced.startswith(f"line {rows.block[0]}: ctx.save_for_backward(")


@pytest.mark.quick
def test_what_changes_is_announced(driver: WindowDriver, announcements: list[str]) -> None:
    """All in one window, because opening it takes longer than the rest."""
    driver.start()
    for part in (
        messages_are_announced,
        nothing_hidden_is_announced,
        each_step_is_announced_once,
        an_input_problem_is_announced_once,
        a_line_is_announced_while_its_source_has_the_focus,
    ):
        driver.state.set_quiz_mode(False)
        driver.window.top.show_tab("graph")
        announcements.clear()
        part(driver, announcements)
