"""The Doctor panel, used with mouse and keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QIcon
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.finding import Finding, Severity
from gradviz.model.source import Location
from gradviz.model.trace import Trace
from gradviz.viewer.doctor.finding_model import SEVERITY, checked_text
from gradviz.viewer.doctor.panel import DoctorPanel, DoctorTabCount
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.viewer.traces import MemoryReader, wrong_report
from tests.viewer.view_requests import requests_of


def finding(
    number: int,
    code: str,
    severity: Severity,
    step: int | None,
    node: int | None = None,
    location: Location | None = None,
) -> Finding:
    return Finding(
        id=number,
        code=code,
        severity=severity,
        message=f"Sentence {number}.",
        step=step,
        node=node,
        location=location,
    )


FOUND = (
    finding(1, "backward_start", "info", None),
    finding(2, "silent_reduction", "warning", 5, 1),
    finding(3, "undefined_gradient", "info", 2, 2),
    finding(4, "in_place_unmarked", "error", 6, 1),
)


class Desk:
    def __init__(self) -> None:
        self._owner = QObject()
        self.state = ViewerState(LIGHT)
        self.panel = DoctorPanel(self.state, requests_of(self.state))

    def show(self, findings: tuple[Finding, ...], trace: Trace | None = None) -> None:
        trace = linear_trace() if trace is None else trace
        self.state.show(MemoryReader(replace(trace, findings=findings), LINEAR_TENSORS))

    @property
    def listed(self) -> list[int]:
        return [each.id for each in self.panel.rows.findings]

    @property
    def page(self) -> str:
        page = self.panel.page
        labels = (page.title, page.message, page.text, page.remedy)
        return "\n".join(label.text() for label in labels if not label.isHidden())


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    desk = Desk()
    qtbot.addWidget(desk.panel)
    desk.panel.resize(900, 240)
    desk.panel.show()
    return desk


def test_the_gravest_stands_first_and_the_recording_last(desk: Desk) -> None:
    desk.show(FOUND)
    assert desk.listed == [4, 2, 3, 1]
    rows = desk.panel.rows
    assert [rows.text(row, SEVERITY) for row in range(4)] == ["error", "warning", "hint", "hint"]
    sign = rows.data(rows.index(0, SEVERITY), Qt.ItemDataRole.DecorationRole)
    assert isinstance(sign, QIcon)
    assert not sign.isNull()


def test_a_row_says_itself_whole(desk: Desk) -> None:
    desk.show(FOUND)
    rows = desk.panel.rows
    heard = rows.data(rows.index(1, SEVERITY), Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "warning, Sentence 2., GV204  Gradient summed by the engine, step 5"


def test_the_first_one_is_explained_at_once(desk: Desk) -> None:
    desk.show(FOUND)
    rule = doctor_rule("in_place_unmarked")
    assert rule is not None
    assert desk.panel.chosen == FOUND[3]
    for words in ("Sentence 4.", f"{rule.id}  {rule.title}", rule.why, rule.remedy):
        assert words in desk.page


def test_a_click_goes_to_step_and_node(desk: Desk, qtbot: QtBot) -> None:
    desk.show(FOUND)
    view, cell = desk.panel.view, desk.panel.rows.index(2, SEVERITY)
    # The list comes to its place only when there is something in it.
    qtbot.waitUntil(lambda: view.viewport().rect().contains(view.visualRect(cell).center()))
    spot = view.visualRect(cell).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert (desk.state.number, desk.state.selection) == (2, 2)
    assert desk.panel.chosen == FOUND[2]


def test_enter_goes_there_and_arrows_only_read(desk: Desk) -> None:
    desk.show(FOUND)
    view = desk.panel.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert desk.state.number == 1
    assert "Sentence 2." in desk.page
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert (desk.state.number, desk.state.selection) == (5, 1)


def test_the_button_goes_there_too(desk: Desk) -> None:
    desk.show(FOUND)
    assert desk.panel.page.go.text() == "Go to step 6"
    QTest.mouseClick(desk.panel.page.go, Qt.MouseButton.LeftButton)
    assert desk.state.number == 6


def test_one_without_a_step_has_no_button(desk: Desk) -> None:
    desk.show(FOUND[:1])
    assert desk.panel.page.go.isHidden()
    before = desk.state.number
    QTest.keyClick(desk.panel.view, Qt.Key.Key_Return)
    assert desk.state.number == before


def test_where_lines_were_recorded_it_goes_to_the_line(desk: Desk) -> None:
    trace = inside_trace()
    inside = next(each for each in trace.insides if any(part.lines for part in each.parts))
    part = next(each for each in inside.parts if each.lines)
    line = part.lines[-1].location
    at = next(at for at, each in enumerate(part.lines) if each.location == line)
    found = finding(1, "silent_reduction", "warning", inside.id, None, line)
    desk.state.show(MemoryReader(replace(trace, findings=(found,)), INSIDE_TENSORS))
    QTest.mouseClick(desk.panel.page.go, Qt.MouseButton.LeftButton)
    assert desk.state.place == TracePosition(step=inside.id, stage=part.stage, line=at)


def test_nothing_found_tells_what_is_looked_for(desk: Desk) -> None:
    desk.show(())
    assert not desk.panel.view.isVisible()
    assert "No problems were found in this run." in desk.page
    observed, read = desk.page.split("Read from the source:")
    for rule in DOCTOR_RULES:
        assert rule.title in (read if rule.evidence[0] == "source" else observed)


def test_a_mismatch_of_a_check_stands_beside_nothing_found(desk: Desk) -> None:
    desk.show(())
    index = desk.state.index
    assert index is not None
    assert "mismatch" not in desk.page
    wrong = wrong_report()
    for reports, told in (
        ((wrong,), True),
        ((wrong, replace(wrong, id=2, verdict="match")), False),
        ((wrong, replace(wrong, id=2, verdict="match", order=2)), True),
    ):
        reader = MemoryReader(replace(index.trace, reports=reports), LINEAR_TENSORS)
        desk.state.show_appended(reader, index_trace(reader.trace()))
        assert "No problems were found in this run." in desk.page
        assert ("the Jacobian check found a mismatch" in desk.page) == told


def test_what_a_check_says_is_told() -> None:
    said = Diagnosis(code="transposed", message="A transpose is missing.", output=0, input=1)
    wrong = replace(wrong_report(), diagnoses=(said,))
    assert checked_text([wrong]) == (
        "However, the Jacobian check found a mismatch. A transpose is missing. See the "
        "Jacobians tab."
    )
    unseen = replace(wrong, id=2, order=2, verdict="match")
    assert checked_text([wrong, unseen]).splitlines()[1] == (
        "However, the check found a problem that gradcheck does not detect. A transpose "
        "is missing. See the Jacobians tab."
    )
    unknown = replace(said, code="unknown")
    told = checked_text([replace(wrong, diagnoses=(unknown,))])
    assert told == "However, the Jacobian check found a mismatch. See the Jacobians tab."
    none = replace(said, code="none")
    assert checked_text([wrong, replace(wrong, id=2, verdict="match", diagnoses=(none,))]) == ""


def test_without_a_run_nothing_is_claimed(desk: Desk) -> None:
    assert "Nothing was found" not in desk.page
    assert desk.page == "Findings about the run appear here."


def test_a_room_that_guesses_is_told_nothing_of_what_comes(desk: Desk) -> None:
    desk.show(FOUND)
    desk.state.go_to(4)
    desk.state.set_quiz_mode()
    assert desk.listed == [3, 1]
    desk.state.go_to(5)
    desk.state.set_quiz_mode(False)
    assert desk.listed == [4, 2, 3, 1]


def test_the_tab_counts_what_is_wrong(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    dock = QDockWidget("Doctor", window)
    dock.toggleViewAction().setText("&Doctor")
    desk = Desk()
    qtbot.addWidget(desk.panel)
    parent = QWidget(window)
    DoctorTabCount(desk.panel, dock, parent)
    desk.show(FOUND)
    assert (dock.windowTitle(), dock.toggleViewAction().text()) == ("Doctor (2)", "&Doctor")
    desk.show(FOUND[:1])
    assert (dock.windowTitle(), dock.toggleViewAction().text()) == ("Doctor", "&Doctor")


def test_the_theme_keeps_the_choice(desk: Desk) -> None:
    desk.show(FOUND)
    desk.panel.view.setCurrentIndex(desk.panel.rows.index(2, SEVERITY))
    desk.state.set_theme(DARK)
    assert desk.panel.chosen == FOUND[2]
    assert "Sentence 3." in desk.page


def test_text_from_outside_stays_text(desk: Desk) -> None:
    odd = replace(FOUND[1], message="<b>bold</b> & <img src=x>")
    desk.show((odd,))
    assert desk.panel.page.message.textFormat() == Qt.TextFormat.PlainText
    rows = desk.panel.rows
    tip = rows.data(rows.index(0, SEVERITY), Qt.ItemDataRole.ToolTipRole)
    assert isinstance(tip, str)
    assert "<b>" not in tip
