"""The stages of a check, one after the other, in the order in which gradcheck has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from gradviz.checks import problems
from gradviz.checks.analytical import Analytical
from gradviz.checks.arguments import Wanted
from gradviz.checks.attempt import Attempt
from gradviz.checks.backward_rules import differentiable, nonzero_gradients, with_undefined
from gradviz.checks.compare import compare
from gradviz.checks.conditions import outputs_can_be_checked
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.examine import examine
from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.dropped import Dropped
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.findings import Findings, Stage
from gradviz.checks.listeners import MatrixSink
from gradviz.checks.matrices import matrix_value
from gradviz.checks.numerical import OutputChangedError
from gradviz.checks.parts import Part, parts_of
from gradviz.checks.reference.opinion import Opinion, Reference, opinion
from gradviz.checks.reference.third import add_reference
from gradviz.checks.subject import Subject
from gradviz.checks.ways import Ways
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian import JacobianBlock


class Stages:
    """A check under way.

    Args:
        subject: What is checked; its inputs are known to be fit for it.
        settings: Step and tolerances.
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
        self.findings = findings
        self._subject = subject
        self._inputs = subject.inputs
        self._settings = settings
        self._sink = sink
        self._evaluations = evaluations
        self._tensors = subject.tensors
        self._ways = Ways(subject.function, subject.arguments, self._tensors, evaluations)
        self._output_names: tuple[str, ...] = ()
        self._pairs: list[Pair] = []
        self._reference = reference
        self._opinion = Opinion()

    def run(self) -> None:
        """Goes through all stages, and says what is behind what they found.

        Raises:
            CheckCancelledError: If the check was cancelled; what was found until then stays.
        """
        self._compare()
        case = Case(
            subject=self._subject,
            settings=self._settings,
            ways=self._ways,
            evaluations=self._evaluations,
            sink=self._sink,
            findings=self.findings,
            pairs=tuple(self._pairs),
            output_names=self._output_names,
        )
        examine(case)

    def _compare(self) -> None:
        self._evaluations.expect(1)
        with Attempt() as attempt:
            outputs = self._ways.evaluate()
        if attempt.error is not None:
            problem = problems.raised(self._subject.called, attempt.error)
            self.findings.fault(Stage.FORWARD, problem, "error")
            return
        self._output_names = self._subject.output_names(len(outputs))
        if not outputs_can_be_checked(self._output_names, outputs, self.findings):
            return
        parts = parts_of(outputs, differentiable=True)
        if not parts:
            self._check_that_nothing_changes(outputs)
            return
        self._expect(outputs, parts)
        self._ask_reference(outputs, parts)
        dropped = Dropped(self._subject, outputs, self._settings.atol)
        analytical = self._analytical(outputs, parts)
        if self._numerical(parts, analytical, dropped):
            self._check_zero(outputs)
            self._check_undefined(len(differentiable(outputs)))

    def _ask_reference(self, outputs: tuple[Any, ...], parts: Sequence[Part]) -> None:
        if self._reference is None:
            return
        self._opinion = opinion(self._reference, self._subject, outputs, parts, self._evaluations)
        self.findings.reference = self._reference.title
        if self._opinion.problem:
            self.findings.notice(problems.reference_unfit(self._opinion.problem))

    def _expect(self, outputs: tuple[Any, ...], parts: Sequence[Part]) -> None:
        backward = sum(self._ways.passes(outputs, part) for part in parts)
        count = len(differentiable(outputs))
        undefined = 2 * (1 + (count if count > 1 else 0))
        self._evaluations.expect(backward + self._moves() + 1 + undefined)

    def _moves(self) -> int:
        return sum(map(self._ways.moves, self._tensors))

    def _analytical(self, outputs: tuple[Any, ...], parts: Sequence[Part]) -> dict[int, Analytical]:
        """Analytical Jacobians by index of the part, without those whose backward raised."""
        found = {}
        for k, part in enumerate(parts):
            with Attempt() as attempt:
                found[k] = self._ways.analytical(outputs, part)
            if attempt.error is not None:
                what = f"Backward from {self._output_names[part.output]}"
                problem = problems.raised(what, attempt.error)
                self.findings.fault(Stage.JACOBIANS, problem, "error", k)
            else:
                self._judge_analytical(k, part, found[k])
        return found

    def _judge_analytical(self, k: int, part: Part, analytical: Analytical) -> None:
        name, allowed = self._output_names[part.output], self._settings.nondet_tol
        for i in analytical.misfits:
            problem = problems.gradient_form(self._inputs[i].name, name)
            self.findings.fault(Stage.JACOBIANS, problem, "mismatch", k)
        for each, spread in zip(self._inputs, analytical.spreads, strict=True):
            if spread > allowed:
                problem = problems.nondeterministic(each.name, name, spread, allowed)
                self.findings.fault(Stage.JACOBIANS, problem, "mismatch", k)

    def _numerical(
        self, parts: Sequence[Part], analytical: dict[int, Analytical], dropped: Dropped
    ) -> bool:
        """Finishes the blocks input by input; False if the function raised."""
        for i, each in enumerate(self._inputs):
            matrices = self._differences(each, (*parts, *dropped.parts))
            if matrices is None:
                return False
            dropped.watch(each.name, matrices[len(parts) :])
            for k, (part, numerical) in enumerate(zip(parts, matrices, strict=False)):
                if k in analytical:
                    self._finish(k, part, each, analytical[k].matrices[i], numerical)
                if k in analytical and k in self._opinion.matrices:
                    plain = self._opinion.matrices[k][i]
                    place = part.output, each.position, part.part
                    add_reference(
                        place, plain, numerical, self._sink, self._settings, self.findings
                    )
        for problem in dropped.problems():
            self.findings.notice(problem)
        return True

    def _differences(self, moved: Wanted, parts: Sequence[Part]) -> list[Tensor] | None:
        problem = None
        try:
            with Attempt() as attempt:
                return self._ways.numerical(moved.tensor, parts, self._settings.eps)
        except OutputChangedError as error:
            problem = problems.output_changed(moved.name, error)
        if attempt.error is not None:
            problem = problems.raised(
                f"With {moved.name} moved a little, {self._subject.called.lower()}", attempt.error
            )
        if problem is not None:
            self.findings.fault(Stage.NUMERICAL, problem, "error")
        return None

    def _finish(
        self, k: int, part: Part, each: Wanted, analytical: Tensor, numerical: Tensor
    ) -> None:
        """Adds the block of one pair, and keeps a pair that does not agree for later."""
        input_shape, output_shape = tuple(each.tensor.shape), tuple(part.shape)
        comparison = compare(
            analytical,
            numerical,
            atol=self._settings.atol,
            rtol=self._settings.rtol,
            input_shape=input_shape,
            output_shape=output_shape,
        )
        block = JacobianBlock(
            output=part.output,
            output_name=self._output_names[part.output],
            output_shape=output_shape,
            input=each.position,
            input_name=each.name,
            input_shape=input_shape,
            part=part.part,
            numerical=self._sink.store(matrix_value(numerical)),
            analytical=self._sink.store(matrix_value(analytical)),
            wrong=comparison.wrong,
            worst=comparison.worst,
        )
        if block.wrong and block.worst is not None:
            pair = Pair(
                sink=self._sink,
                order=self._subject.order,
                block=block,
                worst=block.worst,
                numerical=numerical,
                analytical=analytical,
                atol=self._settings.atol,
                rtol=self._settings.rtol,
            )
            self._pairs.append(pair)
        self.findings.block(k, block)

    def _check_that_nothing_changes(self, outputs: tuple[Any, ...]) -> None:
        """Without a differentiable output, gradcheck asks that no output change at all."""
        parts = parts_of(outputs, differentiable=False)
        self._evaluations.expect(self._moves())
        for each in self._inputs:
            matrices = self._differences(each, parts)
            if matrices is None:
                return
            for part, matrix in zip(parts, matrices, strict=True):
                if bool(matrix.ne(0).any()):
                    name = self._output_names[part.output]
                    problem = problems.numerical_not_zero(name, each.name, self._subject.order)
                    self.findings.fault(Stage.NUMERICAL, problem, "mismatch")
        self.findings.notice(problems.not_differentiable(self._subject.order))

    def _check_zero(self, outputs: tuple[Any, ...]) -> None:
        self._evaluations.begin()
        nonzero: list[int] = []
        with Attempt() as attempt:
            chosen = [value for _, value in differentiable(outputs)]
            nonzero = nonzero_gradients(chosen, self._tensors)
        if attempt.error is not None:
            problem = problems.raised("Backward from zeros", attempt.error)
            self.findings.fault(Stage.ZERO, problem, "error")
        for i in nonzero:
            problem = problems.not_multiplied(self._inputs[i].name)
            self.findings.fault(Stage.ZERO, problem, "mismatch")

    def _check_undefined(self, count: int) -> None:
        """All gradients undefined at once, and where there are several, each alone."""
        for which in (None, *(range(count) if count > 1 else ())):
            with Attempt() as attempt:
                outputs = self._ways.evaluate()
            if attempt.error is not None:
                problem = problems.raised(self._subject.called, attempt.error)
                self.findings.fault(Stage.UNDEFINED, problem, "error")
                return
            self._check_undefined_one(outputs, which)

    def _check_undefined_one(self, outputs: tuple[Any, ...], which: int | None) -> None:
        chosen = differentiable(outputs)
        name = "every output" if which is None else self._output_names[chosen[which][0]]
        name = self._output_names[0] if len(self._output_names) == 1 else name
        self._evaluations.begin()
        nonzero: list[int] = []
        with Attempt() as attempt:
            undefined = with_undefined([value for _, value in chosen], which)
            nonzero = nonzero_gradients(undefined, self._tensors)
        if attempt.error is not None:
            problem = problems.undefined_raised(name, attempt.error)
            refused = isinstance(attempt.error, RuntimeError)
            self.findings.fault(Stage.UNDEFINED, problem, "mismatch" if refused else "error")
        for i in nonzero:
            problem = problems.undefined_not_zero(name, self._inputs[i].name)
            self.findings.fault(Stage.UNDEFINED, problem, "mismatch")
