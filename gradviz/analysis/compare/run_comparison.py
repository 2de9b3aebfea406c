"""Comparison of two runs of any programs: matching steps, and differences between them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.compare.item_pairs import ValuePair, same_kind, unpaired_values, value_pairs
from gradviz.analysis.compare.step_pairing import StepPair, StepPairing, pair_steps
from gradviz.analysis.compare.tensor_difference import (
    AGREEING_VERDICTS,
    TensorDifference,
    compare_tensors,
)
from gradviz.analysis.index.step_queries import node_at_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassEndStep, Step

ComparisonOutcome = Literal["equal", "rounding", "differ"]
StepVerdict = Literal["equal", "rounding", "differs", "only_left", "only_right"]

_PAUSE_EVERY = 64

_MEANINGLESS = re.compile(r" at 0x[0-9a-fA-F]+|(?<=\[)[\w.]+(?:Tensor|Type) (?=\[)")
"""The address of an object, which differs in each run, and what torch's errors call a tensor, such
as ``torch.cuda.DoubleTensor``: its dtype and device are compared where they are recorded.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedValue:
    """A value in both runs and its difference.

    Attributes:
        pair: The value on both sides.
        difference: The difference between the two.
    """

    pair: ValuePair
    difference: TensorDifference

    @property
    def differs(self) -> bool:
        """Whether it counts as a difference between the runs."""
        return self.pair.counts and self.difference.verdict not in AGREEING_VERDICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A step in which the runs differ, or that only one of them has.

    Attributes:
        left: Number of the left step; None if only the right run has it.
        right: Number of the right step; None if only the left run has it.
        verdict: Result of comparing the steps.
        value: The value with the largest difference; None if the step has no counterpart.
    """

    left: int | None
    right: int | None
    verdict: StepVerdict
    value: ComparedValue | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunComparison:
    """The result of comparing two runs.

    Attributes:
        left: The left run.
        right: The right run.
        pairs: Matching steps.
        changes: Ops in which the runs differ, in order.
        mismatches: Steps that differ or have no counterpart, in the order of the left run; steps
            of only the right run are inserted where they happen.
        roundings: Steps that agree except for rounding, in the same order.
        dtypes: Pairs of different floating dtypes that were compared, left and right.
        has_other_bits: Whether some equal numbers have different bits or dtypes.
        uncertain: Whether some values were compared without all of their elements.
        judge: Compares values.
    """

    left: TraceIndex
    right: TraceIndex
    pairs: StepPairing
    changes: tuple[OpChange, ...]
    mismatches: tuple[Mismatch, ...]
    roundings: tuple[Mismatch, ...]
    dtypes: tuple[tuple[str, str], ...]
    has_other_bits: bool
    uncertain: bool
    judge: StepComparator

    @property
    def first(self) -> Mismatch | None:
        """The first mismatch that matters, in numbers or events; None if there is none."""
        return next((each for each in self.mismatches if self.matters(each)), None)

    @property
    def first_value(self) -> ComparedValue | None:
        """The first value of `first` that differs: what a step is given comes before its result."""
        first = self.first
        if first is None or first.value is None:
            return None
        values = self.values(first.left, first.right)
        return next(each for each in values if each.differs)

    @property
    def rounding(self) -> Mismatch | None:
        """The step with the largest rounding difference; None if there is none."""
        return max(self.roundings, key=_size, default=None)

    @property
    def outcome(self) -> ComparisonOutcome:
        """The overall result; runs without any matching steps differ."""
        if self.first is not None or (self.mismatches and not self.pairs.count):
            return "differ"
        return "rounding" if self.roundings else "equal"

    def matters(self, mismatch: Mismatch) -> bool:
        """Whether a mismatch is more than a different way to compute the same numbers.

        An op that only one run has does not matter by itself; a pass, a leaf's gradient or an
        exception that only one run has is a difference.
        """
        if mismatch.verdict == "differs":
            return True
        index, number = (
            (self.left, mismatch.left)
            if mismatch.left is not None
            else (self.right, mismatch.right)
        )
        assert number is not None
        return not isinstance(index.trace.steps[number - 1], ForwardStep | NodeStep)

    def values(self, left: int | None, right: int | None) -> list[ComparedValue]:
        """The values of two matching steps, or of one step without a counterpart."""
        return self.judge.step(left, right)

    def received(self, left: int | None, right: int | None) -> list[ComparedValue]:
        """The gradients that leaves received in the passes that end with two matching steps."""
        pairs = [(each, self.pairs.right(each)) for each in accumulations(self.left, left)]
        known = {other for _, other in pairs}
        alone = [each for each in accumulations(self.right, right) if each not in known]
        return [
            value
            for pair in [*pairs, *((None, each) for each in alone)]
            for value in self.judge.step(*pair)
            if value.pair.role == "total"
        ]

    def nodes(self, *, left: bool) -> frozenset[int]:
        """Nodes of the mismatching steps of one run."""
        index = self.left if left else self.right
        numbers = [each.left if left else each.right for each in self.mismatches]
        found = [node_at_step(index, number) for number in numbers if number is not None]
        return frozenset([node for node in found if node is not None])


class StepComparator:
    """Compares the values of steps, and each pair of tensors only once."""

    def __init__(self, left: TraceIndex, right: TraceIndex) -> None:
        self._left = left
        self._right = right
        self._known: dict[tuple[int, int], TensorDifference] = {}

    def step(self, left: int | None, right: int | None) -> list[ComparedValue]:
        """Compare two steps by number; one of them may be missing."""
        one = None if left is None else self._left.trace.steps[left - 1]
        other = None if right is None else self._right.trace.steps[right - 1]
        return [
            ComparedValue(pair=pair, difference=self.difference(pair))
            for pair in self._value_pairs(one, other)
        ]

    def _value_pairs(self, one: Step | None, other: Step | None) -> list[ValuePair]:
        if one is not None and other is not None:
            return value_pairs(self._left, self._right, one, other)
        if one is not None:
            return unpaired_values(self._left, one, left=True)
        return [] if other is None else unpaired_values(self._right, other, left=False)

    def difference(self, pair: ValuePair) -> TensorDifference:
        """The difference between the two sides of a value."""
        one, other = pair.left, pair.right
        if one is None or other is None:
            return TensorDifference(verdict="only_right" if one is None else "only_left")
        if one.tensor is None or other.tensor is None:
            same = one.kind == other.kind and _text(one.text) == _text(other.text)
            return TensorDifference(verdict="equal" if same else "kinds")
        both = one.tensor, other.tensor
        known = self._known.get(both)
        if known is None:
            known = self._known[both] = self._tensors(*both)
        return known

    @property
    def has_other_bits(self) -> bool:
        """Whether some of the tensors compared so far have equal numbers with different bits."""
        return any(difference.verdict == "same_value" for difference in self._known.values())

    def dtypes(self) -> tuple[tuple[str, str], ...]:
        """Pairs of different floating dtypes among the tensors compared so far."""
        left, right = self._left.tensor, self._right.tensor
        both = {(left.bare(one).dtype, right.bare(other).dtype) for one, other in self._known}
        floating = [pair for pair in both if all("float" in dtype for dtype in pair)]
        return tuple(sorted(pair for pair in floating if pair[0] != pair[1]))

    def _tensors(self, left: int, right: int) -> TensorDifference:
        return compare_tensors(
            self._left.tensor.bare(left),
            self._right.tensor.bare(right),
            self._left.value(left),
            self._right.value(right),
        )


def _text(text: str) -> str:
    return _MEANINGLESS.sub("", text)


def accumulations(index: TraceIndex, number: int | None) -> list[int]:
    """Steps that accumulated a gradient in the pass that ends with a step, in order."""
    end = None if number is None else index.trace.steps[number - 1]
    if not isinstance(end, PassEndStep):
        return []
    steps = (each for each in index.trace.steps if isinstance(each, AccumulateStep))
    return [each.number for each in steps if each.pass_id == end.pass_id]


def compare_runs(
    left: TraceIndex, right: TraceIndex, pause: Callable[[], None] = lambda: None
) -> RunComparison:
    """Compare two runs; this takes a while, because all tensors of both runs are read.

    Args:
        left: The left run.
        right: The right run.
        pause: Called regularly; an exception that it raises ends the comparison.
    """
    pairs = pair_steps(left, right, pause)
    judge = StepComparator(left, right)
    mismatches: list[Mismatch] = []
    rounding: list[Mismatch] = []
    uncertain = False
    for count, (one, other) in enumerate(pairs.in_order()):
        if count % _PAUSE_EVERY == 0:
            pause()
        if one is None or other is None:
            verdict: StepVerdict = "only_right" if one is None else "only_left"
            mismatches.append(Mismatch(left=one, right=other, verdict=verdict, value=None))
            continue
        values = judge.step(one, other)
        uncertain = uncertain or any(not each.difference.whole for each in values)
        differing = [each for each in values if each.differs]
        rounded = [each for each in values if each.difference.verdict == "rounding"]
        if differing:
            found = Mismatch(left=one, right=other, verdict="differs", value=_worst(differing))
            mismatches.append(found)
        elif rounded:
            found = Mismatch(left=one, right=other, verdict="rounding", value=_worst(rounded))
            rounding.append(found)
    return RunComparison(
        left=left,
        right=right,
        pairs=pairs,
        changes=op_changes(left, right, pairs.in_order()),
        mismatches=tuple(mismatches),
        roundings=tuple(rounding),
        # Read after the loop, since the judge knows only tensors that it has compared.
        dtypes=judge.dtypes(),
        has_other_bits=judge.has_other_bits,
        uncertain=uncertain,
        judge=judge,
    )


def _worst(values: list[ComparedValue]) -> ComparedValue:
    """The first value with the largest difference; a non-numeric one counts as infinite."""
    return max(values, key=lambda each: _far(each.difference))


def _far(difference: TensorDifference) -> float:
    return float("inf") if difference.largest is None else difference.largest


def _size(mismatch: Mismatch) -> float:
    return 0.0 if mismatch.value is None else _far(mismatch.value.difference)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpChange:
    """Ops of one run, and those that the other run has at the same place.

    Attributes:
        left: Numbers of the left steps; empty if the right run has its ops in addition.
        right: Numbers of the right steps; empty if the left run has its ops in addition.
        is_paired: Whether the values of the two steps are compared, because their outputs have the
            same shapes.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    is_paired: bool = False


def op_changes(
    left: TraceIndex, right: TraceIndex, pairs: Iterable[StepPair]
) -> tuple[OpChange, ...]:
    """Find the ops outside of backward passes in which two runs differ, in order.

    Args:
        left: The left run.
        right: The right run.
        pairs: All steps of both runs, in order.
    """
    found: list[OpChange] = []
    alone: tuple[list[int], list[int]] = [], []

    def end() -> None:
        if any(alone):
            found.append(OpChange(left=tuple(alone[0]), right=tuple(alone[1])))
            alone[0].clear()
            alone[1].clear()

    for one, other in pairs:
        before, after = _op(left, one), _op(right, other)
        if before is not None and after is not None:
            end()
            if not same_kind(left, right, before, after):
                steps = (before.number,), (after.number,)
                found.append(OpChange(left=steps[0], right=steps[1], is_paired=True))
        elif before is not None and other is None:
            alone[0].append(before.number)
        elif after is not None and one is None:
            alone[1].append(after.number)
        else:
            end()
    end()
    return tuple(found)


def _op(index: TraceIndex, number: int | None) -> ForwardStep | None:
    step = None if number is None else index.trace.steps[number - 1]
    return step if isinstance(step, ForwardStep) and step.pass_id is None else None


PlacePair = tuple[TracePosition | None, TracePosition | None]


def differing_places(found: RunComparison, left: int | None, right: int | None) -> PlacePair:
    """The first lines of two steps whose variables or returned values differ.

    Variables are compared by name, in the order in which each run sets them.

    Args:
        found: The comparison.
        left: Step of the left run; None if it has no such step.
        right: Step of the right run.

    Returns:
        Both lines, or the whole steps if no line differs or none was recorded.
    """
    whole = _whole(left), _whole(right)
    if left is None or right is None:
        return whole
    others: defaultdict[tuple[str, str], list[tuple[TracePosition, Item]]] = defaultdict(list)
    for place, item in _values(found.right, right):
        others[place.stage or "", item.name].append((place, item))
    for place, item in _values(found.left, left):
        waiting = others[place.stage or "", item.name]
        if not waiting:
            continue
        other, value = waiting.pop(0)
        pair = ValuePair(role="local", name=item.name, left=item, right=value)
        if ComparedValue(pair=pair, difference=found.judge.difference(pair)).differs:
            return place, other
    return whole


def _whole(step: int | None) -> TracePosition | None:
    return None if step is None else TracePosition(step=step)


def _values(index: TraceIndex, step: int) -> Iterator[tuple[TracePosition, Item]]:
    """What the lines of a step computed, in order."""
    inside = index.inside.get(step)
    for part in () if inside is None else inside.parts:
        for number, line in enumerate(part.lines):
            place = TracePosition(step=step, stage=part.stage, line=number)
            for item in (*line.changes, *(() if line.result is None else (line.result,))):
                yield place, item
