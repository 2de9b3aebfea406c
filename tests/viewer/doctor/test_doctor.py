"""The Doctor panel, used with mouse and keys."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QIcon
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.document.findings import checked_text
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.finding import Finding, Severity
from gradviz.model.source import Location
from gradviz.model.trace import Trace
from gradviz.viewer.doctor.panel import DoctorPanel
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


class DoctorDriver:
    def __init__(self) -> None:
        self._owner = QObject()
        self.state = ViewerState(LIGHT)
        self.requests = requests_of(self.state)
        self.panel = DoctorPanel(self.state, self.requests)

    def show(self, findings: tuple[Finding, ...], trace: Trace | None = None) -> None:
        trace = linear_trace() if trace is None else trace
        self.state.show(MemoryReader(replace(trace, findings=findings), LINEAR_TENSORS))

    @property
    def listed(self) -> list[int]:
        return [each.id for each in self.panel.findings]

    @property
    def page(self) -> str:
        page = self.panel.page
        labels = (page.title, page.message, page.text, page.remedy)
        return "\n".join(label.text() for label in labels if not label.isHidden())


@pytest.fixture
def driver(qtbot: QtBot) -> DoctorDriver:
    driver = DoctorDriver()
    qtbot.addWidget(driver.panel)
    driver.panel.resize(900, 240)
    driver.panel.show()
    return driver


def test_findings_are_sorted_by_severity_with_recording_last(driver: DoctorDriver) -> None:
    driver.show(FOUND)
    assert driver.listed == [4, 2, 3, 1]
    rows = driver.panel.view.rows
    assert [rows.index(row, 0).data() for row in range(4)] == ["error", "warning", "hint", "hint"]
    sign = rows.data(rows.index(0, 0), Qt.ItemDataRole.DecorationRole)
    assert isinstance(sign, QIcon)
    assert not sign.isNull()


def test_a_row_says_itself_whole(driver: DoctorDriver) -> None:
    driver.show(FOUND)
    rows = driver.panel.view.rows
    heard = rows.data(rows.index(1, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "warning, Sentence 2., GV204  Gradient summed by the engine, step 5"


def test_the_first_one_is_explained_at_once(driver: DoctorDriver) -> None:
    driver.show(FOUND)
    rule = doctor_rule("in_place_unmarked")
    assert rule is not None
    assert driver.panel.chosen == FOUND[3]
    for words in ("Sentence 4.", f"{rule.id}  {rule.title}", rule.why, rule.remedy):
        assert words in driver.page


def test_a_finding_is_explained_on_request(driver: DoctorDriver) -> None:
    driver.show(FOUND)
    before = driver.state.number
    driver.requests.show_finding(FOUND[1])
    assert driver.panel.chosen == FOUND[1]
    assert driver.state.number == before


def test_a_click_goes_to_step_and_node(driver: DoctorDriver, qtbot: QtBot) -> None:
    driver.show(FOUND)
    view, cell = driver.panel.view, driver.panel.view.rows.index(2, 0)
    # The list comes to its place only when there is something in it.
    qtbot.waitUntil(lambda: view.viewport().rect().contains(view.visualRect(cell).center()))
    spot = view.visualRect(cell).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert (driver.state.number, driver.state.selection) == (2, 2)
    assert driver.panel.chosen == FOUND[2]


def test_enter_goes_there_and_arrows_only_read(driver: DoctorDriver) -> None:
    driver.show(FOUND)
    view = driver.panel.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert driver.state.number == 1
    assert "Sentence 2." in driver.page
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert (driver.state.number, driver.state.selection) == (5, 1)


def test_the_button_goes_there_too(driver: DoctorDriver) -> None:
    driver.show(FOUND)
    assert driver.panel.page.go.text() == "Go to step 6"
    QTest.mouseClick(driver.panel.page.go, Qt.MouseButton.LeftButton)
    assert driver.state.number == 6


def test_one_without_a_step_has_no_button(driver: DoctorDriver) -> None:
    driver.show(FOUND[:1])
    assert driver.panel.page.go.isHidden()
    before = driver.state.number
    QTest.keyClick(driver.panel.view, Qt.Key.Key_Return)
    assert driver.state.number == before


def test_where_lines_were_recorded_it_goes_to_the_line(driver: DoctorDriver) -> None:
    trace = inside_trace()
    inside = next(each for each in trace.insides if any(part.lines for part in each.parts))
    part = next(each for each in inside.parts if each.lines)
    line = part.lines[-1].location
    at = next(at for at, each in enumerate(part.lines) if each.location == line)
    found = finding(1, "silent_reduction", "warning", inside.id, None, line)
    driver.state.show(MemoryReader(replace(trace, findings=(found,)), INSIDE_TENSORS))
    QTest.mouseClick(driver.panel.page.go, Qt.MouseButton.LeftButton)
    assert driver.state.place == TracePosition(step=inside.id, stage=part.stage, line=at)


def test_without_findings_the_rules_are_listed(driver: DoctorDriver) -> None:
    driver.show(())
    assert not driver.panel.view.isVisible()
    assert "No problems were found in this run." in driver.page
    observed, rest = driver.page.split("Checked where a run differentiates twice")
    second_order, rest = rest.split("Checked where a run uses a transform")
    transform, read = rest.split("Read from the source:")
    needed = {"": observed, "second_order": second_order, "transform": transform}
    for rule in DOCTOR_RULES:
        place = read if rule.evidence[0] == "source" else needed[rule.needs]
        assert f"{rule.id}  {rule.title}" in place


def test_a_mismatch_is_shown_although_there_are_no_findings(driver: DoctorDriver) -> None:
    driver.show(())
    index = driver.state.index
    assert index is not None
    assert "mismatch" not in driver.page
    wrong = wrong_report()
    for reports, told in (
        ((wrong,), True),
        ((wrong, replace(wrong, id=2, verdict="match")), False),
        ((wrong, replace(wrong, id=2, verdict="match", order=2)), True),
    ):
        reader = MemoryReader(replace(index.trace, reports=reports), LINEAR_TENSORS)
        driver.state.show_appended(reader, index_trace(reader.trace()))
        assert "No problems were found in this run." in driver.page
        assert ("the Jacobian check found a mismatch" in driver.page) == told


def test_what_a_check_says_is_reported() -> None:
    diagnosis = Diagnosis(code="transposed", message="A transpose is missing.", output=0, input=1)
    wrong = replace(wrong_report(), diagnoses=(diagnosis,))
    assert checked_text([wrong]) == (
        "However, the Jacobian check found a mismatch. A transpose is missing. See the "
        "Jacobians tab."
    )
    unseen = replace(wrong, id=2, order=2, verdict="match")
    assert checked_text([wrong, unseen]).splitlines()[1] == (
        "However, the check found a problem that gradcheck does not detect. A transpose "
        "is missing. See the Jacobians tab."
    )
    unknown = replace(diagnosis, code="unknown")
    told = checked_text([replace(wrong, diagnoses=(unknown,))])
    assert told == "However, the Jacobian check found a mismatch. See the Jacobians tab."
    none = replace(diagnosis, code="none")
    assert checked_text([wrong, replace(wrong, id=2, verdict="match", diagnoses=(none,))]) == ""


def test_without_a_run_nothing_is_claimed(driver: DoctorDriver) -> None:
    assert "Nothing was found" not in driver.page
    assert driver.page == "Findings about the run appear here."


def test_quiz_mode_hides_later_results(driver: DoctorDriver) -> None:
    driver.show(FOUND)
    driver.state.go_to(4)
    driver.state.set_quiz_mode()
    assert driver.listed == [3, 1]
    driver.state.go_to(5)
    driver.state.set_quiz_mode(False)
    assert driver.listed == [4, 2, 3, 1]


def test_the_theme_keeps_the_choice(driver: DoctorDriver) -> None:
    driver.show(FOUND)
    driver.panel.view.setCurrentIndex(driver.panel.view.rows.index(2, 0))
    driver.state.set_theme(DARK)
    assert driver.panel.chosen == FOUND[2]
    assert "Sentence 3." in driver.page


def test_text_from_outside_stays_text(driver: DoctorDriver) -> None:
    odd = replace(FOUND[1], message="<b>bold</b> & <img src=x>")
    driver.show((odd,))
    assert driver.panel.page.message.textFormat() == Qt.TextFormat.PlainText
    rows = driver.panel.view.rows
    tip = rows.data(rows.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    assert isinstance(tip, str)
    assert "<b>" not in tip
