"""Full numerical and analytical Jacobians, element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from gradviz.checks import problems
from gradviz.checks.analytical import Analytical
from gradviz.checks.arguments import Wanted
from gradviz.checks.attempt import Attempt
from gradviz.checks.backward_lines import backward_lines
from gradviz.checks.compare import compare
from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.dropped import Dropped
from gradviz.checks.findings import Stage
from gradviz.checks.forward_mode import ForwardMode
from gradviz.checks.layouts import is_dense
from gradviz.checks.matrices import matrix_value
from gradviz.checks.numerical import OutputChangedError
from gradviz.checks.parts import Part, parts_of
from gradviz.checks.reference.opinion import Opinion, opinion
from gradviz.checks.reference.third import add_reference
from gradviz.checks.running import Running
from gradviz.checks.unfinished import Unfinished
from gradviz.model.jacobian import CheckProblem, JacobianBlock, Verdict
from gradviz.model.source import Location


class FullJacobians:
    """The full Jacobians of some output parts with respect to some inputs.

    Args:
        running: The check.
        outputs: What the function returned.
        parts: The parts of the outputs to differentiate.
        forward: Forward mode, if it is to be compared.
        only: Indices of the inputs that get blocks; all if omitted.
        decides: Whether the results affect the verdict.
    """

    def __init__(
        self,
        running: Running,
        outputs: tuple[Any, ...],
        parts: Sequence[Part],
        forward: ForwardMode | None = None,
        *,
        only: frozenset[int] | None = None,
        decides: bool = True,
    ) -> None:
        self._running = running
        self._outputs = outputs
        self._parts = parts
        self._inputs = running.inputs
        self._settings = running.settings
        self._findings = running.findings
        self._opinion = Opinion()
        self._forward = forward
        self._decides = decides
        self._only = frozenset(range(len(running.inputs))) if only is None else only
        self._whole: dict[int, Analytical] = {}
        self._unfinished = Unfinished(running, parts, self._whole, self._only)

    def expected_evaluations(self) -> int:
        """Number of evaluations planned."""
        ways = self._running.ways
        backward = sum(ways.passes(self._outputs, part) for part in self._parts)
        return backward + sum(ways.moves(each.tensor) for _, each in self._chosen())

    def run(self) -> bool:
        """Compute all blocks, input by input; return False if the function raised."""
        self._unfinished.watch()
        goes_on = self._run()
        self._unfinished.stop()
        return goes_on

    def _run(self) -> bool:
        subject, atol = self._running.subject, self._settings.atol
        self._ask_reference()
        count = len(self._parts)
        dropped = Dropped(subject, self._outputs, atol)
        analytical = self._analytical()
        for i, each in self._chosen():
            self._unfinished.at_input(i)
            matrices = self._differences(each, (*self._parts, *dropped.parts))
            if matrices is None:
                return False
            dropped.watch(each.name, matrices[count:])
            beside = {} if self._forward is None else self._forward.compared(i, matrices[:count])
            for k, (part, numerical) in enumerate(zip(self._parts, matrices, strict=False)):
                if k in analytical:
                    self._unfinished.finish(k, i)
                    pair = analytical[k].matrices[i], numerical
                    self._finish(k, part, each, *pair, beside.get(k))
                    self._add_reference(k, i, part, numerical)
        for problem in dropped.problems():
            self._findings.notice(problem)
        for diagnosis in dropped.diagnoses():
            self._findings.diagnose(diagnosis)
        return True

    def _chosen(self) -> list[tuple[int, Wanted]]:
        return [(i, each) for i, each in enumerate(self._inputs) if i in self._only]

    def _fault(self, stage: Stage, problem: CheckProblem, verdict: Verdict, k: int = 0) -> None:
        if self._decides:
            self._findings.fault(stage, problem, verdict, k)
        else:
            self._findings.notice(problems.undecided(problem))

    def _differences(self, moved: Wanted, parts: Sequence[Part]) -> list[Tensor] | None:
        matrices, problem = differences(self._running, moved, parts)
        if problem is not None:
            self._fault(Stage.NUMERICAL, problem, "error")
        return matrices

    def _ask_reference(self) -> None:
        running = self._running
        if running.reference is None:
            return
        asked = running.reference, running.subject, self._outputs, self._parts
        self._opinion = opinion(*asked, running.evaluations)
        self._findings.reference = running.reference.title
        if self._opinion.problem:
            self._findings.notice(problems.reference_unfit(self._opinion.problem))

    def _add_reference(self, k: int, i: int, part: Part, numerical: Tensor) -> None:
        if k not in self._opinion.matrices:
            return
        place = part.output, self._inputs[i].position, part.part
        plain, running = self._opinion.matrices[k][i], self._running
        add_reference(place, plain, numerical, running.sink, running.settings, running.findings)

    def _analytical(self) -> dict[int, Analytical]:
        """Analytical Jacobians by part index; parts whose backward raised are left out."""
        found = self._whole
        for k, part in enumerate(self._parts):
            self._unfinished.at_part(k)
            with Attempt() as attempt:
                found[k] = self._running.ways.analytical(self._outputs, part)
            if attempt.error is not None:
                what = f"Backward from {self._running.output_names[part.output]}"
                problem = problems.raised(what, attempt.error)
                self._fault(Stage.JACOBIANS, problem, "error", k)
            else:
                self._judge(k, part, found[k])
        return found

    def _judge(self, k: int, part: Part, analytical: Analytical) -> None:
        name, allowed = self._running.output_names[part.output], self._settings.nondet_tol
        for i in analytical.misfits:
            problem = problems.gradient_form(self._inputs[i].name, name)
            self._fault(Stage.JACOBIANS, problem, "mismatch", k)
        for each, spread in zip(self._inputs, analytical.spreads, strict=True):
            if spread > allowed:
                problem = problems.nondeterministic(each.name, name, spread, allowed)
                self._fault(Stage.JACOBIANS, problem, "mismatch", k)

    def _lines(self, part: Part, tensor: Tensor) -> tuple[Location, ...]:
        if not is_dense(tensor):
            return ()
        return backward_lines(self._running.subject, self._outputs[part.output], tensor)

    def _finish(
        self,
        k: int,
        part: Part,
        each: Wanted,
        analytical: Tensor,
        numerical: Tensor,
        forward: tuple[Tensor, int] | None,
    ) -> None:
        """Add the block of one pair, and keep the pair for diagnosis if it has wrong elements."""
        input_shape, output_shape = tuple(each.tensor.shape), tuple(part.shape)
        comparison = compare(
            analytical,
            numerical,
            atol=self._settings.atol,
            rtol=self._settings.rtol,
            input_shape=input_shape,
            output_shape=output_shape,
        )
        sink = self._running.sink
        block = JacobianBlock(
            output=part.output,
            output_name=self._running.output_names[part.output],
            output_shape=output_shape,
            input=each.position,
            input_name=each.name,
            input_shape=input_shape,
            part=part.part,
            numerical=sink.store(matrix_value(numerical)),
            analytical=sink.store(matrix_value(analytical)),
            wrong=comparison.wrong,
            worst=comparison.worst,
            forward=None if forward is None else sink.store(matrix_value(forward[0])),
            forward_wrong=0 if forward is None else forward[1],
            lines=self._lines(part, each.tensor),
        )
        if block.wrong and block.worst is not None:
            pair = Pair(
                sink=sink,
                order=self._running.subject.order,
                block=block,
                worst=block.worst,
                numerical=numerical,
                analytical=analytical,
                atol=self._settings.atol,
                rtol=self._settings.rtol,
            )
            self._running.pairs.append(pair)
        self._findings.block(k, block, decides=self._decides)


def moves(running: Running) -> int:
    """Number of evaluations planned for all numerical Jacobians."""
    return sum(running.ways.moves(each.tensor) for each in running.inputs)


def differences(
    running: Running, moved: Wanted, parts: Sequence[Part]
) -> tuple[list[Tensor] | None, CheckProblem | None]:
    """The numerical Jacobians with respect to one input, or the problem that occurred."""
    return attempted(
        running, moved, lambda: running.ways.numerical(moved.tensor, parts, running.settings.eps)
    )


def attempted(
    running: Running, moved: Wanted, work: Callable[[], list[Tensor]]
) -> tuple[list[Tensor] | None, CheckProblem | None]:
    """Result of work that perturbs an input, or a problem if the function raised."""
    with Attempt() as attempt:
        return work(), None
    if attempt.error is None:
        return None, None
    if isinstance(attempt.error, OutputChangedError):
        return None, problems.output_changed(moved.name, attempt.error)
    called = running.subject.called.lower()
    return None, problems.raised(f"With {moved.name} perturbed slightly, {called}", attempt.error)


def check_that_nothing_changes(running: Running, outputs: tuple[Any, ...]) -> bool:
    """Check that non-differentiable outputs do not change at all.

    gradcheck does this if no output is differentiable.

    Returns:
        False if the function raised.
    """
    parts = parts_of(outputs, differentiable=False)
    running.evaluations.expect(moves(running))
    order = running.subject.order
    for each in running.inputs:
        matrices, problem = differences(running, each, parts)
        if problem is not None:
            running.findings.fault(Stage.NUMERICAL, problem, "error")
        if matrices is None:
            return False
        for part, matrix in zip(parts, matrices, strict=True):
            if bool(matrix.ne(0).any()):
                name = running.output_names[part.output]
                problem = problems.numerical_not_zero(name, each.name, order)
                running.findings.fault(Stage.NUMERICAL, problem, "mismatch")
    running.findings.notice(problems.not_differentiable(order))
    return True
