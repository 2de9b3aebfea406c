"""Training curves: the loss of each pass, and the norm of each parameter's gradient."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.analysis.values.non_finite_reach import UNSCALE
from gradviz.catalogue.messages import say
from gradviz.model.columns import ACCUMULATE, OPTIMIZER
from gradviz.model.item import Item
from gradviz.model.pass_numbers import PassNumbers
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One value of a curve.

    Attributes:
        at: Position in the training: n is the n-th training step. If several passes belong to one
            step, all but the last lie before it. In a sample of a long run, the n-th pass.
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
    """Curves of a run that repeats training steps.

    Attributes:
        rounds: Number of training steps; of passes in a sample of a long run.
        norm_of: ``moved_by``: L2 norm of the gradient that an optimizer used for a parameter;
            ``after_pass``: of ``.grad`` after a pass, if no optimizer was recorded.
        loss: Losses of all ``backward()`` passes that start at a single number; empty if there is
            none. If the run names several, such as ``loss_d`` and ``loss_g``, the first one.
        norms: A curve for each parameter, in the order of the optimizer.
        other_losses: Losses with other names.
        begins_with_the_run: Whether the first training step of the run is the first one here.
    """

    rounds: int
    norm_of: NormOf
    loss: TrainingCurve
    norms: tuple[TrainingCurve, ...]
    other_losses: tuple[TrainingCurve, ...] = ()
    begins_with_the_run: bool = True

    @property
    def losses(self) -> tuple[TrainingCurve, ...]:
        """All loss curves, the main one first."""
        return (self.loss, *self.other_losses)


def is_training(index: TraceIndex) -> bool:
    """Whether a run repeats training steps, with or without an optimizer.

    It does if it has at least two optimizer steps, or two passes from different roots that the
    same line starts and that reach the same leaf.
    """
    if np.count_nonzero(index.steps.kinds == OPTIMIZER) >= 2:
        return True
    passes = _loss_passes(index)
    if len(passes) < 2:
        return False
    by_line: dict[tuple[str, int] | None, set[tuple[str, int]]] = {}
    for span in passes:
        leaves = by_line.setdefault(_line(index, span), set())
        inside = slice(span.first - 1, span.last)
        accumulating = index.steps.kinds[inside] == ACCUMULATE
        reached = set(_leaves(index, index.steps.nodes[inside][accumulating].tolist()))
        if leaves & reached:
            return True
        leaves |= reached
    return False


def _line(index: TraceIndex, span: PassSpan) -> tuple[str, int] | None:
    begin = index.trace.steps[span.first - 1]
    location = begin.location if isinstance(begin, PassBeginStep) else None
    return None if location is None else (location.path, location.line)


def training_of(
    index: TraceIndex, cancelled: Callable[[], bool] = lambda: False
) -> TrainingRun | None:
    """The curves of a run; None if it is not training or the search was canceled.

    Reads tensor elements, so it may take a while for a large trace.
    """
    if not is_training(index):
        return None
    if index.trace.numbers:
        return _curves_of_numbers(index)
    updates = (np.flatnonzero(index.steps.kinds == OPTIMIZER) + 1).tolist()
    passes = _loss_passes(index)
    first, *others = _loss_series(index, passes, updates)
    if updates:
        norms = _norms_of_updates(index, updates, cancelled)
    else:
        norms = _norms_of_passes(index, passes, cancelled)
    if norms is None:
        return None
    return TrainingRun(
        rounds=len(updates) or len(passes),
        norm_of="moved_by" if updates else "after_pass",
        loss=first,
        norms=norms,
        other_losses=tuple(others),
        begins_with_the_run=index.begins_with_the_run,
    )


def _loss_passes(index: TraceIndex) -> tuple[PassSpan, ...]:
    """The outermost passes of ``backward()``, one for each set of roots."""
    found: list[PassSpan] = []
    roots: set[tuple[int, ...]] = set()
    for span in index.passes:
        begin = index.trace.steps[span.first - 1]
        nodes = tuple(root.node for root in span.roots)
        if not isinstance(begin, PassBeginStep) or not begin.accumulate:
            continue
        # Another backward from the same roots belongs to the same training step.
        if begin.parent is None and nodes not in roots:
            roots.add(nodes)
            found.append(span)
    return tuple(found)


def _leaves(index: TraceIndex, nodes: Sequence[int]) -> Iterator[tuple[str, int]]:
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


def _loss_series(
    index: TraceIndex, passes: tuple[PassSpan, ...], updates: list[int]
) -> tuple[TrainingCurve, ...]:
    """A curve for each name of a loss; a single one if there are many names."""
    found: dict[tuple[str, str], list[CurvePoint]] = {}
    for name, point in _losses(index, passes, updates):
        found.setdefault(name, []).append(point)
    if not 1 <= len(found) <= _MOST_LOSSES:
        every = [point for points in found.values() for point in points]
        found = {("", ""): sorted(every, key=lambda point: point.step)}
    return tuple(
        TrainingCurve(
            name=name if name not in _UNNAMED else "loss", kind="loss", points=tuple(points)
        )
        for (name, _), points in found.items()
    )


def _losses(
    index: TraceIndex, passes: tuple[PassSpan, ...], updates: list[int]
) -> Iterator[tuple[tuple[str, str], CurvePoint]]:
    """Yield the loss of each pass with a single root, with the names of the loss and the root."""
    unscaled = max(
        (each.after_step for each in index.trace.writes if each.op == UNSCALE), default=0
    )
    rounds = np.searchsorted(np.array(updates), [span.first for span in passes]).tolist()
    if not updates:
        rounds = list(range(len(passes)))
    for position, (span, round_) in enumerate(zip(passes, rounds, strict=True)):
        loss = span.roots[0].value if len(span.roots) == 1 else None
        if loss is not None and span.last <= unscaled:
            loss = _before_scale(index, span) or loss
        value = None if loss is None or loss.tensor is None else _scalar(index, loss.tensor)
        if loss is None or value is None:
            continue
        within = rounds.count(round_)
        place = sum(each == round_ for each in rounds[: position + 1])
        yield (
            (loss.name, span.roots[0].value.name),
            CurvePoint(at=round_ + place / within, step=span.first, value=value),
        )


def _before_scale(index: TraceIndex, span: PassSpan) -> Item | None:
    """What a ``GradScaler`` multiplied by its scale to get the root of a pass, if it did.

    The scale changes during the training, so scaled losses cannot be compared.
    """
    step = index.trace.steps[index.made_at.get(span.roots[0].node, span.first) - 1]
    if not isinstance(step, ForwardStep) or step.op != "mul" or len(step.inputs) != 2:
        return None
    loss, scale = step.inputs
    if loss.tensor is None or scale.tensor is None:
        return None
    factor = index.tensor.bare(scale.tensor)
    return loss if factor.count == 1 and not factor.requires_grad else None


def _scalar(index: TraceIndex, number: int) -> float | None:
    if index.tensor.bare(number).count != 1:
        return None
    value = index.value(number)
    record = index.tensor.bare(number)
    return scalar_value(record if value is None else index.tensor.measure(number, value))


NormCurves = tuple[TrainingCurve, ...] | None


def _norms_of_updates(
    index: TraceIndex, updates: list[int], cancelled: Callable[[], bool]
) -> NormCurves:
    points: dict[tuple[str, int], list[CurvePoint]] = {}
    copies: dict[str, list[tuple[str, int]]] = {}
    for at, number in enumerate(updates, start=1):
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
                point = CurvePoint(at=float(at), step=number, value=_norm(index, item))
                points.setdefault((item.name, known.index(which) + 1), []).append(point)
    return _series(points)


def _parameter(index: TraceIndex, item: Item, place: int) -> tuple[str, int]:
    """A key that separates parameters of the same name, by their memory."""
    record = None if item.tensor is None else index.tensor.bare(item.tensor)
    if record is None or record.storage is None:
        return "place", place
    return "storage", record.storage


def _norms_of_passes(
    index: TraceIndex, passes: tuple[PassSpan, ...], cancelled: Callable[[], bool]
) -> NormCurves:
    points: dict[tuple[str, int], list[CurvePoint]] = {}
    leaves: dict[tuple[str, int], tuple[str, int]] = {}
    counts: dict[str, int] = {}
    for at, span in enumerate(passes, start=1):
        inside = slice(span.first - 1, span.last)
        later = _later_totals(index, span)
        accumulating = np.flatnonzero(index.steps.kinds[inside] == ACCUMULATE) + span.first
        if cancelled():
            return None
        for number in accumulating.tolist():
            step = index.trace.steps[number - 1]
            if isinstance(step, AccumulateStep) and step.pass_id == span.pass_id:
                leaf = next(_leaves(index, (step.node,)))
                if leaf not in leaves:
                    name = index.node[step.node].variable_name or say(
                        "training.leaf", number=step.node
                    )
                    counts[name] = counts.get(name, 0) + 1
                    leaves[leaf] = name, counts[name]
                norm = _norm(index, later.get(step.node, step.total))
                point = CurvePoint(at=float(at), step=number, value=norm)
                points.setdefault(leaves[leaf], []).append(point)
    return _series(points)


def _later_totals(index: TraceIndex, span: PassSpan) -> dict[int, Item]:
    """What the gradients of leaves have become by the end of a pass, by their nodes."""
    end = index.trace.steps[span.last - 1]
    return {each.node: each.total for each in end.totals} if isinstance(end, PassEndStep) else {}


def _series(points: dict[tuple[str, int], list[CurvePoint]]) -> tuple[TrainingCurve, ...]:
    return tuple(
        TrainingCurve(name=name if copy == 1 else f"{name} ({copy})", kind="norm", points=tuple(of))
        for (name, copy), of in points.items()
    )


def _norm(index: TraceIndex, item: Item) -> float:
    statistics = None if item.tensor is None else _statistics(index, item.tensor)
    if statistics is None or not statistics.all_finite:
        return math.nan
    return statistics.norm or 0.0


def _statistics(index: TraceIndex, number: int) -> Statistics | None:
    record = index.tensor.bare(number)
    if record.statistics is None:
        value = index.value(number)
        record = record if value is None else index.tensor.measure(number, value)
    return record.statistics


def _curves_of_numbers(index: TraceIndex) -> TrainingRun:
    """The curves of a run of which only some passes are recorded; the n-th place is the n-th pass.

    The points of a pass that is not recorded lead to the last recorded one before it.
    """
    numbers = index.trace.numbers
    steps = _Steps(index)
    losses = [
        CurvePoint(at=float(number), step=steps.first(number), value=value)
        for each in numbers
        for number, value in enumerate(each.losses, each.first)
        if value is not None
    ]
    names = dict.fromkeys(name for each in numbers for name in each.names)
    return TrainingRun(
        rounds=sum(len(each.losses) for each in numbers),
        norm_of="after_pass",
        loss=TrainingCurve(name="loss", kind="loss", points=tuple(losses)),
        norms=tuple(
            TrainingCurve(name=name, kind="norm", points=tuple(_norms(numbers, name, steps)))
            for name in names
        ),
    )


def _norms(numbers: tuple[PassNumbers, ...], name: str, steps: _Steps) -> Iterator[CurvePoint]:
    for each in numbers:
        if name not in each.names:
            continue
        norms = each.norms[each.names.index(name)]
        for number, value in enumerate(norms, each.first):
            if value is not None:
                height = value if math.isfinite(value) else math.nan
                yield CurvePoint(at=float(number), step=steps.last(number), value=height)


class _Steps:
    """The steps of passes by their numbers."""

    def __init__(self, index: TraceIndex) -> None:
        kept = index.trace.scope.kept
        recorded = [number for first, last in kept for number in range(first, last + 1)]
        spans: dict[int, PassSpan] = dict(zip(recorded, _outermost(index), strict=False))
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


def _outermost(index: TraceIndex) -> Iterator[PassSpan]:
    for span in index.passes:
        begin = index.trace.steps[span.first - 1]
        if isinstance(begin, PassBeginStep) and begin.parent is None:
            yield span
