"""Samples of a function along one element of an input, for the curves of a finished check."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, pairwise

import numpy as np
import torch
from msgspec import Struct, field
from torch import Tensor

from gradviz.checks.arguments import restore_arguments
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.jacobians.numerical import part_values
from gradviz.checks.output_parts import OutputPart, parts_of, places
from gradviz.checks.problem_messages import Attempt
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.first_prints import discarded_output
from gradviz.checks.sparse_layouts import is_dense
from gradviz.model.arrays import index_at
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.jacobian_report import JacobianBlock

POINTS, REACH = 81, 2.0
"""Number of samples, and how far they go on either side, in units of the value, or of 1."""

MOST_ELEMENTS = 4_096
"""Of all inputs and outputs together: a function of more is not sampled."""

_MOST_CURVES, MOST_SECONDS = 4, 5.0
"""Of a check, and for all of them: far more than most take, so that a busy machine costs none."""

_MOST_PAIRED, MORE_SECONDS = 64, 2.0
"""All elements of all pairs together, up to which each one has its curve if there is time."""

_NO_FUNCTION = frozenset({"nondeterministic", "hidden_state", "inplace_damage"})
"""Diagnoses of what does not return the same values for the same inputs."""


_CLOSE = 1e-9
"""Distance of both sides of a jump at the end, in units of the value, or of 1."""

_SMOOTH, _POLE = 0.25, 4.0
"""Shares of the difference between two samples: less is left of it, or more, where none jumps."""

_USUAL = 2.0
"""How much larger than usual differences are those that may be jumps."""


def jumps_between(
    points: Sequence[float],
    values: Sequence[float],
    measure: Callable[[float], float],
    is_late: Callable[[], bool],
) -> Iterator[tuple[float, float]]:
    """Find both sides of each jump: two points between which nothing but a jump has space.

    Args:
        points: Where the function was sampled, ascending.
        values: The samples.
        measure: Samples it at another point; NaN where it has no value.
        is_late: Whether there is no time for more.
    """
    leaps = np.abs(np.diff(values))
    finite = leaps[np.isfinite(leaps)]
    if not len(finite):
        return
    usual = _USUAL * float(np.quantile(finite, 0.25)) + 1e-9 * float(finite.max())
    for leap, sides, ends in zip(leaps, pairwise(points), pairwise(values), strict=True):
        if is_late():
            return
        if leap > usual and math.isfinite(leap):
            found = _bisected(sides, ends, measure)
            if found is not None:
                yield found


def _bisected(
    sides: tuple[float, float], ends: tuple[float, float], measure: Callable[[float], float]
) -> tuple[float, float] | None:
    """The sides of a jump between two points; None for a slope or a pole."""
    (low, high), (first, last) = sides, ends
    leap = abs(last - first)
    while high - low > _CLOSE * max(1.0, abs(low)):
        middle = low + (high - low) / 2
        value = measure(middle)
        if abs(value - first) >= abs(last - value):
            high, last = middle, value
        else:
            low, first = middle, value
        # False for NaN, too.
        if not _SMOOTH * leap <= abs(last - first) <= _POLE * leap:
            return None
    return low, high


def add_function_curves(case: CheckContext) -> None:
    """Add a curve through the worst element of the first pairs; those that differ come first.

    A small function has a curve for each other element of these pairs, too.
    """
    findings, subject = case.findings, case.subject
    problems = {each.code for each in findings.problems}
    is_wanted = case.settings.backward_mode and subject.order == 1
    is_simple = all(map(is_dense, subject.arguments)) and not problems & _NO_FUNCTION
    if not is_wanted or not is_simple or case.was_found(*_NO_FUNCTION):
        return
    deadline = time.monotonic() + MOST_SECONDS
    blocks = sorted(findings.ordered_blocks(), key=lambda each: not each.wrong)
    sampled = []
    for block in blocks[:_MOST_CURVES]:
        worst = block.worst
        if worst is not None and _add(case, block, worst.row, (worst.column,), deadline):
            sampled.append(block)
    if case.settings.curve is not None:
        *place, row, column = case.settings.curve
        for block in blocks:
            if [block.output, block.input] == place:
                own = time.monotonic() + MOST_SECONDS
                _add(case, block, row, (column,), own, is_wanted=True)
    if sum(each.count for each in sampled) > _MOST_PAIRED:
        return
    deadline = min(deadline, time.monotonic() + MORE_SECONDS)
    for block in sampled:
        rows, columns = math.prod(block.input_shape), math.prod(block.output_shape)
        for row in range(rows):
            _add(case, block, row, range(columns), deadline)


def _add(
    case: CheckContext,
    block: JacobianBlock,
    row: int,
    columns: Sequence[int],
    deadline: float,
    *,
    is_wanted: bool = False,
) -> bool:
    """Add the curves of output elements along one input element; returns whether there are any."""
    place, known = block.place, case.findings.function_curves
    taken = {each.column for each in known if (each.place, each.row) == (place, row)}
    left = [each for each in columns if each not in taken]
    found: list[FunctionCurve] = []
    if left:
        with Attempt(), same_random_state(), discarded_output():
            most = math.inf if is_wanted else MOST_ELEMENTS
            found = _sampled(case, block, row, left, deadline, most)
    case.findings.function_curves += found
    return bool(found)


def _sampled(
    case: CheckContext,
    block: JacobianBlock,
    row: int,
    columns: Sequence[int],
    deadline: float,
    most: float,
) -> list[FunctionCurve]:
    """The curves; none if they take too long, or are not the same when repeated."""
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
    if part is None or count > most or tensor.is_complex():
        return []
    sampler = _Sampler(case, evaluator, parts[part], moved, row, columns)
    middle = float(sampler.element())
    points = _points(middle)
    for point in points:
        if time.monotonic() > deadline:
            return []
        sampler.add(point)
    if not points:
        return []
    here = sampler.points[POINTS // 2]
    is_same = sampler.repeats(POINTS // 2)
    sampler.add_jumps(lambda: time.monotonic() > deadline)
    at = sampler.points.index(here)
    worst = block.worst
    found = []
    for column, samples, same in zip(columns, sampler.samples, is_same, strict=True):
        if not same:
            continue
        if (
            worst is not None
            and (row, column) == (worst.row, worst.column)
            and not _is_close(samples.analytical[at], worst.analytical.real)
        ):
            # This is not the function that was checked.
            continue
        curve = FunctionCurve(
            output=block.output,
            input=block.input,
            part=block.part,
            row=row,
            column=column,
            at=at,
            points=tuple(sampler.points),
            values=tuple(samples.values),
            numerical=tuple(samples.numerical),
            analytical=tuple(samples.analytical),
        )
        found.append(curve)
    return found


def _points(middle: float) -> list[float]:
    if not math.isfinite(middle):
        return []
    half = POINTS // 2
    step = REACH * max(1.0, abs(middle)) / half
    return [middle + (k - half) * step for k in range(POINTS)]


class _Samples(Struct):
    """What was sampled of one output element."""

    values: list[float] = field(default_factory=list)
    numerical: list[float] = field(default_factory=list)
    analytical: list[float] = field(default_factory=list)

    @property
    def lists(self) -> tuple[list[float], ...]:
        """All that was sampled."""
        return self.values, self.numerical, self.analytical


class _Sampler:
    """Evaluates some output elements with other values of one input element."""

    def __init__(
        self,
        case: CheckContext,
        evaluator: JacobianEvaluator,
        part: OutputPart,
        moved: int,
        row: int,
        columns: Sequence[int],
    ) -> None:
        self._case, self._evaluator, self._part = case, evaluator, part
        self._moved, self._row, self._columns = moved, row, columns
        self.points: list[float] = []
        self.samples = tuple(_Samples() for _ in columns)

    def element(self) -> Tensor:
        """The input element, as a view through which autograd notices no write."""
        data = self._case.subject.tensors[self._moved].data
        return data[index_at(self._row, tuple(data.shape))]

    def repeats(self, at: int) -> list[bool]:
        """Whether each output element is bit for bit the same when a point is sampled again."""
        self.add(self.points[at])
        points = self.points.pop() == self.points[at]
        ends = [[(each[at], each.pop()) for each in found.lists] for found in self.samples]
        return [points and all(_is_same(*pair) for pair in each) for each in ends]

    def add_jumps(self, is_late: Callable[[], bool]) -> None:
        """Sample beside each jump of a value or of its derivative, out of reach of eps."""
        apart, points = 2 * self._case.settings.eps, tuple(self.points)
        if len(points) < 2 or 4 * apart > points[1] - points[0]:
            return
        sides: set[float] = set()
        for number, samples in enumerate(self.samples):
            for values, measure in (
                (samples.values, self._value),
                (samples.analytical, self._derivative),
            ):
                jumps = jumps_between(points, values, partial(measure, number), is_late)
                sides.update(x for low, high in jumps for x in (low - apart, high + apart))
        for point in sides:
            self.add(point)
        order = sorted(range(len(self.points)), key=self.points.__getitem__)
        for each in (self.points, *chain.from_iterable(found.lists for found in self.samples)):
            each[:] = [each[place] for place in order]

    def _value(self, number: int, point: float) -> float:
        with Attempt():
            return float(self._values(torch.full_like(self.element(), point))[number])
        return math.nan

    def _derivative(self, number: int, point: float) -> float:
        with Attempt(), self._set(torch.full_like(self.element(), point)):
            return self._slope(self._evaluator.evaluate(), self._columns[number])
        return math.nan

    def add(self, point: float) -> None:
        """Sample a point; what cannot be computed there is NaN."""
        eps, element = self._case.settings.eps, self.element()
        # As the input's dtype rounds it.
        at = torch.full_like(element, point)
        self.points.append(float(at))
        unknown = [math.nan] * len(self._columns)
        values, slopes, differences = unknown, [*unknown], unknown
        with Attempt(), self._set(at):
            outputs = self._evaluator.evaluate()
            values = self._columns_of(outputs).tolist()
            for number, column in enumerate(self._columns):
                slopes[number] = self._slope(outputs, column)
        with Attempt():
            low, high = (self._values(at + step) for step in (-eps, eps))
            differences = ((high - low) / (2 * eps)).tolist()
        for samples, *found in zip(self.samples, values, differences, slopes, strict=True):
            samples.values.append(found[0])
            samples.numerical.append(found[1])
            samples.analytical.append(found[2])

    def _slope(self, outputs: tuple[object, ...], column: int) -> float:
        part = self._part
        chosen = torch.zeros(part.shape, dtype=part.dtype, device=part.device)
        chosen.view(-1)[column] = 1
        gradient = self._evaluator.gradients(outputs, part, chosen)[self._moved]
        return float(gradient.reshape(-1)[self._row].real)

    def _values(self, at: Tensor) -> Tensor:
        with self._set(at):
            return self._columns_of(self._evaluator.evaluate())

    def _columns_of(self, outputs: tuple[object, ...]) -> Tensor:
        """Copies, because the function may return a buffer that its next call overwrites."""
        return part_values((self._part,), outputs)[0].detach().reshape(-1)[list(self._columns)]

    @contextmanager
    def _set(self, at: Tensor) -> Iterator[None]:
        """Set the element, and afterwards restore everything that the function has changed."""
        with restore_arguments(self._case.subject.arguments):
            self.element().copy_(at)
            yield


def _is_same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def _is_close(one: float, other: float) -> bool:
    return _is_same(one, other) or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)
