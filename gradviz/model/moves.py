"""How an optimizer has moved its parameters, as far as the recorded numbers tell."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.step import OptimizerStep

How = Literal["moved", "same", "without", "unknown"]

_MOST_CHECKED = 20
_DTYPES = ("float64", "float32")
_CLOSE = {"float64": 1e-12, "float32": 1e-5}


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What became of one parameter in a step.

    Attributes:
        before: As it was.
        gradient: That it was moved by; None where it had none.
        after: As it is; None in a step that has not finished.
        how: ``same``: it has a gradient and is as it was; ``without``: it had none, and is as it
            was; ``unknown``: the step has not finished.
    """

    before: Item
    gradient: Item
    after: Item | None
    how: How


def moves_of(step: OptimizerStep) -> tuple[Move, ...]:
    """The parameters of a step, in its order."""
    rows = zip_longest(step.before, step.gradients, step.after)
    return tuple(
        Move(before=before, gradient=gradient, after=after, how=_how(before, gradient, after))
        for before, gradient, after in rows
    )


def _how(before: Item, gradient: Item, after: Item | None) -> How:
    if after is None:
        return "unknown"
    if before.tensor != after.tensor:
        return "moved"
    return "without" if gradient.kind == "none" else "same"


def learning_rate(step: OptimizerStep) -> float | None:
    """The ``lr`` of all of its groups; None where they differ, or it is no number."""
    rates = [item.text for item in step.settings if item.name.split(" ")[0] == "lr"]
    if len(rates) != 1:
        return None
    try:
        return float(rates[0])
    except ValueError:
        return None


def follows_gradient(index: Index, step: OptimizerStep) -> bool:
    """Whether each moved parameter lost ``lr`` times its gradient, by the recorded elements.

    False also where that is not known: where elements were not kept, or there are very many.
    """
    rate = learning_rate(step)
    moved = [move for move in moves_of(step) if move.how == "moved"]
    if rate is None or not moved or len(moved) > _MOST_CHECKED:
        return False
    return all(_lost(index, move, rate) for move in moved)


def _lost(index: Index, move: Move, rate: float) -> bool:
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
    return before.shape == gradient.shape and bool(
        np.allclose(after, before - rate * gradient, rtol=close, atol=close * abs(rate))
    )
