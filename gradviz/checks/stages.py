"""The stages of a check, run in gradcheck's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.checks import batched, fast_forward, problems
from gradviz.checks.arguments import put_back
from gradviz.checks.attempt import Attempt
from gradviz.checks.chance import same_chance
from gradviz.checks.conditions import outputs_can_be_checked
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.examine import examine
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.fast import FastJacobians, check_that_nothing_changes_fast
from gradviz.checks.findings import Findings, Stage
from gradviz.checks.forward_mode import ForwardMode, check_undefined_forward, is_wanted
from gradviz.checks.full_jacobians import FullJacobians, check_that_nothing_changes
from gradviz.checks.listeners import MatrixSink
from gradviz.checks.parts import Part, parts_of
from gradviz.checks.reference.opinion import Reference
from gradviz.checks.running import Running
from gradviz.checks.subject import Subject
from gradviz.checks.ways import Ways
from gradviz.checks.zero_and_undefined import check_undefined, check_zero, expected_evaluations
from gradviz.model.check_settings import CheckSettings


class Stages:
    """Runner of a check's stages.

    Args:
        subject: What is checked; its inputs have passed the preconditions.
        settings: Step, tolerances, and which checks to run.
        sink: Stores the matrices.
        evaluations: Counts the evaluations.
        findings: Collects the results.
        reference: A reference implementation; None if not given.
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
        """Run all stages, then diagnose what they found.

        Raises:
            CheckCancelledError: If the check was cancelled; earlier findings are kept.
        """
        with put_back(self._running.subject.arguments):
            self._compare()
        running = self._running
        case = Case(
            subject=running.subject,
            settings=running.settings,
            ways=running.ways,
            evaluations=running.evaluations,
            sink=running.sink,
            findings=running.findings,
            pairs=running.pairs,
            output_names=running.output_names,
        )
        with same_chance(running.subject.tensors):  # Only gradcheck's own runs advance the RNG.
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
        self._differentiate(outputs)

    def _differentiate(self, outputs: tuple[Any, ...]) -> None:
        running = self._running
        parts = parts_of(outputs, differentiable=True)
        compare = self._compare_fast if running.settings.fast else self._compare_full
        if not compare(outputs, parts):
            return
        if parts:
            running.evaluations.expect(expected_evaluations(outputs))
            if running.settings.batched:
                running.evaluations.expect(batched.expected_evaluations(outputs))
                batched.check_batched(running, outputs)
            check_zero(running, outputs)
            check_undefined(running, outputs)

    def _compare_full(self, outputs: tuple[Any, ...], parts: Sequence[Part]) -> bool:
        """Compare backward and forward mode element by element; False if the function raised."""
        running = self._running
        forward = ForwardMode(running, outputs, parts) if is_wanted(running) else None
        if forward is not None:
            running.findings.forward_mode = True
            running.evaluations.expect(forward.expected_evaluations())
        if parts:
            jacobians = FullJacobians(running, outputs, parts, forward)
            running.evaluations.expect(jacobians.expected_evaluations())
            goes_on = jacobians.run()
        else:
            goes_on = check_that_nothing_changes(running, outputs)
        if forward is not None and goes_on and not forward.has_raised:
            check_undefined_forward(running)
        return goes_on

    def _compare_fast(self, outputs: tuple[Any, ...], parts: Sequence[Part]) -> bool:
        """Compare backward and forward mode by random products; False if the function raised."""
        running = self._running
        running.findings.fast = True
        if parts:
            jacobians = FastJacobians(running, outputs, parts)
            running.evaluations.expect(jacobians.expected_evaluations())
            goes_on = jacobians.run()
        else:
            goes_on = check_that_nothing_changes_fast(running, outputs)
        if goes_on and is_wanted(running):
            running.findings.forward_mode = True
            running.evaluations.expect(fast_forward.expected_evaluations(running))
            if fast_forward.check_forward_fast(running, outputs):
                check_undefined_forward(running)
        return goes_on
