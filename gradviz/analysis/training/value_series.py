"""One value of a step over the iterations of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from gradviz.analysis.index.step_queries import module_path, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iterations import Iteration
from gradviz.analysis.training.training_curves import (
    CurvePoint,
    measured_scalar,
    measured_statistics,
)
from gradviz.model.item import Item, gradient_name
from gradviz.model.step import (
    AccumulateStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    Step,
)
from gradviz.model.step_values import MADE, values_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSeries:
    """The value that a step makes, in each iteration that has the same step.

    Attributes:
        name: Its name.
        is_scalar: Whether it is a single number; of other tensors, the L2 norm is given.
        points: The values; NaN if it has NaN or Inf, or is unknown.
    """

    name: str
    is_scalar: bool
    points: tuple[CurvePoint, ...]


def value_series(
    index: TraceIndex,
    iterations: Sequence[Iteration],
    here: Iteration,
    number: int,
    pause: Callable[[], None] = lambda: None,
) -> ValueSeries | None:
    """Read the main value of a step in all iterations; None if it has none that is known.

    Args:
        index: The trace.
        iterations: Its iterations.
        here: The iteration that contains the step.
        number: Number of the step.
        pause: Called regularly; an exception from it ends the reading.
    """
    step = step_at(index, number)
    item = None if step is None else main_value(step)
    if step is None or item is None or item.tensor is None:
        return None
    is_scalar = index.tensor.bare(item.tensor).count == 1
    points: list[CurvePoint] = []
    for each in iterations:
        pause()
        there = find_counterpart(index, step, here, each)
        other = None if there is None else main_value(there)
        if there is not None and other is not None and other.tensor is not None:
            value = _measured(index, other.tensor, is_scalar=is_scalar)
            points.append(CurvePoint(at=float(each.number), step=there.number, value=value))
    if all(math.isnan(each.value) for each in points):
        return None
    return ValueSeries(
        name=value_name(index, step, item), is_scalar=is_scalar, points=tuple(points)
    )


def main_value(step: Step) -> Item | None:
    """What a step makes: its first tensor; of a backward pass that begins, what it starts from."""
    if isinstance(step, PassBeginStep):
        return step.roots[0].value if step.roots else None
    made = (item for role, item in values_of(step) if role in MADE and item.tensor is not None)
    return next(made, None)


def value_name(index: TraceIndex, step: Step, item: Item) -> str:
    """The name of a value of a step, which for a gradient says what it is the gradient of."""
    match step:
        case AccumulateStep() if index.node[step.node].variable_name:
            return f"{index.node[step.node].variable_name}.grad"
        case NodeStep():
            return gradient_name(item.name)
    return item.name


def find_counterpart(
    index: TraceIndex, step: Step, here: Iteration, there: Iteration
) -> Step | None:
    """The step at the same place of another iteration, if it does the same.

    Args:
        index: The trace.
        step: The step.
        here: Its iteration.
        there: The other iteration; places count from its start, or else from its end.
    """
    key = _key(index, step)
    for begin, other in ((here.first, there.first), (here.last, there.last)):
        place = other + step.number - begin
        found = step_at(index, place) if place in there else None
        if found is not None and _key(index, found) == key:
            return found
    return None


def _key(index: TraceIndex, step: Step) -> Hashable:
    """What a step does, and where."""
    kind = type(step)
    if isinstance(step, NodeStep | AccumulateStep):
        node = index.node[step.node]
        return kind, node.name, node.variable_name, module_path(index, step.node)
    location = step.location if isinstance(step, ForwardStep | OptimizerStep) else None
    line = None if location is None else (location.path, location.line)
    if isinstance(step, ForwardStep):
        path = module_path(index, step.node) if step.node else ""
        return kind, step.op, path, line
    return kind, line


def _measured(index: TraceIndex, tensor: int, *, is_scalar: bool) -> float:
    if is_scalar:
        value = measured_scalar(index, tensor)
        return math.nan if value is None else value
    statistics = measured_statistics(index, tensor)
    if statistics is None or not statistics.all_finite or statistics.norm is None:
        return math.nan
    return statistics.norm
