"""Iterations of a training run: what ran between one update of the parameters and the next."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise

import numpy as np

from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.model.columns import ACCUMULATE, OPTIMIZER
from gradviz.model.step import AccumulateStep, OptimizerStep, PassBeginStep

_MOST_READ = 2
"""Maximum number of leaves whose elements are read to find out if a pass began with zeros."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One iteration as a range of steps.

    Attributes:
        number: Its number among the recorded iterations, from 1. If only some passes of a long run
            were recorded, the number of its last pass in the run.
        first: Number of its first step.
        last: Number of its last step.
        passes: Its outermost backward passes that accumulate gradients; several for accumulated
            gradients, several losses, or a closure that an optimizer calls repeatedly.
        updates: Numbers of its optimizer steps; several if optimizers take turns, and none if the
            script skipped the update or has no optimizer.
    """

    number: int
    first: int
    last: int
    passes: tuple[PassSpan, ...]
    updates: tuple[int, ...]

    def __contains__(self, step: int) -> bool:
        return self.first <= step <= self.last


def iterations_of(index: TraceIndex) -> tuple[Iteration, ...]:
    """The iterations of a run; together they cover all steps. Empty if it has only one.

    An iteration ends with an update. Updates of several optimizers that take turns belong to one
    iteration. Passes before an update belong to one iteration unless the gradients of all leaves
    that they share were cleared in between, because then the script skipped an update. Steps that
    follow an update without any pass, such as those of a validation, belong to its iteration.
    """
    if index.iteration:
        return ()
    passes = training_passes(index)
    parts = list(_parts(index, passes)) if _repeats(index, passes) else []
    if len(parts) < 2:
        return ()
    starts = [1, *(_start(index, *pair) for pair in pairwise(parts))]
    ends = [*(start - 1 for start in starts[1:]), len(index.trace.steps)]
    places = pass_numbers(index)
    ranges = enumerate(zip(parts, starts, ends, strict=True), start=1)
    return tuple(
        Iteration(
            number=places.get(part.passes[-1].first, at) if part.passes else at,
            first=first,
            last=last,
            passes=part.passes,
            updates=part.updates,
        )
        for at, (part, first, last) in ranges
    )


def pass_numbers(index: TraceIndex) -> dict[int, int]:
    """The number in the run of each pass, by its first step, if not all passes were recorded."""
    passes = index.passes if index.trace.scope.kept else ()
    return {each.first: each.numbers[0] for each in passes if not each.numbers[1:]}


def iteration_at(iterations: Sequence[Iteration], step: int) -> Iteration | None:
    """The iteration that contains a step; None if there are no iterations."""
    at = bisect_left(iterations, step, key=lambda each: each.last)
    return iterations[min(at, len(iterations) - 1)] if iterations else None


def nearest_iteration(iterations: Sequence[Iteration], number: int) -> Iteration:
    """The iteration with a number, or the one whose number is nearest."""
    return min(iterations, key=lambda each: abs(each.number - number))


def corresponding_step(here: Iteration, step: int, there: Iteration) -> int:
    """The step of another iteration that has the place that a step has in its own one."""
    return max(there.first, min(there.first + step - here.first, there.last))


def training_passes(index: TraceIndex) -> tuple[PassSpan, ...]:
    """The outermost passes of ``backward()``, one for each set of roots."""
    found: list[PassSpan] = []
    roots: set[tuple[int, ...]] = set()
    for span in index.passes:
        begin = index.trace.steps[span.first - 1]
        nodes = tuple(root.node for root in span.roots)
        if not isinstance(begin, PassBeginStep) or not begin.accumulate:
            continue
        # Another backward from the same roots belongs to the same iteration.
        if begin.parent is None and nodes not in roots:
            roots.add(nodes)
            found.append(span)
    return tuple(found)


def leaf_keys(index: TraceIndex, nodes: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Yield a key for the leaf of each node, by its memory, because torch may replace the node."""
    columns = index.tensors
    variables = np.array([index.node[node].variable or 0 for node in nodes], np.int64)
    places = np.searchsorted(columns.ids, variables)
    found = np.zeros(len(nodes), np.int64)
    known = places < len(columns.ids)
    known[known] = columns.ids[places[known]] == variables[known]
    found[known] = columns.storages[places[known]]
    for node, storage in zip(nodes, found.tolist(), strict=True):
        yield ("memory", storage) if storage else ("node", node)


@dataclass(slots=True)
class _IterationDraft:
    passes: tuple[PassSpan, ...] = ()
    updates: tuple[int, ...] = ()

    @property
    def end(self) -> int:
        return max((*(span.last for span in self.passes), *self.updates), default=0)


def _repeats(index: TraceIndex, passes: Sequence[PassSpan]) -> bool:
    """Whether a run has two updates, or one line starts two passes that reach the same leaf."""
    if np.count_nonzero(index.steps.kinds == OPTIMIZER) >= 2:
        return True
    by_line: dict[Hashable, set[tuple[str, int]]] = {}
    for span in passes:
        leaves = by_line.setdefault(_line(index, span.first), set())
        reached = set(_accumulations(index, span))
        if leaves & reached:
            return True
        leaves |= reached
    return False


def _parts(index: TraceIndex, passes: Sequence[PassSpan]) -> Iterator[_IterationDraft]:
    updates = (np.flatnonzero(index.steps.kinds == OPTIMIZER) + 1).tolist()
    starts = _turns(index, updates)
    waiting = list(passes)
    part = _IterationDraft()
    for update in updates:
        if update in starts and part.updates:
            yield part
            part = _IterationDraft()
        before = [span for span in waiting if span.first < update]
        waiting = waiting[len(before) :]
        *skipped, used = _split(index, before, update) or [()]
        for each in skipped:
            # The parts before the one that was used ended without an update.
            if part.updates:
                yield part
                part = _IterationDraft()
            yield _IterationDraft(passes=each)
        if skipped and part.updates:
            yield part
            part = _IterationDraft()
        part.passes += used
        part.updates += (update,)
    if part.updates:
        yield part
    for each in _split(index, waiting, None, default=not updates):
        yield _IterationDraft(passes=each)


def _turns(index: TraceIndex, updates: Sequence[int]) -> set[int]:
    """The updates that begin another turn of the optimizers, as those of a GAN do."""
    keys = [_optimizer(index, number) for number in updates]
    for period in range(1, len(keys) // 2 + 1):
        if keys[period:] == keys[:-period]:
            return set(updates[::period])
    # Not all turns were recorded, or they are uneven. What follows only once is no turn.
    rank = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    followed = Counter(pairwise(keys))
    begin = {
        number
        for number, (before, key) in zip(updates[1:], pairwise(keys), strict=True)
        if rank[key] <= rank[before] or followed[before, key] < 2
    }
    return begin | set(updates[:1])


def _optimizer(index: TraceIndex, number: int) -> Hashable:
    step = index.trace.steps[number - 1]
    if not isinstance(step, OptimizerStep):
        return None
    numbers = [item.tensor for item in step.before if item.tensor is not None]
    memory = [index.tensor.bare(each).storage or each for each in numbers]
    return step.optimizer, _line(index, number), tuple(memory)


def _line(index: TraceIndex, number: int) -> tuple[str, int] | None:
    step = index.trace.steps[number - 1]
    location = step.location if isinstance(step, PassBeginStep | OptimizerStep) else None
    return None if location is None else (location.path, location.line)


def _split(
    index: TraceIndex, passes: Sequence[PassSpan], update: int | None, *, default: bool = False
) -> list[tuple[PassSpan, ...]]:
    """Split passes between which all gradients were cleared.

    Args:
        index: The trace.
        passes: Successive passes.
        update: The update that follows them; None for none.
        default: Whether to split where it is unknown if gradients were cleared.
    """
    if len(passes) == 1:
        return [tuple(passes)]
    step = None if update is None else index.trace.steps[update - 1]
    found: list[list[PassSpan]] = []
    known: dict[tuple[str, int], AccumulateStep] = {}
    for span in passes:
        reached = _accumulations(index, span)
        shared = [reached[leaf] for leaf in reached.keys() & known.keys()]
        begun = index.trace.steps[span.first - 1].started_ns
        # A closure that an optimizer calls clears gradients, too, but belongs to one update.
        inside = isinstance(step, OptimizerStep) and step.started_ns <= begun
        # The smallest ones will do: their elements may have to be read.
        shared = sorted(shared, key=partial(_size, index))[:_MOST_READ]
        cleared = bool(shared) and all(_is_cleared(index, each, default) for each in shared)
        if not found or (cleared and not inside):
            found.append([])
            known = {}
        found[-1].append(span)
        known |= reached
    return [tuple(each) for each in found]


def _accumulations(index: TraceIndex, span: PassSpan) -> dict[tuple[str, int], AccumulateStep]:
    """The step at which a pass reaches each leaf."""
    inside = slice(span.first - 1, span.last)
    numbers = (np.flatnonzero(index.steps.kinds[inside] == ACCUMULATE) + span.first).tolist()
    steps = [index.trace.steps[number - 1] for number in numbers]
    found = [step for step in steps if isinstance(step, AccumulateStep)]
    return dict(zip(leaf_keys(index, [step.node for step in found]), found, strict=True))


def _size(index: TraceIndex, step: AccumulateStep) -> int:
    number = step.total.tensor
    return 0 if number is None else index.tensor.bare(number).count


def _is_cleared(index: TraceIndex, step: AccumulateStep, default: bool) -> bool:
    """Whether a leaf had no gradient, or zeros, before a pass added to it."""
    if not step.added:
        return default if step.added is None else True
    numbers = (step.total.tensor, step.contribution.tensor)
    values = [None if number is None else index.value(number) for number in numbers]
    total, added = (None if value is None else value.array() for value in values)
    return total is not None and added is not None and np.array_equal(total, added, equal_nan=True)


def _start(index: TraceIndex, before: _IterationDraft, part: _IterationDraft) -> int:
    """The step with which a part begins: the first one that made a node that its passes execute."""
    first = min((*(span.first for span in part.passes), *part.updates))
    executed = {
        int(node)
        for span in part.passes
        for node in index.steps.nodes[span.first - 1 : span.last].tolist()
        if node
    }
    between = range(before.end + 1, first)
    made = (number for number in between if int(index.steps.nodes[number - 1]) in executed)
    return next(made, first)


def group_by_iteration(
    iterations: Sequence[Iteration], steps: Sequence[int]
) -> Iterator[tuple[Iteration, list[int]]]:
    """Sort ascending steps into their iterations."""
    ends = [each.last for each in iterations]
    for at, found in groupby(steps, key=lambda step: bisect_left(ends, step)):
        yield iterations[at], list(found)
