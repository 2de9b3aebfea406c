"""What an iteration changed: updates, differences from another iteration, and dead units."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iterations import Iteration
from gradviz.analysis.training.training_curves import measured_statistics
from gradviz.model.arrays import FloatArray
from gradviz.model.columns import FORWARD
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep, OptimizerStep

_ParameterKey = tuple[str, int]
"""Name of a parameter, and which of several with this name it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterChange:
    """What an iteration did to one parameter; None for what was not recorded.

    Attributes:
        name: Its name.
        step: Number of the optimizer step.
        gradient: L2 norm of the gradient that was used.
        ratio: L2 norm of the update divided by that of the parameter before it.
        apart: Largest absolute difference to the parameter in the other iteration.
    """

    name: str
    step: int
    gradient: float | None
    ratio: float | None
    apart: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadUnits:
    """Units of a ReLU that were 0 for all samples of an iteration's batch.

    Attributes:
        step: Number of the forward step.
        dead: Number of these units.
        units: Number of all its units: the size of the last dimension.
    """

    step: int
    dead: int
    units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationChanges:
    """What an iteration changed, and what it found dead.

    Attributes:
        iteration: The iteration.
        other: The iteration that it is compared with.
        parameters: The parameters, in the order of the updates.
        dead: The ReLUs of the iteration that have dead units.
    """

    iteration: Iteration
    other: Iteration
    parameters: tuple[ParameterChange, ...]
    dead: tuple[DeadUnits, ...]


def iteration_changes(
    index: TraceIndex,
    iteration: Iteration,
    other: Iteration,
    pause: Callable[[], None] = lambda: None,
) -> IterationChanges:
    """Read what an iteration changed.

    Args:
        index: The trace.
        iteration: The iteration.
        other: The iteration to compare its parameters with, both after their updates.
        pause: Called regularly; an exception from it ends the reading.
    """
    there = {key: after for key, _, _, _, after in _updates(index, other)}
    found: dict[_ParameterKey, ParameterChange] = {}
    for key, step, before, gradient, after in _updates(index, iteration):
        pause()
        old, new = _array(index, before), _array(index, after)
        found[key] = ParameterChange(
            name=key[0],
            step=step,
            gradient=_norm(index, gradient),
            ratio=_ratio(old, new),
            apart=_apart(new, _array(index, there.get(key))),
        )
    dead = tuple(_dead_units(index, iteration))
    return IterationChanges(
        iteration=iteration, other=other, parameters=tuple(found.values()), dead=dead
    )


def _updates(
    index: TraceIndex, iteration: Iteration
) -> Iterator[tuple[_ParameterKey, int, Item, Item, Item | None]]:
    for number in iteration.updates:
        step = index.trace.steps[number - 1]
        if not isinstance(step, OptimizerStep):
            continue
        seen: dict[str, int] = {}
        for at, (before, gradient) in enumerate(zip(step.before, step.gradients, strict=True)):
            seen[before.name] = seen.get(before.name, 0) + 1
            after = step.after[at] if at < len(step.after) else None
            yield (before.name, seen[before.name]), number, before, gradient, after


def _array(index: TraceIndex, item: Item | None) -> FloatArray | None:
    """The elements of a tensor; None if not all are stored as numbers."""
    if item is None or item.tensor is None or index.tensor.bare(item.tensor).content != "whole":
        return None
    value = index.value(item.tensor)
    return None if value is None else value.array().astype(np.float64)


def _norm(index: TraceIndex, item: Item) -> float | None:
    # Known of tensors too large to be stored as well.
    statistics = None if item.tensor is None else measured_statistics(index, item.tensor)
    if statistics is None:
        return None
    return statistics.norm if statistics.all_finite else math.nan


def _ratio(before: FloatArray | None, after: FloatArray | None) -> float | None:
    if before is None or after is None or before.shape != after.shape:
        return None
    size = float(np.linalg.norm(before))
    return float(np.linalg.norm(after - before)) / size if size else None


def _apart(here: FloatArray | None, there: FloatArray | None) -> float | None:
    if here is None or there is None or here.shape != there.shape or not here.size:
        return None
    return float(np.abs(here - there).max())


def _dead_units(index: TraceIndex, iteration: Iteration) -> Iterator[DeadUnits]:
    inside = slice(iteration.first - 1, iteration.last)
    for number in (np.flatnonzero(index.steps.kinds[inside] == FORWARD) + iteration.first).tolist():
        step = index.trace.steps[number - 1]
        if not isinstance(step, ForwardStep) or step.op not in ("relu", "relu_"):
            continue
        values = _array(index, step.outputs[0] if step.outputs else None)
        # A single sample tells nothing about a unit.
        if values is None or values.ndim < 2 or values[..., 0].size < 2:
            continue
        units = values.reshape(-1, values.shape[-1])
        dead = int((units == 0).all(axis=0).sum())
        if dead:
            yield DeadUnits(step=number, dead=dead, units=units.shape[1])
