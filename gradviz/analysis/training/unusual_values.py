"""The first value of an iteration that differs much from those of the iterations before it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iterations import Iteration
from gradviz.analysis.training.jumps import LEAST_BEFORE, MOST_BEFORE, is_jump
from gradviz.analysis.training.training_curves import measured_statistics
from gradviz.analysis.training.value_series import find_counterpart, value_name
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep, NodeStep, OptimizerStep, Step
from gradviz.model.step_values import StepItem, values_of

UnusualKind = Literal["larger", "not_finite", "equal"]

_MANY = 8
"""Number of elements from which it is noticed that all are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusualValue:
    """A value that differs from the same one of the iterations before.

    Attributes:
        kind: ``larger``: its elements are; ``not_finite``: it has NaN or Inf; ``equal``: all its
            elements are equal. Nothing of this was so before.
        name: Its name.
        where: What takes or makes it, such as ``conv2d``; empty if the name says it.
        step: Number of the first step that has it.
        is_setting: Whether it is a setting of an optimizer, such as ``lr``.
        value: The setting, the element, or the root mean square of the elements.
        usual: The largest one before; 0 unless it is larger.
    """

    kind: UnusualKind
    name: str
    where: str
    step: int
    is_setting: bool
    value: float
    usual: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusualSearch:
    """What was found in an iteration.

    Attributes:
        iteration: The iteration.
        compared: Number of iterations before it that it was compared with; 0 if there are too few.
        is_complete: Whether all the iterations among these were recorded.
        found: Its first unusual value; None without one.
    """

    iteration: Iteration
    compared: int
    is_complete: bool
    found: UnusualValue | None


def find_unusual_value(
    index: TraceIndex,
    iterations: Sequence[Iteration],
    here: Iteration,
    pause: Callable[[], None] = lambda: None,
) -> UnusualSearch:
    """Find what may have made the loss jump: the first value of an iteration that does.

    The settings of the update before it come first, as they made its parameters.

    Args:
        index: The trace.
        iterations: Its iterations.
        here: The iteration.
        pause: Called regularly; an exception from it ends the search.
    """
    at = iterations.index(here)
    before = iterations[max(0, at - MOST_BEFORE) : at]
    if len(before) < LEAST_BEFORE:
        return UnusualSearch(iteration=here, compared=0, is_complete=True, found=None)
    numbers = range(here.first, here.last + 1)
    found = chain(
        _settings(index, iterations[max(0, at - 1 - MOST_BEFORE) : at - 1], before[-1]),
        *(_unusual(index, number, here, before, pause) for number in numbers),
    )
    # Of a sample, iterations have the numbers of their last passes.
    passes = sum(len(each.passes) for each in (*before[1:], here))
    return UnusualSearch(
        iteration=here,
        compared=len(before),
        is_complete=not index.trace.scope.kept or here.number - before[0].number == passes,
        found=next(found, None),
    )


def _settings(
    index: TraceIndex, before: Sequence[Iteration], last: Iteration
) -> Iterator[UnusualValue]:
    if len(before) >= LEAST_BEFORE:
        for number in last.updates:
            found = _unusual(index, number, last, before, lambda: None)
            yield from (each for each in found if each.is_setting)


def _unusual(
    index: TraceIndex,
    number: int,
    here: Iteration,
    before: Sequence[Iteration],
    pause: Callable[[], None],
) -> Iterator[UnusualValue]:
    """The unusual values of a step."""
    pause()
    step = step_at(index, number)
    if step is None:
        return
    steps = [find_counterpart(index, step, here, each) for each in before]
    others = [values_of(each) for each in steps if each is not None]
    is_forward = isinstance(step, ForwardStep)
    for place, (role, item) in enumerate(values_of(step)):
        value = _measure(index, (role, item), is_forward)
        if value is None:
            continue
        same = [each[place] for each in others if place < len(each)]
        measured = [_measure(index, each, is_forward) for each in same if each[0] == role]
        # The gradients of a mean are larger in a smaller batch, as the last one often is.
        known = [
            each
            for each in measured
            if each is not None and (is_forward or each.count == value.count)
        ]
        if len(known) < LEAST_BEFORE:
            continue
        found = _difference(value, known)
        if found is not None:
            kind, height, usual = found
            yield UnusualValue(
                kind=kind,
                name=value_name(index, step, item),
                where=_where(index, step),
                step=number,
                is_setting=role == "setting",
                value=height,
                usual=usual,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measure:
    """What is compared of a value.

    Attributes:
        size: Root mean square of its elements; NaN if some are not finite.
        count: Number of its elements.
        element: The element if all of many are equal; NaN otherwise.
    """

    size: float
    count: int = 1
    element: float = math.nan


def _difference(
    here: _Measure, before: Sequence[_Measure]
) -> tuple[UnusualKind, float, float] | None:
    sizes = [each.size for each in before]
    if not all(map(math.isfinite, sizes)):
        return None
    if not math.isfinite(here.size):
        return "not_finite", math.nan, 0.0
    if is_jump(here.size, sizes):
        return "larger", here.size, max(sizes)
    if not math.isnan(here.element) and all(math.isnan(each.element) for each in before):
        return "equal", here.element, 0.0
    return None


def _measure(index: TraceIndex, value: StepItem, is_forward: bool) -> _Measure | None:
    role, item = value
    if role == "setting":
        return _setting(item)
    statistics = None if item.tensor is None else measured_statistics(index, item.tensor)
    if statistics is None or not statistics.count:
        return None
    if not statistics.all_finite or statistics.norm is None:
        return _Measure(size=math.nan, count=statistics.count)
    size = statistics.norm / math.sqrt(statistics.count)
    # Few elements are equal by chance, and gradients when a parameter has no influence.
    may_be_equal = is_forward and statistics.count >= _MANY
    element = statistics.minimum
    if not may_be_equal or element is None or element != statistics.maximum:
        return _Measure(size=size, count=statistics.count)
    return _Measure(size=size, count=statistics.count, element=element)


def _setting(item: Item) -> _Measure | None:
    try:
        size = abs(float(item.text))
    except ValueError:
        return None
    return _Measure(size=size) if math.isfinite(size) else None


def _where(index: TraceIndex, step: Step) -> str:
    match step:
        case ForwardStep():
            return step.op
        case NodeStep():
            return index.node[step.node].name
        case OptimizerStep():
            return step.optimizer
    return ""
