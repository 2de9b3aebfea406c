"""Matching of the steps of two runs of any programs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from gradviz.analysis.compare.common_subsequence import IndexPairs, match_sequences
from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.item import Item
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)

Side = Literal["left", "right"]
StepPair = tuple[int | None, int | None]
"""Numbers of a left step and its counterpart; None on the side that has none."""

_EXACT, _BY_NAME_AND_SHAPES, _BY_MODULE, _BY_NAME, _BY_SHAPE = range(5)


class StepKeys:
    """Computes keys of steps, using the nodes that are already known to match."""

    levels = 5
    """Number of levels, from the most specific key to the least specific one."""

    def __init__(self, left: TraceIndex, right: TraceIndex) -> None:
        self._index: dict[Side, TraceIndex] = {"left": left, "right": right}
        self._known: dict[Side, dict[int, str]] = {"left": {}, "right": {}}
        self._leaves: dict[Side, dict[int, str]] = {"left": {}, "right": {}}
        self._pairs = 0

    def pair(self, left: Step, right: Step) -> None:
        """Record that two steps match, and with them the nodes that they created, and leaves."""
        if not isinstance(left, ForwardStep) or not isinstance(right, ForwardStep):
            return
        self._pairs += 1
        # The last node that a step creates is that of its output, so match from the end.
        made = zip(reversed(left.nodes), reversed(right.nodes), strict=False)
        for at, (one, other) in enumerate(made):
            # With leading zeros, because `match_sequences` also sorts by the texts of keys.
            key = f"made:{self._pairs:07} {at}"
            self._known["left"][one] = self._known["right"][other] = key
            if left.op == right.op:
                self._pair_leaves(one, other, key)

    def _pair_leaves(self, left: int, right: int, key: str) -> None:
        """Record that the leaves match to which two matching nodes pass on gradients."""
        edges = [
            self._index["left"].leaving.get(left, ()),
            self._index["right"].leaving.get(right, ()),
        ]
        if len(edges[0]) != len(edges[1]):
            return
        for one, other in zip(*edges, strict=True):
            targets = self._index["left"].node[one.target], self._index["right"].node[other.target]
            if (
                [node.kind for node in targets] == ["accumulate", "accumulate"]
                and one.target not in self._leaves["left"]
                and other.target not in self._leaves["right"]
            ):
                name = f"{key} {one.slot}"
                self._leaves["left"][one.target] = self._leaves["right"][other.target] = name

    def leaf(self, step: AccumulateStep, side: Side) -> str:
        """The key of an accumulation: of the matching leaf, whose name may differ, or its name."""
        known = self._leaves[side].get(step.node)
        return self._index[side].node[step.node].variable_name if known is None else known

    def key(self, step: Step, level: int, side: Side) -> str | None:
        """The key of a step on a level; None if it has no key there."""
        index = self._index[side]
        match step:
            case ForwardStep():
                return self._of_forward(index, step, level)
            case NodeStep():
                return self._of_node(index, step, level, side)
            case DispatchStep():
                return f"dispatch:{step.function}"
            case OptimizerStep():
                return f"optimizer:{step.optimizer}" if level < _BY_SHAPE else "optimizer"
            case MissingStep():
                return f"missing:{step.name}"
            case PassBeginStep():
                return "begin"
            case PassEndStep():
                return "end"
            case ErrorStep():
                return "error"
            case AccumulateStep():
                # Paired by its leaf instead.
                return None

    def _of_forward(self, index: TraceIndex, step: ForwardStep, level: int) -> str | None:
        shapes = [_shape(index, item) for item in step.outputs]
        if level == _BY_SHAPE:
            known = any(shape is not None for shape in shapes)
            return f"forward:{shapes}" if known else None
        path = ""
        if step.node and level in (_EXACT, _BY_MODULE):
            path = module_path(index, step.node)
        # A layer that only one run has changes the paths of those after it, but not their shapes.
        given = [_shape(index, item) for item in step.inputs]
        sizes = (given, shapes) if level < _BY_MODULE else ""
        return f"forward:{step.op} {path} {sizes}"

    def _of_node(self, index: TraceIndex, step: NodeStep, level: int, side: Side) -> str | None:
        known = self._known[side].get(step.node)
        if known is not None:
            return known if level == _EXACT else None
        if level == _BY_SHAPE:
            return None
        path = module_path(index, step.node) if level < _BY_NAME else ""
        return f"node:{index.node[step.node].name} {path}"


def _shape(index: TraceIndex, item: Item) -> tuple[int, ...] | None:
    return None if item.tensor is None else index.tensor.bare(item.tensor).shape


CounterpartNumbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepPairing:
    """The matching steps of two runs, or of one iteration of each.

    Attributes:
        right_of: For each left step, the right one: entry ``n`` is for step ``n + 1``; 0 for none.
        left_of: For each right step, the left one, in the same form.
        steps: Numbers of the left and of the right steps that were to be matched.
    """

    right_of: CounterpartNumbers
    left_of: CounterpartNumbers
    steps: tuple[range, range]

    def right(self, number: int) -> int | None:
        """The right step that matches a left one; None if there is none."""
        return _at(self.right_of, number)

    def left(self, number: int) -> int | None:
        """The left step that matches a right one; None if there is none."""
        return _at(self.left_of, number)

    @property
    def count(self) -> int:
        """Number of matching steps."""
        return int(np.count_nonzero(self.right_of))

    @property
    def only_left(self) -> tuple[int, ...]:
        """Numbers of the left steps without a counterpart."""
        return tuple(number for number in self.steps[0] if self.right(number) is None)

    @property
    def only_right(self) -> tuple[int, ...]:
        """Numbers of the right steps without a counterpart."""
        return tuple(number for number in self.steps[1] if self.left(number) is None)

    def in_order(self) -> list[StepPair]:
        """The steps in order: the left ones, with those of only the right run in between."""
        found: list[StepPair] = []
        # Reversed, because a list gives up its last element without moving the others.
        waiting = list(self.only_right)[::-1]
        for one in self.steps[0]:
            other = int(self.right_of[one - 1])
            while other and waiting and waiting[-1] < other:
                found.append((None, waiting.pop()))
            # 0 marks a left step without a counterpart.
            found.append((one, other or None))
        found += [(None, number) for number in reversed(waiting)]
        return found


def _at(numbers: CounterpartNumbers, number: int) -> int | None:
    found = int(numbers[number - 1]) if 1 <= number <= len(numbers) else 0
    return found or None


def pair_steps(
    left: TraceIndex, right: TraceIndex, pause: Callable[[], None] = lambda: None
) -> StepPairing:
    """Match the steps of two runs.

    Phases are matched first: forward with forward, the n-th pass with the n-th. Within a phase,
    matches keep the order of the steps, except for accumulation into leaves, whose order the engine
    decides: these are matched by leaf. A node matches the node that the counterpart of its forward
    step created; the other steps are matched by name, then by the shape of the outputs.

    Args:
        left: The left run.
        right: The right run.
        pause: Called regularly; an exception that it raises ends the matching.
    """
    made = _StepPairer(left, right, pause)
    phases = _phases(left), _phases(right)
    together = match_sequences([key for key, _ in phases[0]], [key for key, _ in phases[1]])
    for one, other in together:
        pause()
        made.add(phases[0][one][1], phases[1][other][1])
    return made.pairs()


def _phases(index: TraceIndex) -> list[tuple[str, RunPhase]]:
    """Phases and their keys; the key of a forward phase is the number of earlier passes."""
    orders = {span.pass_id: order for order, span in enumerate(index.passes, 1)}
    found: list[tuple[str, RunPhase]] = []
    begun = 0
    for phase in index.phases:
        if phase.pass_id is None:
            found.append((f"forward:{begun}", phase))
            continue
        # After a nested pass, the outer one continues; the number must not go back then.
        begun = max(begun, orders.get(phase.pass_id, 0))
        found.append((f"pass:{orders.get(phase.pass_id, 0)}", phase))
    return found


def _steps(index: TraceIndex) -> range:
    phases = index.phases
    return range(phases[0].first, phases[-1].last + 1) if phases else range(0)


class _StepPairer:
    def __init__(self, left: TraceIndex, right: TraceIndex, pause: Callable[[], None]) -> None:
        self._left, self._right, self._pause = left, right, pause
        self._keying = StepKeys(left, right)
        self._right_of = np.zeros(len(left.trace.steps), np.int64)
        self._left_of = np.zeros(len(right.trace.steps), np.int64)

    def pairs(self) -> StepPairing:
        return StepPairing(
            right_of=self._right_of,
            left_of=self._left_of,
            steps=(_steps(self._left), _steps(self._right)),
        )

    def add(self, left: RunPhase, right: RunPhase) -> None:
        """Match the steps of two phases."""
        steps = self._steps(self._left, left), self._steps(self._right, right)
        self._add_leaves(*steps)
        ordered = (
            [step for step in steps[0] if not isinstance(step, AccumulateStep)],
            [step for step in steps[1] if not isinstance(step, AccumulateStep)],
        )
        found = self._level(*ordered, 0)
        for one, other in found:
            self._keep(ordered[0][one], ordered[1][other])

    def _steps(self, index: TraceIndex, phase: RunPhase) -> list[Step]:
        self._pause()
        return list(index.trace.steps[phase.first - 1 : phase.last])

    def _level(self, left: Sequence[Step], right: Sequence[Step], level: int) -> IndexPairs:
        """Match by the keys of one level, and between the matches by those of the next one."""
        if not left or not right or level == self._keying.levels:
            return []
        self._pause()
        keys = (
            [self._keying.key(step, level, "left") for step in left],
            [self._keying.key(step, level, "right") for step in right],
        )
        found = match_sequences(*keys) if level < self._keying.levels - 1 else _from_the_end(*keys)
        whole: IndexPairs = []
        for (one, other), (end, other_end) in pairwise([(-1, -1), *found, (len(left), len(right))]):
            inner = self._level(left[one + 1 : end], right[other + 1 : other_end], level + 1)
            whole += [(one + 1 + at, other + 1 + to) for at, to in inner]
            whole.append((end, other_end))
        return whole[:-1]

    def _add_leaves(self, left: Iterable[Step], right: Iterable[Step]) -> None:
        waiting: dict[str, list[AccumulateStep]] = {}
        rest: list[AccumulateStep] = []
        for step in right:
            if isinstance(step, AccumulateStep):
                waiting.setdefault(self._keying.leaf(step, "right"), []).append(step)
        for step in left:
            if isinstance(step, AccumulateStep):
                same = waiting.get(self._keying.leaf(step, "left"))
                if same:
                    self._keep(step, same.pop(0))
                else:
                    rest.append(step)
        others = [step for steps in waiting.values() for step in steps]
        # One leaf left over on each side: the same leaf with a different name.
        if len(rest) == len(others) == 1:
            self._keep(rest[0], others[0])

    def _keep(self, left: Step, right: Step) -> None:
        self._right_of[left.number - 1] = right.number
        self._left_of[right.number - 1] = left.number
        self._keying.pair(left, right)


def _from_the_end(left: Sequence[str | None], right: Sequence[str | None]) -> IndexPairs:
    """Among several candidates, prefer the last: it is the one that computes the result."""
    found = match_sequences(left[::-1], right[::-1])
    return [(len(left) - 1 - one, len(right) - 1 - other) for one, other in reversed(found)]


class PhaseAlignment:
    """Maps steps of a run to those of another one that executes the same phases.

    The ``n``-th steps of a pair of phases correspond; those beyond a phase's end, to its last one.

    Attributes:
        pairs: The phases that both runs have, in order.
    """

    def __init__(self, phases: Sequence[RunPhase], others: Sequence[RunPhase]) -> None:
        found = match_sequences([_key(each) for each in phases], [_key(each) for each in others])
        self.pairs = tuple((phases[one], others[other]) for one, other in found)
        self._firsts = [phase.first for phase, _ in self.pairs]

    def step_of(self, number: int) -> int | None:
        """The corresponding step of the other run; None in a phase that only one run has."""
        at = bisect_right(self._firsts, number) - 1
        if at < 0 or number > self.pairs[at][0].last:
            return None
        phase, other = self.pairs[at]
        return min(other.first + number - phase.first, other.last)

    def nearest(self, number: int) -> int:
        """The corresponding step of the other run, or the last one before."""
        step = self.step_of(number)
        if step is None:
            at = bisect_right(self._firsts, number) - 1
            step = self.pairs[at][1].last if at >= 0 else 1
        return step


def _key(phase: RunPhase) -> str:
    return f"{phase.kind} {phase.pass_id}"
