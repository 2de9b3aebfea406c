"""A checked function together with its outputs, measured with any step, or with many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch
from msgspec import Struct, structs
from msgspec.structs import replace
from numpy.typing import NDArray
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import CheckSubject
from gradviz.checks.cast import WIDER, has_wider
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.perturbed_rerun import PerturbedRerun
from gradviz.checks.jacobians.analytical import engine_columns
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.jacobians.numerical import OutputChangedError, numerical_jacobians
from gradviz.checks.output_parts import OutputPart, parts_of, places
from gradviz.checks.problem_messages import Attempt, result_of
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.progress import Evaluations
from gradviz.model.arrays import FloatArray, index_at


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
    return result_of(lambda: _pairs(case, other, eps))


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
    found = pair.compared()
    worst = pair.worst if found.worst is None else found.worst
    return replace(
        pair, worst=worst, block=structs.replace(pair.block, wrong=found.wrong, worst=worst)
    )


def sample(rows: NDArray[np.int64], most: int) -> Iterator[int]:
    """At most so many of some rows, at equal distances."""
    return map(int, rows[:: max(1, -(-len(rows) // most))])


class MeasuredFunction(Struct, frozen=True):
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

    def find(self, pair: JacobianPair) -> tuple[int, int] | None:
        """Index of a pair's part, and of its input; None if nothing real can be measured."""
        part = places(self.parts).get(pair.place[::2])
        moved = [each.position for each in self.subject.inputs].index(pair.block.input)
        is_complex = self.subject.tensors[moved].is_complex()
        return None if part is None or is_complex else (part, moved)

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


SweepKind = Literal["eps", "kink", "jump", "wrong", "unclear"]

_FLAT = 1.3
"""At a kink, the one-sided gap varies by at most this factor over a run of steps."""

_REACHED = 0.1
"""A step that reaches across a kink shows at least this share of the gap at other steps."""

_CLEAR = 0.02
"""Rounding must be below this share of what is measured."""

_RUN = 4
"""A kink must show at this many consecutive steps."""


class SweepReading(Struct, frozen=True, kw_only=True):
    """What one element shows.

    Attributes:
        kind: ``eps`` if the analytical value is the limit, ``wrong`` if it is not; ``kink`` or
            ``jump`` if there is no derivative, ``unclear`` if nothing can be said.
        best: The step at which the quotient depends least on the step.
        limit: The quotient there.
        at: The value of the input; NaN if nothing is rounded.
        rounds_at: The step below which a part of the function stays the same, because it is
            rounded; NaN if none does.
    """

    kind: SweepKind
    best: float
    limit: float
    at: float = math.nan
    rounds_at: float = math.nan


def read_sweep(
    row: DifferenceQuotients,
    column: int,
    analytical: float,
    eps: float,
    tolerance: tuple[float, float],
    unit: float,
) -> SweepReading:
    """Classify one element.

    Args:
        row: Measurements of the row.
        column: Column of the element.
        analytical: Value from backward.
        eps: The step that was used.
        tolerance: Absolute tolerance, and tolerance relative to the limit.
        unit: Relative rounding error of the computation.
    """
    central, gap = row.central[:, column], row.gap[:, column]
    floor = row.floor(unit)[:, column]
    unrest = _unrest(central) + floor
    best = _best(central, gap, unrest)
    if best is None:
        return SweepReading(kind="unclear", best=eps, limit=math.nan)
    limit, doubt = float(central[best]), float(unrest[best])
    allowed = tolerance[0] + tolerance[1] * abs(limit)
    kind: SweepKind = "unclear"
    if _keeps(gap, row.steps, floor, eps, allowed):
        kind = "kink"
    elif doubt <= allowed:
        kind = "eps" if abs(analytical - limit) <= allowed + doubt else "wrong"
    elif _keeps(np.maximum(gap, np.abs(central)), row.steps, floor, eps, allowed, power=1):
        kind = "jump"
    if kind == "wrong":
        above = _above_rounding(central, gap, unrest, best, (analytical, *tolerance))
        if above is not None:
            return SweepReading(
                kind="eps",
                best=float(row.steps[above]),
                limit=float(central[above]),
                at=row.at,
                rounds_at=float(row.steps[_last_same(central, best)]),
            )
    return SweepReading(kind=kind, best=float(row.steps[best]), limit=limit)


def _above_rounding(
    central: FloatArray,
    gap: FloatArray,
    unrest: FloatArray,
    best: int,
    expected: tuple[float, float, float],
) -> int | None:
    """A step where the quotient is steady and as expected, if there is noise below it.

    If a part of a function is rounded, to float32 for example, steps smaller than its rounding do
    not change this part. The quotient is steady there, but lacks the part. Noise of a function that
    is computed in full precision never ends at smaller steps.
    """
    analytical, atol, rtol = expected
    near = np.abs(central - analytical) <= atol + rtol * np.abs(central)
    size = np.abs(central)
    steady = near & (unrest <= rtol * size + atol) & (gap <= 1e-2 * size)
    after = _last_same(central, best) + 1
    noisy = unrest[after:] > 1e-2 * size[after:]
    if best >= len(central) // 2 or not steady[after:].any() or not noisy.any():
        return None
    first = after + int(np.argmax(steady[after:]))
    if not noisy[: first - after].any():
        return None
    return after + int(np.argmin(np.where(steady[after:], unrest[after:], np.inf)))


def _last_same(central: FloatArray, best: int) -> int:
    """The largest step up to which the quotient stays what it is at the best one."""
    same = np.abs(central - central[best]) <= 1e-3 * abs(central[best])
    last = best
    while last + 1 < len(central) and same[last + 1]:
        last += 1
    return last


def _unrest(central: FloatArray) -> FloatArray:
    """Largest change of the quotient to a neighboring step; Inf at both ends."""
    change = np.abs(np.diff(central))
    found = np.full(len(central), np.inf)
    found[1:-1] = np.maximum(change[1:], change[:-1])
    return np.where(np.isfinite(found), found, np.inf)


def _best(central: FloatArray, gap: FloatArray, unrest: FloatArray) -> int | None:
    """The step with the least change of the quotient, relative to it if possible.

    Far beyond a pole, quotients are so small that their change is small in absolute terms, but not
    relative to them. Quotients that are zero only count if nothing else is steady: a function that
    rounds (to float32, or by adding a large number) does not change at all for small steps, which
    looks steady but is not the limit.
    """
    if not np.isfinite(unrest).any():
        return None
    moving = np.where(central == 0, np.inf, unrest)
    size = np.abs(central)
    steady = (moving <= 1e-3 * size) & (gap <= 1e-2 * size)
    if steady.any():
        return int(np.argmin(np.where(steady, moving, np.inf)))
    return int(np.argmin(unrest))


def _keeps(
    sizes: FloatArray,
    steps: FloatArray,
    floor: FloatArray,
    eps: float,
    allowed: float,
    power: int = 0,
) -> bool:
    """Whether sizes times a power of the step are constant over steps near the used one.

    At a kink the one-sided gap is constant, and at a jump it grows as 1/h. Elsewhere it shrinks
    with the step.
    """
    clear = (floor < _CLEAR * sizes) & (sizes > allowed)
    scaled = sizes * steps**power
    used = int(np.argmin(np.abs(np.log(steps / eps))))
    for first in range(max(0, used - _RUN + 1), min(used + _RUN, len(steps) - _RUN) + 1):
        run = slice(first, first + _RUN)
        even = scaled[run].max() <= _FLAT * scaled[run].min()
        # If the kink is at some distance, the step may only just reach across it.
        reached = clear[used] and scaled[used] >= _REACHED * scaled[run].min()
        if clear[run].all() and even and reached:
            return True
    return False


_DECADES = {"float64": (-12, -1), "float32": (-7, 0), "float16": (-4, 0), "bfloat16": (-3, 0)}
# Two steps for each decade where the best one usually is.
_MIDDLE = {"float64": (-8, -3), "float32": (-5, -1)}
_MOST = 24


def steps(dtype: str, at: float, eps: float) -> tuple[float, ...]:
    """Steps for one element, ascending.

    Args:
        dtype: Dtype of the input, without an imaginary part.
        at: Value of the element; if it is above 1, larger steps are included.
        eps: The step that was used; always included.
    """
    low, high = _DECADES.get(dtype, _DECADES["float64"])
    size = abs(at) if math.isfinite(at) else 0.0
    if size > 1:
        # The rounding of x + h grows with x, so only larger steps show anything.
        high += min(6, math.floor(math.log10(size)))
    found = {10.0**k for k in range(low, high + 1)}
    first, last = _MIDDLE.get(dtype, (0, -1))
    found |= {3 * 10.0**k for k in range(first, last + 1)}
    # A step this near to the one that was used shows nothing new.
    distinct_steps = {each for each in found if abs(math.log10(each / eps)) > 0.1}
    return tuple(sorted(distinct_steps | {eps}))[-_MOST:]


class DifferenceQuotients(Struct, frozen=True, kw_only=True):
    """Difference quotients of one part with respect to one element of a real input.

    Attributes:
        at: Value of the element.
        steps: Steps, ascending.
        value: Values of the part at this point, ``[elements]``.
        right: ``(f(x + h) - f(x)) / h``, ``[steps, elements]``.
        left: ``(f(x) - f(x - h)) / h``, ``[steps, elements]``.
    """

    at: float
    steps: FloatArray
    value: FloatArray
    right: FloatArray
    left: FloatArray

    @property
    def central(self) -> FloatArray:
        """Central quotients ``(f(x + h) - f(x - h)) / 2 h``."""
        return (self.right + self.left) / 2

    @property
    def gap(self) -> FloatArray:
        """Distance between the one-sided quotients; it shrinks with the step except at a kink."""
        return np.abs(self.right - self.left)

    def floor(self, unit: float) -> FloatArray:
        """Expected rounding error of the quotients.

        Args:
            unit: Relative rounding error of the computation.
        """
        # Two roundings: that of the output, and that of x + h, which the slope multiplies.
        size = np.abs(self.value) + abs(self.at) * np.abs(np.nan_to_num(self.central))
        return unit * size / self.steps[:, None]


def sweep_steps(
    bench: MeasuredFunction, where: tuple[int, int], element: int, steps: tuple[float, ...]
) -> DifferenceQuotients | None:
    """Measure an element of an input at many steps; None if the function raises there.

    Args:
        bench: What is measured.
        where: Index of the part, and of the input among the differentiated inputs.
        element: Index of the element in row-major order.
        steps: Steps, ascending.
    """
    return result_of(lambda: _swept(bench, *where, element, steps))


def _swept(
    bench: MeasuredFunction, part: int, moved: int, element: int, steps: tuple[float, ...]
) -> DifferenceQuotients:
    """Move the element, and restore it afterwards."""
    chosen, tensor = bench.parts[part], bench.subject.tensors[moved]
    data = tensor.data
    place = index_at(element, tuple(data.shape))
    before = data[place].clone()
    bench.evaluations.expect(2 * len(steps))

    def value() -> FloatArray:
        outputs = bench.evaluator.evaluate()
        found = chosen.of(outputs)
        if found.shape != chosen.shape:
            raise OutputChangedError(say("changed.shape", number=chosen.output))
        return as_float_array(found)

    right, left = [], []
    middle = as_float_array(chosen.of(bench.outputs))
    try:
        for step in steps:
            data[place] = before + step
            above = value()
            data[place] = before - step
            below = value()
            with np.errstate(invalid="ignore"):  # The difference of infinities is a NaN.
                right.append((above - middle) / step)
                left.append((middle - below) / step)
    finally:
        data[place] = before
    return DifferenceQuotients(
        at=float(before),
        steps=np.array(steps),
        value=middle,
        right=np.array(right),
        left=np.array(left),
    )


def as_float_array(tensor: Tensor) -> FloatArray:
    """Elements of a real tensor in row-major order."""
    return np.array(tensor.detach().cpu().to(torch.float64).reshape(-1).numpy())
