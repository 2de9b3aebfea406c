"""What the steps at one element show: noise, truncation, a kink, or a gradient that is wrong.

Nothing is read from the analytical value but whether it is the limit: the limit is where the
difference quotient depends least on its step. Left of there it is lost in rounding, whose error
falls as 1/h; right of it, in truncation, whose error grows as h squared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradviz.checks.probes.row import Numbers, Row

Kind = Literal["eps", "kink", "jump", "wrong", "unclear"]

_FLAT = 1.3
"""One-sided differences of a kink keep their distance, up to this factor from step to step."""

_REACHED = 0.1
"""A step that reaches over a kink shows at least this share of what larger ones show of it."""

_CLEAR = 0.02
"""Rounding must be below this share of what is looked at."""

_RUN = 4
"""At so many steps in a row a kink shows itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one element shows.

    Attributes:
        kind: ``eps`` where the analytical value is the limit, ``wrong`` where it is not.
        best: The step at which the quotient depends least on it.
        limit: The quotient there.
        doubt: How far the limit may be off.
    """

    kind: Kind
    best: float
    limit: float
    doubt: float


def read(
    row: Row,
    column: int,
    analytical: float,
    eps: float,
    tolerance: tuple[float, float],
    unit: float,
) -> Reading:
    """Reads one element.

    Args:
        row: What was measured.
        column: Of the element.
        analytical: What backward says.
        eps: The step that was used.
        tolerance: Absolute, and relative to the limit.
        unit: Relative rounding error of a number of the computation.
    """
    central, gap = row.central[:, column], row.gap[:, column]
    floor = row.floor(unit)[:, column]
    unrest = _unrest(central) + floor
    best = _best(central, gap, unrest)
    if best is None:
        return Reading(kind="unclear", best=eps, limit=math.nan, doubt=math.inf)
    limit, doubt = float(central[best]), float(unrest[best])
    allowed = tolerance[0] + tolerance[1] * abs(limit)
    kind: Kind = "unclear"
    if _keeps(gap, row.steps, floor, eps, allowed):
        kind = "kink"
    elif doubt <= allowed:
        kind = "eps" if abs(analytical - limit) <= allowed + doubt else "wrong"
    elif _keeps(np.maximum(gap, np.abs(central)), row.steps, floor, eps, allowed, power=1):
        kind = "jump"
    return Reading(kind=kind, best=float(row.steps[best]), limit=limit, doubt=doubt)


def _unrest(central: Numbers) -> Numbers:
    """How much the quotient changes from each step to its neighbours; Inf at both ends."""
    change = np.abs(np.diff(central))
    found = np.full(len(central), np.inf)
    found[1:-1] = np.maximum(change[1:], change[:-1])
    return np.where(np.isfinite(found), found, np.inf)


def _best(central: Numbers, gap: Numbers, unrest: Numbers) -> int | None:
    """The steadiest step for the size of its quotient, and where there is none, the steadiest.

    Far beyond a pole quotients are so small that they change little, but not for their size. Where
    they are zero below the first change they do not count unless nothing else is steady: a
    function that rounds (to float32, or by adding a large number) does not change at all at small
    steps, which looks steady, and is not the limit.
    """
    if not np.isfinite(unrest).any():
        return None
    moving = np.where(central == 0, np.inf, unrest)
    size = np.abs(central)
    steady = (moving <= 1e-3 * size) & (gap <= 1e-2 * size)
    if steady.any():
        return int(np.argmin(np.where(steady, moving, np.inf)))
    return int(np.argmin(unrest))


def _keeps(
    sizes: Numbers, steps: Numbers, floor: Numbers, eps: float, allowed: float, power: int = 0
) -> bool:
    """Whether sizes times a power of the step are the same at some steps around the used one.

    The distance of one-sided quotients is at a kink, and grows as 1/h at a jump; elsewhere it
    shrinks with the step.
    """
    clear = (floor < _CLEAR * sizes) & (sizes > allowed)
    scaled = sizes * steps**power
    used = int(np.argmin(np.abs(np.log(steps / eps))))
    for first in range(max(0, used - _RUN + 1), min(used + _RUN, len(steps) - _RUN) + 1):
        run = slice(first, first + _RUN)
        even = scaled[run].max() <= _FLAT * scaled[run].min()
        # Where the kink is a little away, the step only just reaches over it.
        reached = clear[used] and scaled[used] >= _REACHED * scaled[run].min()
        if clear[run].all() and even and reached:
            return True
    return False
