"""The stages of a check, one after the other, in the order in which gradcheck has them."""

from __future__ import annotations

from gradviz.checks import problems
from gradviz.checks.attempt import Attempt
from gradviz.checks.conditions import outputs_can_be_checked
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.examine import examine
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.findings import Findings, Stage
from gradviz.checks.full_jacobians import FullJacobians, check_that_nothing_changes
from gradviz.checks.listeners import MatrixSink
from gradviz.checks.parts import parts_of
from gradviz.checks.reference.opinion import Reference
from gradviz.checks.running import Running
from gradviz.checks.subject import Subject
from gradviz.checks.ways import Ways
from gradviz.checks.zero_and_undefined import check_undefined, check_zero, expected_evaluations
from gradviz.model.check_settings import CheckSettings


class Stages:
    """A check under way.

    Args:
        subject: What is checked; its inputs are known to be fit for it.
        settings: Step, tolerances and what is looked at.
        sink: Keeps the matrices.
        evaluations: Counts what is evaluated.
        findings: Gets what is found.
        reference: A plain version of it; None for none.
    """

    def __init__(
        self,
        subject: Subject,
        settings: CheckSettings,
        sink: MatrixSink,
        evaluations: Evaluations,
        findings: Findings,
        reference: Reference | None = None,
    ) -> None:
        self._running = Running(
            subject=subject,
            inputs=subject.inputs,
            settings=settings,
            sink=sink,
            evaluations=evaluations,
            findings=findings,
            ways=Ways(subject.function, subject.arguments, subject.tensors, evaluations),
            reference=reference,
        )

    def run(self) -> None:
        """Goes through all stages, and says what is behind what they found.

        Raises:
            CheckCancelledError: If the check was cancelled; what was found until then stays.
        """
        self._compare()
        running = self._running
        case = Case(
            subject=running.subject,
            settings=running.settings,
            ways=running.ways,
            evaluations=running.evaluations,
            sink=running.sink,
            findings=running.findings,
            pairs=tuple(running.pairs),
            output_names=running.output_names,
        )
        examine(case)

    def _compare(self) -> None:
        running = self._running
        running.evaluations.expect(1)
        with Attempt() as attempt:
            outputs = running.ways.evaluate()
        if attempt.error is not None:
            problem = problems.raised(running.subject.called, attempt.error)
            running.findings.fault(Stage.FORWARD, problem, "error")
            return
        running.output_names = running.subject.output_names(len(outputs))
        if not outputs_can_be_checked(running.output_names, outputs, running.findings):
            return
        parts = parts_of(outputs, differentiable=True)
        if not parts:
            check_that_nothing_changes(running, outputs)
            return
        jacobians = FullJacobians(running, outputs, parts)
        running.evaluations.expect(jacobians.expected_evaluations())
        running.evaluations.expect(expected_evaluations(outputs))
        if jacobians.run():
            check_zero(running, outputs)
            check_undefined(running, outputs)
