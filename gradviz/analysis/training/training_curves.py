"""Training curves: the loss of each pass, and the norm of each parameter's gradient."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.analysis.training.iteration_costs import IterationCost, iteration_costs
from gradviz.analysis.training.iterations import (
    Iteration,
    group_by_iteration,
    iterations_of,
    leaf_keys,
    pass_numbers,
    training_passes,
)
from gradviz.analysis.values.non_finite_reach import UNSCALE
from gradviz.catalogue.messages import say
from gradviz.model.columns import ACCUMULATE
from gradviz.model.item import Item
from gradviz.model.statistics import Statistics
from gradviz.model.step import (
    AccumulateStep,
    ForwardStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
)
from gradviz.model.tensor import scalar_value

SeriesKind = Literal["loss", "norm"]
NormOf = Literal["moved_by", "after_pass"]

_UNNAMED = ("", "input", "output")
"""Names of a loss that is in no variable."""

_MOST_LOSSES = 4
"""Largest number of names for which each gets its own loss curve."""


_Values = dict[int, float]
"""Values by the steps in which they were recorded, or by passes."""

_LossName = tuple[str, str, int]
"""The name of a loss for people, and where it starts a pass; the line of the pass without one."""

_Norms = dict[tuple[str, int], _Values] | None
"""Norms of each parameter, by its name and a number that tells equal names apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One value of a curve.

    Attributes:
        at: Position in the training: n is the n-th iteration. If an iteration has several values,
            all but the last lie before it. In a sample of a long run, n is the n-th pass.
        step: Number of the step of the run in which it was recorded.
        value: Loss or norm; NaN if the gradient has NaN or Inf, or its elements are unknown.
    """

    at: float
    step: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingCurve:
    """One training curve.

    Attributes:
        name: ``loss``, the run's own name for what it differentiates, or the name of a parameter.
        kind: Kind of values.
        points: Values in order.
    """

    name: str
    kind: SeriesKind
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun:
    """Curves of a run with several iterations.

    Attributes:
        rounds: Number of iterations; of passes in a sample of a long run.
        norm_of: ``moved_by``: L2 norm of the gradient that an optimizer used for a parameter;
            ``after_pass``: of ``.grad`` after a pass, if no optimizer was recorded.
        loss: Losses of all ``backward()`` passes that start at a single number; empty if there is
            none. If the run names several, such as ``loss_d`` and ``loss_g``, the first one.
        norms: A curve for each parameter, in the order of the optimizer.
        other_losses: Losses with other names.
        begins_with_the_run: Whether the first iteration of the run is the first one here.
        iterations: The iterations.
        costs: Time and memory of each iteration.
    """

    rounds: int
    norm_of: NormOf
    loss: TrainingCurve
    norms: tuple[TrainingCurve, ...]
    other_losses: tuple[TrainingCurve, ...] = ()
    begins_with_the_run: bool = True
    iterations: tuple[Iteration, ...] = ()
    costs: tuple[IterationCost, ...] = ()

    @property
    def knows_updates(self) -> bool:
        """Whether iterations without an update had none.

        Of a sample, the update that belongs to one of several passes may be missing.
        """
        updated = (each for each in self.iterations if each.updates)
        return self.rounds <= len(self.iterations) or all(len(each.passes) == 1 for each in updated)

    @property
    def losses(self) -> tuple[TrainingCurve, ...]:
        """All loss curves, the main one first."""
        return (self.loss, *self.other_losses)

    @property
    def gradient_norm(self) -> TrainingCurve:
        """The norm of all gradients together in each iteration, from `norms`."""
        last: dict[int, tuple[int, float]] = {}
        for curve in self.norms:
            # The last value of a parameter in an iteration is at the iteration's number.
            for point in (each for each in curve.points if each.at == int(each.at)):
                step, squares = last.get(int(point.at), (0, 0.0))
                last[int(point.at)] = max(step, point.step), squares + point.value**2
        points = [
            CurvePoint(at=float(at), step=step, value=math.sqrt(squares))
            for at, (step, squares) in sorted(last.items())
        ]
        return TrainingCurve(name="", kind="norm", points=tuple(points))


def is_training(index: TraceIndex) -> bool:
    """Whether a run has several iterations, with or without an optimizer."""
    return bool(iterations_of(index))


def training_of(
    index: TraceIndex, cancelled: Callable[[], bool] = lambda: False
) -> TrainingRun | None:
    """The curves of a run; None if it is not training or the search was canceled.

    Reads tensor elements, so it may take a while for a large trace.
    """
    iterations = iterations_of(index)
    if not iterations:
        return None
    values = _numbered(index) if index.trace.numbers else _recorded(index, iterations, cancelled)
    if values is None:
        return None
    first, *others = _loss_curves(values)
    return TrainingRun(
        rounds=values.rounds,
        norm_of=values.norm_of,
        loss=first,
        norms=tuple(
            TrainingCurve(
                name=name if copy == 1 else f"{name} ({copy})",
                kind="norm",
                points=values.place_norms(of),
            )
            for (name, copy), of in values.norms.items()
        ),
        other_losses=tuple(others),
        begins_with_the_run=index.begins_with_the_run,
        iterations=iterations,
        costs=iteration_costs(index, iterations),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Series:
    """The values of a run, by steps or passes, and what makes points of those of a curve."""

    rounds: int
    norm_of: NormOf
    losses: Iterator[tuple[_LossName, int, float]]
    norms: dict[tuple[str, int], _Values]
    place_losses: Callable[[_Values], tuple[CurvePoint, ...]]
    place_norms: Callable[[_Values], tuple[CurvePoint, ...]]


def _recorded(
    index: TraceIndex, iterations: tuple[Iteration, ...], cancelled: Callable[[], bool]
) -> _Series | None:
    """The values of a run of which all passes are recorded, by steps."""
    updates = [number for each in iterations for number in each.updates]
    passes = training_passes(index)
    if updates:
        norms = _norms_of_updates(index, updates, cancelled)
    else:
        norms = _norms_of_passes(index, passes, cancelled)
    if norms is None:
        return None
    place = partial(_points, iterations)
    return _Series(
        rounds=len(iterations),
        norm_of="moved_by" if updates else "after_pass",
        losses=_losses(index, passes),
        norms=norms,
        place_losses=place,
        place_norms=place,
    )


def _points(iterations: tuple[Iteration, ...], values: _Values) -> tuple[CurvePoint, ...]:
    """Place values in their iterations; the last one of each iteration is at its number."""
    found: list[CurvePoint] = []
    for iteration, steps in group_by_iteration(iterations, sorted(values)):
        for place, step in enumerate(steps, start=1):
            at = iteration.number - 1 + place / len(steps)
            found.append(CurvePoint(at=at, step=step, value=values[step]))
    return tuple(found)


def _loss_curves(series: _Series) -> tuple[TrainingCurve, ...]:
    """A curve for each name of a loss, or line without one; a single one if there are many."""
    found: dict[_LossName, _Values] = {}
    for name, place, value in series.losses:
        found.setdefault(name, {})[place] = value
    if not 1 <= len(found) <= _MOST_LOSSES:
        every = {place: value for values in found.values() for place, value in values.items()}
        found = {("", "", 0): every}
    is_one = len({line for _, _, line in found}) == 1
    return tuple(
        TrainingCurve(
            name=_loss_text(name, 0 if is_one else line),
            kind="loss",
            points=series.place_losses(values),
        )
        for (name, _, line), values in found.items()
    )


def _loss_text(name: str, line: int) -> str:
    """The name of a loss, or what else tells it from others: the line of its backward pass."""
    if name not in _UNNAMED:
        return name
    return say("training.loss_of_line", line=line) if line else "loss"


def _losses(
    index: TraceIndex, passes: tuple[PassSpan, ...]
) -> Iterator[tuple[_LossName, int, float]]:
    """Yield the names, the step and the loss of each pass with a single root."""
    for name, step, loss, _ in _loss_items(index, passes):
        value = None if loss.tensor is None else measured_scalar(index, loss.tensor)
        if value is not None:
            yield name, step, value


def _loss_items(
    index: TraceIndex, passes: tuple[PassSpan, ...]
) -> Iterator[tuple[_LossName, int, Item, Item]]:
    """Yield the names, the step, the loss and the root of each pass with a single root."""
    unscaled = _last_unscaled(index)
    for span in passes:
        if len(span.roots) == 1:
            root = span.roots[0].value
            loss = _before_scale(index, span, unscaled=span.last <= unscaled) or root
            line = _line(index, span.first) if loss.name in _UNNAMED else 0
            yield (loss.name, root.name, line), span.first, loss, root


def starts_at_scaled_loss(index: TraceIndex, span: PassSpan) -> bool:
    """Whether a pass starts from a loss times a number, so that its gradients are scaled, too."""
    unscaled = span.last <= _last_unscaled(index)
    return len(span.roots) == 1 and _before_scale(index, span, unscaled=unscaled) is not None


def _last_unscaled(index: TraceIndex) -> int:
    writes = (each.after_step for each in index.trace.writes if each.op == UNSCALE)
    return max(writes, default=0)


def _line(index: TraceIndex, number: int) -> int:
    """The line that started a pass; 0 if it is unknown."""
    begin = index.trace.steps[number - 1]
    location = begin.location if isinstance(begin, PassBeginStep) else None
    return 0 if location is None else location.line


def _before_scale(index: TraceIndex, span: PassSpan, *, unscaled: bool) -> Item | None:
    """The variable that a pass starts from times a number, or what a ``GradScaler`` scaled.

    Its scale changes during the training, so scaled losses cannot be compared.
    """
    step = index.trace.steps[index.made_at.get(span.roots[0].node, span.first) - 1]
    if not isinstance(step, ForwardStep) or step.op not in ("mul", "div"):
        return None
    loss, factor = (*step.inputs, None, None)[:2]
    if loss is None or factor is None or loss.tensor is None:
        return None
    in_variable = loss.name not in _UNNAMED and span.roots[0].value.name in _UNNAMED
    if not (in_variable or unscaled) or index.tensor.bare(loss.tensor).count != 1:
        return None
    scale = None if factor.tensor is None else index.tensor.bare(factor.tensor)
    return loss if scale is None or (scale.count == 1 and not scale.requires_grad) else None


def measured_scalar(index: TraceIndex, number: int) -> float | None:
    """The number in a tensor with one element, read if need be; None if that is unknown."""
    if index.tensor.bare(number).count != 1:
        return None
    value = index.value(number)
    record = index.tensor.bare(number)
    return scalar_value(record if value is None else index.tensor.measure(number, value))


def _norms_of_updates(
    index: TraceIndex, updates: list[int], cancelled: Callable[[], bool]
) -> _Norms:
    norms: dict[tuple[str, int], _Values] = {}
    copies: dict[str, list[tuple[str, int]]] = {}
    for number in updates:
        step = index.trace.steps[number - 1]
        if cancelled() or not isinstance(step, OptimizerStep):
            return None
        seen: dict[str, int] = {}
        for before, item in zip(step.before, step.gradients, strict=True):
            # Two models may have parameters of the same name, each with its own optimizer.
            seen[item.name] = seen.get(item.name, 0) + 1
            known = copies.setdefault(item.name, [])
            which = _parameter(index, before, seen[item.name])
            if which not in known:
                known.append(which)
            if item.kind != "none":
                key = item.name, known.index(which) + 1
                norms.setdefault(key, {})[number] = _norm(index, item)
    return norms


def _parameter(index: TraceIndex, item: Item, place: int) -> tuple[str, int]:
    """A key that separates parameters of the same name, by their memory."""
    record = None if item.tensor is None else index.tensor.bare(item.tensor)
    if record is None or record.storage is None:
        return "place", place
    return "storage", record.storage


def _norms_of_passes(
    index: TraceIndex, passes: tuple[PassSpan, ...], cancelled: Callable[[], bool]
) -> _Norms:
    norms: dict[tuple[str, int], _Values] = {}
    leaves: dict[tuple[str, int], tuple[str, int]] = {}
    counts: dict[str, int] = {}
    for span in passes:
        inside = slice(span.first - 1, span.last)
        later = _later_totals(index, span)
        accumulating = np.flatnonzero(index.steps.kinds[inside] == ACCUMULATE) + span.first
        if cancelled():
            return None
        for number in accumulating.tolist():
            step = index.trace.steps[number - 1]
            if isinstance(step, AccumulateStep) and step.pass_id == span.pass_id:
                leaf = next(leaf_keys(index, (step.node,)))
                if leaf not in leaves:
                    name = index.node[step.node].variable_name or say(
                        "training.leaf", number=step.node
                    )
                    counts[name] = counts.get(name, 0) + 1
                    leaves[leaf] = name, counts[name]
                norm = _norm(index, later.get(step.node, step.total))
                norms.setdefault(leaves[leaf], {})[number] = norm
    return norms


def _later_totals(index: TraceIndex, span: PassSpan) -> dict[int, Item]:
    """What the gradients of leaves have become by the end of a pass, by their nodes."""
    end = index.trace.steps[span.last - 1]
    return {each.node: each.total for each in end.totals} if isinstance(end, PassEndStep) else {}


def _norm(index: TraceIndex, item: Item) -> float:
    statistics = None if item.tensor is None else measured_statistics(index, item.tensor)
    if statistics is None or not statistics.all_finite:
        return math.nan
    return statistics.norm or 0.0


def measured_statistics(index: TraceIndex, number: int) -> Statistics | None:
    """Statistics of a tensor, read from its elements if need be; None if they are unknown."""
    record = index.tensor.bare(number)
    if record.statistics is None:
        value = index.value(number)
        record = record if value is None else index.tensor.measure(number, value)
    return record.statistics


def _numbered(index: TraceIndex) -> _Series:
    """The values of a run of which only some passes are recorded, by passes.

    The points of a pass that is not recorded lead to the last recorded one before it.
    """
    numbers = index.trace.numbers
    steps = _Steps(index)
    norms: dict[tuple[str, int], _Values] = {}
    for each in numbers:
        for name, values in zip(each.names, each.norms, strict=True):
            heights = norms.setdefault((name, 1), {})
            for number, value in enumerate(values, each.first):
                if value is not None:
                    heights[number] = value if math.isfinite(value) else math.nan
    return _Series(
        rounds=sum(len(each.losses) for each in numbers),
        norm_of="after_pass",
        losses=_numbered_losses(index),
        norms=norms,
        place_losses=partial(_points_at, steps.first),
        place_norms=partial(_points_at, steps.last),
    )


def _numbered_losses(index: TraceIndex) -> Iterator[tuple[_LossName, int, float]]:
    """Yield the name, the pass and the loss of each pass; passes of a line have one name."""
    names: dict[int, _LossName | None] = {}
    for name, step, loss, root in _loss_items(index, training_passes(index)):
        if line := _line(index, step):
            # The numbers are those at which the passes start.
            if loss is not root:
                name = say("training.loss.scaled", name=_loss_text(loss.name, 0)), root.name, 0
            names.setdefault(line, name)
    for span in index.passes:
        begin = index.trace.steps[span.first - 1]
        if isinstance(begin, PassBeginStep) and not begin.accumulate:
            # `torch.autograd.grad` starts at any sum.
            names.setdefault(_line(index, span.first), None)
    for each in index.trace.numbers:
        lines = each.lines * (len(each.losses) if len(each.lines) == 1 else 1)
        for place, value in enumerate(each.losses):
            line = lines[place] if place < len(lines) else 0
            known = names.get(line, ("", "", line))
            if value is not None and known is not None:
                yield known, each.first + place, value


def _points_at(step_of: Callable[[int], int], values: _Values) -> tuple[CurvePoint, ...]:
    return tuple(
        CurvePoint(at=float(number), step=step_of(number), value=value)
        for number, value in values.items()
    )


class _Steps:
    """The steps of passes by their numbers."""

    def __init__(self, index: TraceIndex) -> None:
        places = pass_numbers(index)
        spans = {places[each.first]: each for each in index.passes if each.first in places}
        self._spans: list[PassSpan | None] = [None]
        count = sum(len(each.losses) for each in index.trace.numbers)
        for number in range(1, count + 1):
            self._spans.append(spans.get(number, self._spans[-1]))

    def first(self, number: int) -> int:
        """The step that begins a pass."""
        span = self._spans[number]
        return 1 if span is None else span.first

    def last(self, number: int) -> int:
        """The step that ends a pass."""
        span = self._spans[number]
        return 1 if span is None else span.last
