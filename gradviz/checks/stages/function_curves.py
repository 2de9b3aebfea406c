"""Samples of a function along one element of an input, for the curves of a finished check."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from gradviz.checks.arguments import restore_arguments
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.jacobians.numerical import part_values
from gradviz.checks.output_parts import OutputPart, parts_of, places
from gradviz.checks.problem_messages import Attempt
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.run.context import CheckContext
from gradviz.checks.sparse_layouts import is_dense
from gradviz.model.arrays import index_at
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.jacobian_report import JacobianBlock

POINTS, REACH = 81, 2.0
"""Number of samples, and how far they go on either side, in units of the value, or of 1."""

MOST_ELEMENTS = 4_096
"""Of all inputs and outputs together: a function of more is not sampled."""

_MOST_CURVES, _MOST_SECONDS = 4, 5.0
"""Of a check, and for all of them: far more than most take, so that a busy machine costs none."""

_NO_FUNCTION = frozenset({"nondeterministic", "hidden_state", "inplace_damage"})
"""Diagnoses of what does not return the same values for the same inputs."""


def add_function_curves(case: CheckContext) -> None:
    """Add a curve through the worst element of the first pairs; those that differ come first."""
    findings, subject = case.findings, case.subject
    problems = {each.code for each in findings.problems}
    is_wanted = case.settings.backward_mode and subject.order == 1
    is_simple = all(map(is_dense, subject.arguments)) and not problems & _NO_FUNCTION
    if not is_wanted or not is_simple or case.was_found(*_NO_FUNCTION):
        return
    deadline = time.monotonic() + _MOST_SECONDS
    blocks = sorted(findings.ordered_blocks(), key=lambda each: not each.wrong)
    for block in blocks[:_MOST_CURVES]:
        with Attempt(), same_random_state():
            curve = _sampled(case, block, deadline)
            if curve is not None:
                findings.function_curves.append(curve)


def _sampled(case: CheckContext, block: JacobianBlock, deadline: float) -> FunctionCurve | None:
    """The curve of a pair; None if it takes too long, or is not the same when repeated."""
    worst = block.worst
    moved = [each.position for each in case.inputs].index(block.input)
    tensor = case.subject.tensors[moved]
    # These evaluations are not those of the comparison, which the report counts.
    evaluations = case.evaluations.uncounted()
    evaluator = JacobianEvaluator.of(case.subject, evaluations)
    with restore_arguments(case.subject.arguments):
        outputs = evaluator.evaluate()
    parts = parts_of(outputs, differentiable=True)
    count = sum(each.shape.numel() for each in parts)
    count += sum(each.numel() for each in case.subject.tensors)
    part = places(parts).get((block.output, block.part))
    if worst is None or part is None or count > MOST_ELEMENTS or tensor.is_complex():
        return None
    sampler = _Sampler(case, evaluator, parts[part], moved, worst.row, worst.column)
    middle = float(sampler.element())
    points = _points(middle)
    if not points:
        return None
    for point in points:
        if time.monotonic() > deadline:
            return None
        sampler.add(point)
    at = POINTS // 2
    sampler.add(points[at])
    if not sampler.repeats(at) or not _is_close(sampler.analytical[at], worst.analytical.real):
        return None
    return FunctionCurve(
        output=block.output,
        input=block.input,
        part=block.part,
        row=worst.row,
        column=worst.column,
        at=at,
        points=tuple(sampler.points[:POINTS]),
        values=tuple(sampler.values[:POINTS]),
        numerical=tuple(sampler.numerical[:POINTS]),
        analytical=tuple(sampler.analytical[:POINTS]),
    )


def _points(middle: float) -> list[float]:
    if not math.isfinite(middle):
        return []
    half = POINTS // 2
    step = REACH * max(1.0, abs(middle)) / half
    return [middle + (k - half) * step for k in range(POINTS)]


@dataclass(slots=True)
class _Sampler:
    """Evaluates one output element with other values of one input element."""

    case: CheckContext
    evaluator: JacobianEvaluator
    part: OutputPart
    moved: int
    row: int
    column: int
    points: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    numerical: list[float] = field(default_factory=list)
    analytical: list[float] = field(default_factory=list)

    def element(self) -> Tensor:
        """The input element, as a view through which autograd notices no write."""
        data = self.case.subject.tensors[self.moved].data
        return data[index_at(self.row, tuple(data.shape))]

    def add(self, point: float) -> None:
        """Sample a point; what cannot be computed there is NaN."""
        eps, element = self.case.settings.eps, self.element()
        # As the input's dtype rounds it.
        at = torch.full_like(element, point)
        self.points.append(float(at))
        value = slope = difference = math.nan
        with Attempt(), self._set(at):
            outputs = self.evaluator.evaluate()
            value = float(self._column(outputs))
            chosen = torch.zeros(self.part.shape, dtype=self.part.dtype, device=self.part.device)
            chosen.view(-1)[self.column] = 1
            gradient = self.evaluator.gradients(outputs, self.part, chosen)[self.moved]
            slope = float(gradient.reshape(-1)[self.row].real)
        with Attempt():
            low, high = (self._value(at + step) for step in (-eps, eps))
            difference = float((high - low) / (2 * eps))
        self.values.append(value)
        self.numerical.append(difference)
        self.analytical.append(slope)

    def repeats(self, at: int) -> bool:
        """Whether the last sample is bit for bit that of an earlier point."""
        lists = (self.points, self.values, self.numerical, self.analytical)
        return all(_is_same(each[at], each[-1]) for each in lists)

    def _value(self, at: Tensor) -> Tensor:
        with self._set(at):
            # Cloned, because the function may return a buffer that its next call overwrites.
            return self._column(self.evaluator.evaluate()).clone()

    def _column(self, outputs: tuple[object, ...]) -> Tensor:
        return part_values((self.part,), outputs)[0].reshape(-1)[self.column]

    @contextmanager
    def _set(self, at: Tensor) -> Iterator[None]:
        """Set the element, and afterwards restore everything that the function has changed."""
        with restore_arguments(self.case.subject.arguments):
            self.element().copy_(at)
            yield


def _is_same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def _is_close(one: float, other: float) -> bool:
    return _is_same(one, other) or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)
