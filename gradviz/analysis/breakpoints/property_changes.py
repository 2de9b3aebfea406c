"""Find where shapes and dtypes change, and where an element changes its sign."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from gradviz.analysis.breakpoints.breakpoint import WhenSign
from gradviz.analysis.breakpoints.step_tensors import (
    leaf_of,
    tensors_in,
    tensors_of_step,
    variables_before,
)
from gradviz.analysis.breakpoints.tensor_facts import TensorFacts
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.columns import NODE
from gradviz.model.inside import StageRecord
from gradviz.model.step import AccumulateStep, EngineConversion, NodeStep
from gradviz.model.tensor import TensorRecord

REDUCED: frozenset[EngineConversion] = frozenset(("reduced", "reduced_and_cast"))
CAST: frozenset[EngineConversion] = frozenset(("cast", "reduced_and_cast"))


def property_changes(
    facts: TensorFacts,
    changes: frozenset[EngineConversion],
    of: Callable[[TensorRecord], object],
    has_lines: bool,
) -> Iterator[TracePosition]:
    """Find where the engine changes gradients, or a line changes a property of a variable.

    Args:
        facts: Facts about the trace.
        changes: Changes by the engine that count.
        of: Returns the property, such as the shape.
        has_lines: Whether lines were recorded; otherwise only the engine is searched.
    """
    index = facts.index
    nodes = np.flatnonzero(index.steps.kinds == NODE) + 1
    for at in facts.paused(len(nodes)):
        step = index.trace.steps[int(nodes[at]) - 1]
        if isinstance(step, NodeStep) and any(each.change in changes for each in step.passed):
            yield TracePosition(step=step.number, stage="engine")
    for stage, part in recorded_stages(facts) if has_lines else ():
        before = variables_before(part) if part.lines else []
        for line, each in enumerate(part.lines):
            pairs = [(before[line].get(item.name), item.tensor) for item in each.changes]
            if any(_differ(index, old, new, of) for old, new in pairs):
                yield TracePosition(step=stage.step, stage=stage.stage, line=line)


def _differ(
    index: TraceIndex, old: int | None, new: int | None, of: Callable[[TensorRecord], object]
) -> bool:
    if old is None or new is None or old == new:
        return False
    return of(index.tensor.bare(old)) != of(index.tensor.bare(new))


def recorded_stages(facts: TensorFacts) -> Iterator[tuple[TracePosition, StageRecord]]:
    """Every stage in which something was recorded, in order."""
    numbers = sorted(facts.index.inside)
    for at in facts.paused(len(numbers)):
        for part in facts.index.inside[numbers[at]].parts:
            yield TracePosition(step=numbers[at], stage=part.stage), part


class SignTracker:
    """Follows one element through a run."""

    def __init__(self, facts: TensorFacts, target: WhenSign) -> None:
        """Prepare to follow the element of a breakpoint through a trace."""
        self._facts = facts
        self._target = target
        self.named = 0
        """Number of tensors found under that name."""
        self.read = 0
        """Number of those that have such an element."""
        self.undetermined = 0
        """Number of those whose element was not stored."""

    def places(self) -> Iterator[TracePosition]:
        """Find the places where the element changes its sign."""
        index, name = self._facts.index, self._target.name
        leaves: dict[tuple[str, int], list[int]] = defaultdict(list)
        for node in index.trace.nodes:
            if node.variable_name == name:
                leaves[leaf_of(index, node.id)].append(node.id)
        for nodes in leaves.values():
            if self._target.gradient:
                yield from self._turns(_totals(index, nodes))
            else:
                yield from self._turns(self._versions(nodes[0]))
        if not self._target.gradient:
            for stage, part in recorded_stages(self._facts):
                for series in _series_in(stage, part, name):
                    yield from self._turns(series)

    def _turns(self, series: list[tuple[TracePosition | None, int]]) -> Iterator[TracePosition]:
        last = 0
        for place, tensor in series:
            sign = self._sign(tensor)
            if sign and last and sign != last and place is not None:
                yield place
            last = sign or last

    def _sign(self, tensor: int) -> int:
        """1 or -1; 0 if the element is 0, NaN or unknown."""
        self.named += 1
        record = self._facts.index.tensor.bare(tensor)
        inside = len(record.shape) == len(self._target.element) and all(
            0 <= at < size for at, size in zip(self._target.element, record.shape, strict=True)
        )
        # A complex number has no sign.
        if not inside or record.dtype.startswith("complex"):
            return 0
        self.read += 1
        value = self._value(record)
        if value is None:
            self.undetermined += 1
            return 0
        return 0 if math.isnan(value) or value == 0 else int(math.copysign(1, value))

    def _value(self, record: TensorRecord) -> float | None:
        """The element, if it was stored."""
        steps = record.kept_steps if record.content in ("whole", "preview") else ()
        if len(steps) != len(record.shape):
            return None
        parted = [divmod(at, step) for at, step in zip(self._target.element, steps, strict=True)]
        value = self._facts.index.value(record.id)
        if value is None or any(rest for _, rest in parted):
            return None
        return float(value.array()[tuple([at for at, _ in parted])])

    def _versions(self, leaf: int) -> list[tuple[TracePosition | None, int]]:
        """The values of the leaf's memory, each with the step in which it appears first."""
        index = self._facts.index
        variable = index.node[leaf].variable
        record = None if variable is None else index.tensor.bare(variable)
        if record is None or record.storage is None:
            return []
        columns = index.tensors
        same = columns.ids[columns.storages == record.storage].tolist()
        wanted = {each for each in same if _alike(index.tensor.bare(each), record)}
        # A single value cannot change its sign, and the search below visits every step.
        if len(wanted) < 2:
            return [(None, each) for each in wanted]
        return self._first_seen(wanted)

    def _first_seen(self, wanted: set[int]) -> list[tuple[TracePosition | None, int]]:
        index, left = self._facts.index, set(wanted)
        series: list[tuple[TracePosition | None, int]] = []
        for step in index.trace.steps:
            if step.number % 50 == 0:
                self._facts.pause()
            traffic = tensors_of_step(index, step)
            reached = (traffic.all | traffic.knows) & left
            series += [(TracePosition(step=step.number), each) for each in sorted(reached)]
            left -= reached
            if not left:
                break
        return series


def _alike(one: TensorRecord, other: TensorRecord) -> bool:
    return (one.shape, one.strides) == (other.shape, other.strides)


def _totals(index: TraceIndex, nodes: list[int]) -> list[tuple[TracePosition | None, int]]:
    visits = sorted(visit for node in nodes for visit in index.visits.get(node, ()))
    steps = [index.trace.steps[visit - 1] for visit in visits]
    return [
        (TracePosition(step=step.number), tensor)
        for step in steps
        if isinstance(step, AccumulateStep)
        for tensor in tensors_in([step.total])
    ]


def _series_in(
    stage: TracePosition, part: StageRecord, name: str
) -> list[list[tuple[TracePosition | None, int]]]:
    """The values of a variable in each function call that has it."""
    series: list[list[tuple[TracePosition | None, int]]] = [
        [(None, item.tensor) for item in frame.arguments if item.name == name and item.tensor]
        for frame in part.frames
    ]
    for at, line in enumerate(part.lines):
        place = TracePosition(step=stage.step, stage=stage.stage, line=at)
        series[line.frame] += [
            (place, item.tensor) for item in line.changes if item.name == name and item.tensor
        ]
    return [each for each in series if each]
