"""A checked function together with its outputs, for measurements with any step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from msgspec import structs
from torch import Tensor

from gradviz.checks.cast import WIDER, has_wider
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.perturbed_rerun import PerturbedRerun
from gradviz.checks.jacobians.analytical import engine_columns
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.jacobians.matrices import compare
from gradviz.checks.jacobians.numerical import numerical_jacobians
from gradviz.checks.output_parts import OutputPart, parts_of
from gradviz.checks.problem_messages import Attempt
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.progress import Evaluations
from gradviz.checks.subject import CheckSubject


def recompute_pairs(
    case: CheckContext, subject: CheckSubject, eps: float
) -> Mapping[PairKey, JacobianPair] | None:
    """Recompute the pairs of a case, however many wrong elements they have then.

    Returns:
        The pairs by their places; None if the function raises an error.
    """
    other = measured_function(subject, case.evaluations)
    if other is None:
        return None
    found: Mapping[PairKey, JacobianPair] | None = attempt_measured_function(
        lambda: _pairs(case, other, eps)
    )
    return found


def _pairs(case: CheckContext, other: MeasuredFunction, eps: float) -> dict[PairKey, JacobianPair]:
    indices = places(other.parts)
    analytical = [other.analytical(part) for part in other.parts]
    reruns = PerturbedRerun(other.subject, case.settings, case.evaluations)
    found = {}
    for i, each in enumerate(other.subject.inputs):
        mine = [pair for pair in case.pairs if pair.block.input == each.position]
        if not mine:
            continue
        numerical = other.numerical(i, range(each.tensor.numel()), eps)
        for pair in mine:
            k = indices[pair.block.output, pair.block.part]
            changed = replace(
                pair, numerical=numerical[k], analytical=analytical[k][i], reruns=reruns
            )
            found[pair.place] = with_comparison(changed)
    return found


def with_comparison(pair: JacobianPair) -> JacobianPair:
    """A pair with its worst element and wrong count updated for new values."""
    found = compare(
        pair.analytical,
        pair.numerical,
        atol=pair.atol,
        rtol=pair.rtol,
        input_shape=pair.input_shape,
        output_shape=pair.output_shape,
    )
    worst = pair.worst if found.worst is None else found.worst
    return replace(
        pair, worst=worst, block=structs.replace(pair.block, wrong=found.wrong, worst=worst)
    )


@dataclass(frozen=True, slots=True)
class MeasuredFunction:
    """A subject whose outputs are known.

    Attributes:
        subject: What is measured.
        evaluator: Evaluates the subject and counts the evaluations.
        evaluations: Counter; measurements must be announced to it.
        outputs: Outputs for the current arguments.
        parts: The differentiable parts of the outputs.
    """

    subject: CheckSubject
    evaluator: JacobianEvaluator
    evaluations: Evaluations
    outputs: tuple[Any, ...]
    parts: tuple[OutputPart, ...]

    @property
    def cost(self) -> int:
        """Number of evaluations for both Jacobians of all pairs."""
        backward = sum(part.shape.numel() for part in self.parts)
        return backward + sum(map(self.evaluator.numerical_evaluations, self.subject.tensors))

    def numerical(self, moved: int, rows: Sequence[int], eps: float) -> list[Tensor]:
        """Rows of the Jacobians of all parts for one input, by central differences, on the CPU.

        Args:
            moved: Index of the input among the differentiated inputs.
            rows: Elements of the input, ascending.
            eps: The step.
        """
        tensor = self.subject.tensors[moved]
        self.evaluations.expect(len(rows) * (4 if tensor.is_complex() else 2))
        found = numerical_jacobians(self.evaluator.evaluate, tensor, self.parts, eps, rows)
        return [each.cpu() for each in found]

    def analytical(self, part: OutputPart) -> list[Tensor]:
        """Jacobian of a part with respect to each input, by backward, on the CPU."""
        output, inputs = part.of(self.outputs), self.subject.tensors
        return [each.cpu() for each in engine_columns(output, inputs, self.evaluations)]


def measured_function(subject: CheckSubject, evaluations: Evaluations) -> MeasuredFunction | None:
    """Evaluate a subject at its arguments for later measurements; None if it raises."""
    evaluator = JacobianEvaluator.of(subject, evaluations)
    evaluations.expect(1)
    with Attempt():
        outputs = evaluator.evaluate()
        return MeasuredFunction(
            subject, evaluator, evaluations, outputs, parts_of(outputs, differentiable=True)
        )
    return None


def copied(subject: CheckSubject, change: Callable[[Tensor], Tensor] = torch.clone) -> CheckSubject:
    """A subject with changed copies of its tensors; shared tensors stay shared."""
    copies: dict[int, Tensor] = {}
    for each in subject.arguments:
        if isinstance(each, Tensor) and id(each) not in copies:
            copy = change(each.detach().clone())
            copies[id(each)] = copy.requires_grad_(each.requires_grad)
    arguments = tuple(copies.get(id(each), each) for each in subject.arguments)
    return replace(subject, arguments=arguments)


def in_wider_precision(subject: CheckSubject) -> CheckSubject | None:
    """A copy in full precision; None if the subject already has it, or its device has none."""
    if not any(map(has_wider, subject.tensors)):
        return None
    return copied(subject, lambda each: each.to(WIDER[each.dtype]) if has_wider(each) else each)


def attempt_measured_function(work: Callable[[], Any]) -> Any:
    """Result of a measurement; None if the function raises or its outputs change shape."""
    with Attempt():
        return work()
    return None


def places(parts: Iterable[OutputPart]) -> dict[tuple[int, str], int]:
    """Index of each part by its output and part name."""
    return {(part.output, part.part): k for k, part in enumerate(parts)}
