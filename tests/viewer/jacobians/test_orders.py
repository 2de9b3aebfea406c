"""First- and second-order reports in one panel, and the messages without a report."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem, JacobianReport
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.state import ViewerState
from tests.viewer.column_texts import column_texts
from tests.viewer.traces import MemoryReader, linear_reader, wrong_report
from tests.viewer.traces import wrong_reader as first_reader

SAID = Diagnosis(code="transposed", message="A transpose is missing.", output=0, input=1, part="")
LOST = CheckProblem(
    code="gradient_without_history", message="The gradient of bias has no history.", decides=False
)


def first() -> JacobianReport:
    return replace(wrong_report(), diagnoses=(SAID,))


def second() -> JacobianReport:
    blocks = tuple(
        replace(each, output_name=f"grad_{each.input_name}", wrong=0) for each in first().blocks
    )
    return replace(
        first(), id=2, order=2, blocks=blocks, verdict="match", problems=(LOST,), diagnoses=()
    )


def reader_of(*reports: JacobianReport) -> MemoryReader:
    made = first_reader()
    trace = replace(made.trace(), reports=reports)
    return MemoryReader(trace, tuple((each, made.value(each.id)) for each in trace.tensors))


def click(qtbot: QtBot, panel: JacobiansPanel, order: int) -> None:
    qtbot.mouseClick(panel.bar.switch.segment(order - 1), Qt.MouseButton.LeftButton)


def test_both_reports_can_be_looked_at(
    panel: JacobiansPanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(reader_of(first(), second()))
    assert panel.bar.order == 2
    shown = " | ".join(panel.findings.verdict.texts)
    assert "Passed: the analytical and the numerical Jacobians of its backward match." in shown
    assert "The gradient of bias has no history." in shown
    assert "compares backward only with itself" in shown
    assert column_texts(panel.pairs, 0)[0].startswith("∂ grad_input / ∂ input")
    click(qtbot, panel, 1)
    shown = " | ".join(panel.findings.verdict.texts)
    assert "6 of 36 outside the tolerance" in shown
    assert "only with itself" not in shown
    assert column_texts(panel.pairs, 0)[0].startswith("∂ output / ∂ input")
    click(qtbot, panel, 2)
    assert (
        "Passed: the analytical and the numerical Jacobians of its backward match."
        in panel.findings.verdict.texts[0]
    )


def test_second_order_points_to_the_first(panel: JacobiansPanel, state: ViewerState) -> None:
    state.show(reader_of(second()))
    assert "Run gradcheck too." in " ".join(panel.findings.verdict.texts)
    state.show(reader_of(first(), second()))
    assert "gradcheck fails here." in " ".join(panel.findings.verdict.texts)
    state.show(reader_of(replace(first(), verdict="match"), second()))
    assert "gradcheck passes here." in " ".join(panel.findings.verdict.texts)


def test_the_diagnosis_is_that_of_the_chosen_pair(
    panel: JacobiansPanel, state: ViewerState
) -> None:
    state.show(reader_of(first()))
    assert panel.pairs.current_key == 1
    assert panel.findings.cards[0].texts == ("Transposed", "certain", "A transpose is missing.")
    panel.pairs.go_to(0)
    assert panel.findings.cards == ()


def test_an_order_that_was_not_checked_says_what_it_would_be(
    panel: JacobiansPanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(reader_of(first()))
    click(qtbot, panel, 2)
    assert "The backward has not been checked yet." in panel.maps.hint
    assert not panel.findings.verdict.isVisible()
    assert panel.maps.view is None
    click(qtbot, panel, 1)
    assert panel.maps.hint == ""


def test_a_new_report_is_shown_whatever_its_order(
    panel: JacobiansPanel, state: ViewerState
) -> None:
    state.show(reader_of(second()))
    reader = reader_of(second(), replace(first(), id=3))
    state.reports_changed.emit(reader.trace().reports)
    assert panel.bar.order == 1


def test_what_is_checked_is_named_before(panel: JacobiansPanel, state: ViewerState) -> None:
    state.show(linear_reader())
    panel.set_subject("MyCube", "MyCube", has_jacobians=True)
    assert panel.start.count.text() == "In this scene, the check tests MyCube."


def test_a_scene_without_jacobians_says_so(
    panel: JacobiansPanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(linear_reader())
    panel.set_subject("", "", has_jacobians=False)
    panel.set_checkable(False, "This scene has no Jacobians to check.")
    assert panel.maps.hint.startswith("This scene has no Jacobians to check.")
    assert not panel.bar.check_button.isEnabled()
    assert panel.bar.problem.text() == "This scene has no Jacobians to check."
    panel.set_checkable(True)
    assert panel.bar.check_button.isEnabled()
    click(qtbot, panel, 2)
    assert panel.maps.hint.startswith("This scene has no Jacobians to check.")


def test_a_backward_for_once_is_no_mismatch_of_numbers(
    panel: JacobiansPanel, state: ViewerState
) -> None:
    once = CheckProblem(code="once_differentiable", message="It is marked once_differentiable.")
    state.show(reader_of(replace(second(), blocks=(), problems=(once,), verdict="mismatch")))
    assert "its backward cannot be differentiated" in panel.findings.verdict.texts[0]
    assert "compares backward only with itself" not in " ".join(panel.findings.verdict.texts)
