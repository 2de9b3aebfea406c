"""Full numerical and analytical Jacobians, element by element.

Lines in a custom Function's ``backward`` that compute the gradient of one argument. Covers only
what can be read directly from the source: the expression returned in the argument's position, and
the assignments to the names in it. Gradients that come from a dictionary or another function are
not traced.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import CodeType
from typing import Any

from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.arguments import CheckSubject, DifferentiatedInput, block_of
from gradviz.checks.backward_function import argument_of, custom_nodes
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.jacobians.analytical import AnalyticalJacobians
from gradviz.checks.jacobians.matrices import compare, matrix_value
from gradviz.checks.jacobians.numerical import OutputChangedError
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import OutputPart, parts_of
from gradviz.checks.problem_messages import UserCodeAttempt, make_problem, varying
from gradviz.checks.reference.reference_jacobians import (
    ReferenceJacobians,
    attach_reference,
    reference_jacobians,
)
from gradviz.checks.reliability.cancellation import note_below_atol
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.run.partial_matrices import PartialMatrixKeeper
from gradviz.checks.sparse_layouts import is_dense
from gradviz.checks.stages.forward_mode import ForwardModeJacobians
from gradviz.linter.return_flow import receives
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem, CheckVerdict
from gradviz.model.source import Location
from gradviz.recorder.forward.function_source import nodes_of, read_function_source
from gradviz.recorder.sources import code_of, shown_path

Nodes = Sequence[ast.AST]
"""Syntax nodes of one function, without those of nested functions."""

_MOST = 12


def backward_lines(subject: CheckSubject, output: Tensor, target: Tensor) -> tuple[Location, ...]:
    """The lines that compute the gradient of an input from an output, last line first.

    If the checked function is not a custom Function, this reads the only custom Function on the way
    to the input. The result is empty if there are several.
    """
    if subject.order != 1:
        return ()
    cls = function_class(subject.function)
    places = [(cls, _position(subject, target))] if cls is not None else _used(output, target)
    if len(places) != 1 or places[0][0] is None:
        return ()
    code = code_of(read_function_source(places[0][0]).backward)
    if code is None:
        return ()
    name = getattr(code, "co_qualname", code.co_name)
    return tuple(
        [
            Location(source=None, path=shown_path(code.co_filename), line=line, function=name)
            for line in _lines(code, places[0][1])
        ]
    )


def _position(subject: CheckSubject, target: Tensor) -> int:
    return next(each.position for each in subject.inputs if each.tensor is target)


def _used(output: Tensor, target: Tensor) -> list[tuple[Any, int]]:
    """Custom Functions on the way to an input, each with the argument position it uses."""
    found = {
        (getattr(type(node), "_forward_cls", None), argument_of(node, slot)): None
        for node, slots in custom_nodes(output, target)
        for slot in slots
    }
    return list(found)


@functools.lru_cache(maxsize=256)
def _lines(code: CodeType, argument: int) -> tuple[int, ...]:
    nodes = [node for node, _ in nodes_of(code)]
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            found |= _of_returned(nodes, node.value, argument)
    return tuple(sorted(found, reverse=True)[:_MOST])


def _of_returned(nodes: Nodes, value: ast.expr, argument: int) -> set[int]:
    """Lines that one ``return`` uses for an argument; empty if the source is not clear."""
    value = _unwrapped(value)
    if isinstance(value, ast.Tuple | ast.List):
        return _of_element(nodes, value, argument)
    if isinstance(value, ast.IfExp):
        branches = (value.body, value.orelse)
        return set().union(*(_of_returned(nodes, each, argument) for each in branches))
    if isinstance(value, ast.Name):
        found = _of_sequence(nodes, value.id, argument)
        if found:
            return found | {value.lineno}
    # A single expression is the gradient of the first argument only.
    if argument:
        return set()
    return {value.lineno} | _of_names(nodes, value)


def _of_element(nodes: Nodes, value: ast.Tuple | ast.List, argument: int) -> set[int]:
    # A star before the argument moves it by an unknown number of positions.
    if any(isinstance(each, ast.Starred) for each in value.elts[: argument + 1]):
        return set()
    if argument >= len(value.elts):
        return set()
    element = value.elts[argument]
    return {element.lineno} | _of_names(nodes, element)


def _of_sequence(nodes: Nodes, name: str, argument: int) -> set[int]:
    """Lines that fill one position of a named tuple or list variable."""
    found: set[int] = set()
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        value = _unwrapped(node.value)
        for target in node.targets:
            if _is_place(target, name, argument):
                found |= {node.lineno} | _of_names(nodes, node.value)
            is_name = isinstance(target, ast.Name) and target.id == name
            if is_name and isinstance(value, ast.Tuple | ast.List):
                found |= _of_element(nodes, value, argument)
    return found


def _is_place(target: ast.expr, name: str, argument: int) -> bool:
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return False
    index = target.slice
    is_index = isinstance(index, ast.Constant) and index.value == argument
    return is_index and target.value.id == name


def _unwrapped(value: ast.expr) -> ast.expr:
    """The argument of ``tuple(...)`` or ``list(...)``; any other expression unchanged."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and len(value.args) == 1:
        return value.args[0] if value.func.id in ("tuple", "list") else value
    return value


def _of_names(nodes: Nodes, value: ast.expr) -> set[int]:
    """Lines that assign to an expression that is just a name, also through other names."""
    waiting, known, found = [value], set[str](), set[int]()
    while waiting:
        each = waiting.pop()
        branches = [each.body, each.orelse] if isinstance(each, ast.IfExp) else [each]
        names = {branch.id for branch in branches if isinstance(branch, ast.Name)} - known
        known |= names
        for node in nodes:
            if any(_gives(node, name) for name in names):
                found.add(getattr(node, "lineno", 0))
                given = getattr(node, "value", None)
                waiting += [given] if isinstance(given, ast.Name | ast.IfExp) else []
    return found


def _gives(node: ast.AST, name: str) -> bool:
    """Whether a statement assigns to a name or modifies it in place."""
    if isinstance(node, ast.Assign):
        return any(receives(target, name) for target in node.targets)
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return receives(node.target, name)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Attribute) and called.attr.endswith("_"):
            return receives(called.value, name)
    return False


class MissingHistoryCheck:
    """Detector of backward outputs that have no autograd history but change with the inputs.

    Does nothing for ``order=1``: an output of a function may be non-differentiable on purpose.

    Args:
        subject: What is checked.
        outputs: What it returned.
        atol: A gradient that changes by less than this per unit of an input counts as constant.
    """

    def __init__(self, subject: CheckSubject, outputs: tuple[Any, ...], atol: float) -> None:
        self.parts: tuple[OutputPart, ...] = ()
        self._atol = atol
        self._names = subject.names  # A backward's outputs are at the arguments' positions.
        self._changes: dict[int, dict[str, None]] = {}
        if subject.order == 2:
            every = parts_of(outputs, differentiable=False)
            self.parts = tuple(each for each in every if not outputs[each.output].requires_grad)

    def watch(self, moved: str, matrices: Sequence[Tensor]) -> None:
        """Evaluate the numerical Jacobians of these parts with respect to one input."""
        for part, matrix in zip(self.parts, matrices, strict=True):
            if bool((matrix.abs() > self._atol).any()):
                self._changes.setdefault(part.output, {})[moved] = None

    def problems(self) -> Iterator[CheckProblem]:
        """Yield one problem for each gradient that changes although it has no history."""
        for output, changes_with in self._changes.items():
            yield make_problem(
                "gradient_without_history",
                name=self._names[output],
                names=say_list(list(changes_with)),
            )

    def diagnoses(self) -> Iterator[Diagnosis]:
        """Yield a diagnosis for each such gradient, since no Jacobian block shows it."""
        for output, changes_with in self._changes.items():
            yield diagnosed(
                "double_backward_cut",
                say("missing_history", name=self._names[output]),
                about=(output, None, ""),
                evidence=(say("missing_history.changes", names=say_list(list(changes_with))),),
            )


class FullJacobians:
    """The full Jacobians of some output parts with respect to some inputs.

    If only forward mode is to be compared, its Jacobians are the analytical ones.

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
        running: CheckContext,
        outputs: tuple[Any, ...],
        parts: Sequence[OutputPart],
        forward: ForwardModeJacobians | None = None,
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
        self._opinion = ReferenceJacobians()
        self._forward = forward
        self._decides = decides
        self._only = frozenset(range(len(running.inputs))) if only is None else only
        self._whole: dict[int, AnalyticalJacobians] = {}
        self._unfinished = PartialMatrixKeeper(running, parts, self._whole, self._only)

    def expected_evaluations(self) -> int:
        """Number of evaluations planned."""
        evaluator = self._running.evaluator
        parts = self._parts if self._settings.backward_mode else ()
        backward = sum(evaluator.backward_passes(self._outputs, part) for part in parts)
        return backward + sum(
            evaluator.numerical_evaluations(each.tensor) for _, each in self._chosen()
        )

    def run(self) -> bool:
        """Compute all blocks, input by input; return False if the function raised."""
        self._unfinished.watch()
        # Without ``finally``: if the check is cancelled, the report shows the unfinished blocks.
        goes_on = self._run()
        self._unfinished.stop()
        return goes_on

    def _run(self) -> bool:
        subject, atol = self._running.subject, self._settings.atol
        self._ask_reference()
        dropped = MissingHistoryCheck(subject, self._outputs, atol)
        # All of them first: the loop then holds the numerical matrices of one input at a time.
        analytical = self._analytical() if self._settings.backward_mode else {}
        for i, each in self._chosen():
            self._unfinished.begin_input(i)
            if not self._compare_input(i, each, analytical, dropped):
                return False
        for problem in dropped.problems():
            self._findings.notice(problem)
        for diagnosis in dropped.diagnoses():
            self._findings.diagnose(diagnosis)
        return True

    def _compare_input(
        self,
        i: int,
        each: DifferentiatedInput,
        analytical: dict[int, AnalyticalJacobians],
        dropped: MissingHistoryCheck,
    ) -> bool:
        """Add the blocks of one input; return False if the function raised."""
        count = len(self._parts)
        matrices = self._differences(each, (*self._parts, *dropped.parts))
        if matrices is None:
            return False
        dropped.watch(each.name, matrices[count:])
        forward_results = (
            {} if self._forward is None else self._forward.compared(i, matrices[:count])
        )
        for k, (part, numerical) in enumerate(zip(self._parts, matrices, strict=False)):
            forward = forward_results.get(k)
            if k in analytical:
                pair = analytical[k].matrices[i], numerical
            elif forward is not None and not self._settings.backward_mode:
                pair, forward = (forward[0], numerical), None
            else:
                continue
            self._unfinished.finish(k, i)
            self._finish(k, part, each, *pair, forward)
            self._add_reference(k, i, part, numerical)
        return True

    def _chosen(self) -> list[tuple[int, DifferentiatedInput]]:
        return [(i, each) for i, each in enumerate(self._inputs) if i in self._only]

    def _fault(
        self, stage: CheckStage, problem: CheckProblem, verdict: CheckVerdict, k: int = 0
    ) -> None:
        if self._decides:
            self._findings.fault(stage, problem, verdict, k)
        else:
            self._findings.notice(problem)

    def _differences(
        self, moved: DifferentiatedInput, parts: Sequence[OutputPart]
    ) -> list[Tensor] | None:
        work = partial(self._running.evaluator.numerical, moved.tensor, parts, self._settings.eps)
        tell = partial(self._fault, CheckStage.NUMERICAL, verdict="error")
        return attempted(self._running, moved, work, tell)

    def _ask_reference(self) -> None:
        running = self._running
        if running.reference is None:
            return
        request = running.reference, running.subject, self._outputs, self._parts
        self._opinion = reference_jacobians(*request, running.evaluations)
        self._findings.add(reference=running.reference.title)
        if self._opinion.problem:
            self._findings.notice(make_problem("reference_unfit", reason=self._opinion.problem))

    def _add_reference(self, k: int, i: int, part: OutputPart, numerical: Tensor) -> None:
        if k not in self._opinion.matrices:
            return
        place = part.output, self._inputs[i].position, part.part
        plain, running = self._opinion.matrices[k][i], self._running
        attach_reference(place, plain, numerical, running.sink, running.settings, running.findings)

    def _analytical(self) -> dict[int, AnalyticalJacobians]:
        """Analytical Jacobians by part index; parts whose backward raised are left out."""
        found = self._whole
        for k, part in enumerate(self._parts):
            self._unfinished.begin_part(k)
            with UserCodeAttempt() as attempt:
                found[k] = self._running.evaluator.analytical(self._outputs, part)
            if attempt.error is not None:
                problem = self._running.backward_raised(part.output, attempt.error)
                self._fault(CheckStage.JACOBIANS, problem, "error", k)
            else:
                self._judge(k, part, found[k])
        return found

    def _judge(self, k: int, part: OutputPart, analytical: AnalyticalJacobians) -> None:
        name, allowed = self._running.output_names[part.output], self._settings.nondet_tol
        for i in analytical.misfits:
            problem = make_problem("gradient_form", name=self._inputs[i].name, output=name)
            self._fault(CheckStage.JACOBIANS, problem, "mismatch", k)
        for each, spread in zip(self._inputs, analytical.spreads, strict=True):
            if spread > allowed:
                problem = varying(each.name, name, spread, allowed)
                self._fault(CheckStage.JACOBIANS, problem, "mismatch", k)

    def _lines(self, part: OutputPart, tensor: Tensor) -> tuple[Location, ...]:
        if not is_dense(tensor) or not self._settings.backward_mode:
            return ()
        return backward_lines(self._running.subject, self._outputs[part.output], tensor)

    def _finish(
        self,
        k: int,
        part: OutputPart,
        each: DifferentiatedInput,
        analytical: Tensor,
        numerical: Tensor,
        forward: tuple[Tensor, int] | None,
    ) -> None:
        """Add the block of one pair, and keep the pair for diagnosis if it has wrong elements."""
        tolerance = self._settings.atol, self._settings.rtol
        shapes = tuple(each.tensor.shape), tuple(part.shape)
        comparison = compare(analytical, numerical, tolerance, *shapes)
        sink = self._running.sink
        block = block_of(
            part,
            self._running.output_names[part.output],
            each,
            numerical=sink.store(matrix_value(numerical)),
            analytical=sink.store(matrix_value(analytical)),
            wrong=comparison.wrong,
            worst=comparison.worst,
            forward=None if forward is None else sink.store(matrix_value(forward[0])),
            forward_wrong=0 if forward is None else forward[1],
            lines=self._lines(part, each.tensor),
        )
        by_backward = self._settings.backward_mode
        if block.wrong and block.worst is not None and by_backward:
            pair = JacobianPair(
                sink=sink,
                order=self._running.subject.order,
                block=block,
                worst=block.worst,
                numerical=numerical.cpu(),
                analytical=analytical.cpu(),
                atol=self._settings.atol,
                rtol=self._settings.rtol,
            )
            self._running.pairs.append(pair)
        if self._decides:
            note_below_atol(
                self._running, self._outputs, part.output, each.name, numerical, analytical
            )
        # Forward mode is judged as gradcheck does, one part of complex inputs at a time.
        self._findings.block(k, block, decides=self._decides and by_backward)


def attempted(
    running: CheckContext,
    moved: DifferentiatedInput,
    work: Callable[[], list[Tensor]],
    tell: Callable[[CheckProblem], object] | None = None,
) -> list[Tensor] | None:
    """Result of work that perturbs an input; None if the function raised.

    Args:
        running: The check.
        moved: The input.
        work: The work.
        tell: Receives the problem; by default, it is a fault of the numerical Jacobians.
    """
    with UserCodeAttempt() as attempt:
        return work()
    if attempt.error is None:
        return None
    if issubclass(type(attempt.error), OutputChangedError):
        problem = make_problem("output_changed", name=moved.name, change=attempt.error)
    else:
        key = f"raised.perturbed_{running.subject.kind}"
        problem = make_problem(key, name=moved.name, error=attempt.error)
    if tell is None:
        running.findings.fault(CheckStage.NUMERICAL, problem, "error")
    else:
        tell(problem)
    return None
