"""Two runs of any two programs compared: which steps belong together, and what differs in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gradviz.model.beside.apart import AGREE, Apart, tensors_apart
from gradviz.model.beside.pairing import StepPairs, pair_steps
from gradviz.model.beside.values import ValuePair, value_pairs, values_alone
from gradviz.model.index import Index
from gradviz.model.query import node_now
from gradviz.model.step import ForwardStep, NodeStep, Step

Outcome = Literal["equal", "rounding", "differ"]
StepVerdict = Literal["equal", "rounding", "differs", "only_left", "only_right"]

_PAUSE_EVERY = 64

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Where an object lies in memory is another place in each run, and tells nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A value in both runs.

    Attributes:
        pair: The value.
        apart: What there is to say of it.
    """

    pair: ValuePair
    apart: Apart

    @property
    def differs(self) -> bool:
        """Whether it is a difference between the runs."""
        return self.pair.counts and self.apart.verdict not in AGREE


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A place where something differs.

    Attributes:
        left: Number of the left step; None where only the right run has it.
        right: Number of the right step; None where only the left run has it.
        verdict: How the steps compare.
        value: The value that differs most in it; None where the step itself has no counterpart.
    """

    left: int | None
    right: int | None
    verdict: StepVerdict
    value: Compared | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """Two runs compared.

    Attributes:
        left: One run.
        right: The other.
        pairs: Which steps belong together.
        mismatches: Where something differs, or a step has no counterpart: in the order of the left
            run, those that only the right run has where they happen.
        roundings: Where something agrees but for rounding, and nothing differs, in that order too.
        dtypes: Pairs of other floating dtypes that were compared, left and right.
        has_other_bits: Whether some values that are the same numbers have other bits or dtypes.
        uncertain: Whether of some values not all elements were compared.
        judge: Compares values.
    """

    left: Index
    right: Index
    pairs: StepPairs
    mismatches: tuple[Mismatch, ...]
    roundings: tuple[Mismatch, ...]
    dtypes: tuple[tuple[str, str], ...]
    has_other_bits: bool
    uncertain: bool
    judge: Judge

    @property
    def first(self) -> Mismatch | None:
        """The first difference that is one of the numbers, or of what happened at all."""
        return next((each for each in self.mismatches if self.matters(each)), None)

    @property
    def rounding(self) -> Mismatch | None:
        """Where values that agree but for rounding are farthest apart; None where none do."""
        return max(self.roundings, key=_size, default=None)

    @property
    def outcome(self) -> Outcome:
        """What holds of the runs as a whole; those with nothing in common differ."""
        if self.first is not None or (self.mismatches and not self.pairs.count):
            return "differ"
        return "rounding" if self.roundings else "equal"

    def matters(self, mismatch: Mismatch) -> bool:
        """Whether it is more than another way to the same numbers.

        One run may need an op more than the other; that it has a pass, a gradient of a leaf or an
        exception more is a difference.
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

    def values(self, left: int | None, right: int | None) -> list[Compared]:
        """The values of two steps that belong together, or of one that has no counterpart."""
        return self.judge.step(left, right)

    def nodes(self, *, left: bool) -> frozenset[int]:
        """The nodes of one run that its differing steps are about."""
        index = self.left if left else self.right
        numbers = [each.left if left else each.right for each in self.mismatches]
        found = [node_now(index, number) for number in numbers if number is not None]
        return frozenset([node for node in found if node is not None])


class Judge:
    """Compares the values of steps, the same two tensors once."""

    def __init__(self, left: Index, right: Index) -> None:
        self._left = left
        self._right = right
        self._known: dict[tuple[int, int], Apart] = {}

    def step(self, left: int | None, right: int | None) -> list[Compared]:
        """Compares two steps by number, of which one may be missing."""
        one = None if left is None else self._left.trace.steps[left - 1]
        other = None if right is None else self._right.trace.steps[right - 1]
        return [
            Compared(pair=pair, apart=self.apart(pair)) for pair in self._value_pairs(one, other)
        ]

    def _value_pairs(self, one: Step | None, other: Step | None) -> list[ValuePair]:
        if one is not None and other is not None:
            return value_pairs(self._left, self._right, one, other)
        if one is not None:
            return values_alone(self._left, one, left=True)
        return [] if other is None else values_alone(self._right, other, left=False)

    def apart(self, pair: ValuePair) -> Apart:
        """How far a value of the left run is from that of the right."""
        one, other = pair.left, pair.right
        if one is None or other is None:
            return Apart(verdict="only_right" if one is None else "only_left")
        if one.tensor is None or other.tensor is None:
            same = one.kind == other.kind and _text(one.text) == _text(other.text)
            return Apart(verdict="equal" if same else "kinds")
        both = one.tensor, other.tensor
        known = self._known.get(both)
        if known is None:
            known = self._known[both] = self._tensors(*both)
        return known

    @property
    def has_other_bits(self) -> bool:
        """Whether some that are the same numbers have other bits, of those compared up to now."""
        return any(apart.verdict == "same_value" for apart in self._known.values())

    def dtypes(self) -> tuple[tuple[str, str], ...]:
        """Pairs of other floating dtypes among the tensors compared up to now."""
        left, right = self._left.tensor, self._right.tensor
        both = {(left.bare(one).dtype, right.bare(other).dtype) for one, other in self._known}
        floating = [pair for pair in both if all("float" in dtype for dtype in pair)]
        return tuple(sorted(pair for pair in floating if pair[0] != pair[1]))

    def _tensors(self, left: int, right: int) -> Apart:
        return tensors_apart(
            self._left.tensor.bare(left),
            self._right.tensor.bare(right),
            self._left.value(left),
            self._right.value(right),
        )


def _text(text: str) -> str:
    return _ADDRESS.sub("", text)


def compare_runs(left: Index, right: Index, pause: Callable[[], None] = lambda: None) -> Comparison:
    """Compares two runs; takes a while, for all tensors of both are read.

    Args:
        left: One run.
        right: The other.
        pause: Called now and then; whatever it raises ends the work.
    """
    pairs = pair_steps(left, right, pause)
    judge = Judge(left, right)
    mismatches: list[Mismatch] = []
    rounding: list[Mismatch] = []
    uncertain = False
    for count, (one, other) in enumerate(_in_order(pairs)):
        if count % _PAUSE_EVERY == 0:
            pause()
        if one is None or other is None:
            verdict: StepVerdict = "only_right" if one is None else "only_left"
            mismatches.append(Mismatch(left=one, right=other, verdict=verdict, value=None))
            continue
        values = judge.step(one, other)
        uncertain = uncertain or any(not each.apart.whole for each in values)
        differing = [each for each in values if each.differs]
        rounded = [each for each in values if each.apart.verdict == "rounding"]
        if differing:
            found = Mismatch(left=one, right=other, verdict="differs", value=_worst(differing))
            mismatches.append(found)
        elif rounded:
            found = Mismatch(left=one, right=other, verdict="rounding", value=_worst(rounded))
            rounding.append(found)
    return Comparison(
        left=left,
        right=right,
        pairs=pairs,
        mismatches=tuple(mismatches),
        roundings=tuple(rounding),
        dtypes=judge.dtypes(),
        has_other_bits=judge.has_other_bits,
        uncertain=uncertain,
        judge=judge,
    )


def _in_order(pairs: StepPairs) -> list[tuple[int | None, int | None]]:
    """All steps of both runs: those of the left, and between them those of the right alone."""
    found: list[tuple[int | None, int | None]] = []
    waiting = list(pairs.only_right)[::-1]
    for one, other in enumerate(pairs.right_of.tolist(), 1):
        while other and waiting and waiting[-1] < other:
            found.append((None, waiting.pop()))
        found.append((one, other or None))
    found += [(None, number) for number in reversed(waiting)]
    return found


def _worst(values: list[Compared]) -> Compared:
    """The first of those that are farthest apart; what is no number at all comes before."""
    return max(values, key=lambda each: _far(each.apart))


def _far(apart: Apart) -> float:
    return float("inf") if apart.largest is None else apart.largest


def _size(mismatch: Mismatch) -> float:
    return 0.0 if mismatch.value is None else _far(mismatch.value.apart)
