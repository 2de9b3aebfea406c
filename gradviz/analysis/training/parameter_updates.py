"""How an optimizer changed its parameters, as far as recorded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_regions import elements_differ
from gradviz.model.item import Item
from gradviz.model.step import OptimizerStep
from gradviz.model.tensor import TensorRecord

UpdateOutcome = Literal["moved", "same", "without", "unknown"]

_MOST_CHECKED = 20
_DTYPES = ("float64", "float32")
_CLOSE = {"float64": 1e-12, "float32": 1e-5}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterUpdate:
    """Effect of an optimizer step on one parameter.

    Attributes:
        before: Parameter before the step.
        gradient: Its gradient; None if it had none.
        after: Parameter after the step; None if the step has not finished.
        how: ``same``: it has a gradient but did not change; ``without``: it has no gradient and did
            not change; ``unknown``: the step has not finished.
    """

    before: Item
    gradient: Item
    after: Item | None
    how: UpdateOutcome


def parameter_updates(index: TraceIndex, step: OptimizerStep) -> tuple[ParameterUpdate, ...]:
    """The effect of an optimizer step on each parameter, in the step's order."""
    rows = zip_longest(step.before, step.gradients, step.after)
    return tuple(
        ParameterUpdate(
            before=before, gradient=gradient, after=after, how=_how(index, before, gradient, after)
        )
        for before, gradient, after in rows
    )


def _how(index: TraceIndex, before: Item, gradient: Item, after: Item | None) -> UpdateOutcome:
    if after is None:
        return "unknown"
    if before.tensor != after.tensor and _has_moved(index, before, after):
        return "moved"
    return "without" if gradient.kind == "none" else "same"


def _has_moved(index: TraceIndex, before: Item, after: Item) -> bool:
    """Whether the elements differ, as far as is known: a write of equal ones makes a new record."""
    if before.tensor is None or after.tensor is None:
        return True
    one, other = index.tensor[before.tensor], index.tensor[after.tensor]
    if _is_nan(one) and _is_nan(other):
        # Their bits may differ.
        return False
    return one.storage != other.storage or elements_differ(index, one, other) is not False


def _is_nan(record: TensorRecord) -> bool:
    known = record.statistics
    return known is not None and known.nans == known.count


def learning_rate(step: OptimizerStep) -> float | None:
    """The ``lr`` of all parameter groups; None if they differ or it is not a number."""
    rates = [item.text for item in step.settings if item.name.split(" ")[0] == "lr"]
    if len(rates) != 1:
        return None
    try:
        return float(rates[0])
    except ValueError:
        return None


def follows_gradient(index: TraceIndex, step: OptimizerStep) -> bool:
    """Whether each changed parameter decreased by ``lr`` times its gradient.

    Also False if this is unknown, because elements were not stored, there are very many, or ``lr``
    is not finite.
    """
    rate = learning_rate(step)
    # A small weight decay would be within the tolerance.
    if any(item.name == "weight_decay" and item.text not in ("0", "0.0") for item in step.settings):
        return False
    moved = [move for move in parameter_updates(index, step) if move.how == "moved"]
    if rate is None or not math.isfinite(rate) or not moved or len(moved) > _MOST_CHECKED:
        return False
    return all(_lost(index, move, rate) for move in moved)


def _lost(index: TraceIndex, move: ParameterUpdate, rate: float) -> bool:
    items = (move.before, move.gradient, move.after)
    numbers = [None if item is None else item.tensor for item in items]
    arrays = []
    for number in numbers:
        record = None if number is None else index.tensor.get(number)
        if number is None or record is None or record.content != "whole":
            return False
        value = index.value(number) if record.dtype in _DTYPES else None
        if value is None:
            return False
        arrays.append(value.array())
    before, gradient, after = arrays
    close = _CLOSE[str(before.dtype)]
    if not before.shape == gradient.shape == after.shape:
        return False
    # A parameter that diverges may overflow.
    with np.errstate(all="ignore"):
        return np.allclose(after, before - rate * gradient, rtol=close, atol=close * abs(rate))
