"""What many steps at one element show: noise, truncation, a kink, or a wrong gradient.

The limit is where the difference quotient depends least on the step; the analytical value is only
compared with it. At smaller steps, rounding dominates, with an error that grows as 1/h. At larger
steps, truncation dominates, with an error that grows as h squared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradviz.checks.probes.row import Numbers, Row

Kind = Literal["eps", "kink", "jump", "wrong", "unclear"]

_FLAT = 1.3
"""At a kink, the one-sided gap varies by at most this factor over a run of steps."""

_REACHED = 0.1
"""A step that reaches across a kink shows at least this share of the gap at other steps."""

_CLEAR = 0.02
"""Rounding must be below this share of what is measured."""

_RUN = 4
"""A kink must show at this many consecutive steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one element shows.

    Attributes:
        kind: ``eps`` if the analytical value is the limit, ``wrong`` if it is not; ``kink`` or
            ``jump`` if there is no derivative, ``unclear`` if nothing can be said.
        best: The step at which the quotient depends least on the step.
        limit: The quotient there.
        doubt: Uncertainty of the limit.
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
    """Classify one element.

    Args:
        row: Measurements of the row.
        column: Column of the element.
        analytical: Value from backward.
        eps: The step that was used.
        tolerance: Absolute tolerance, and tolerance relative to the limit.
        unit: Relative rounding error of the computation.
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
    """Largest change of the quotient to a neighboring step; Inf at both ends."""
    change = np.abs(np.diff(central))
    found = np.full(len(central), np.inf)
    found[1:-1] = np.maximum(change[1:], change[:-1])
    return np.where(np.isfinite(found), found, np.inf)


def _best(central: Numbers, gap: Numbers, unrest: Numbers) -> int | None:
    """The step with the least change of the quotient, relative to it if possible.

    Far beyond a pole, quotients are so small that their change is small in absolute terms, but not
    relative to them. Quotients that are zero only count if nothing else is steady: a function that
    rounds (to float32, or by adding a large number) does not change at all for small steps, which
    looks steady but is not the limit.
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
    """Whether sizes times a power of the step are constant over steps near the used one.

    At a kink the one-sided gap is constant, and at a jump it grows as 1/h. Elsewhere it shrinks
    with the step.
    """
    clear = (floor < _CLEAR * sizes) & (sizes > allowed)
    scaled = sizes * steps**power
    used = int(np.argmin(np.abs(np.log(steps / eps))))
    for first in range(max(0, used - _RUN + 1), min(used + _RUN, len(steps) - _RUN) + 1):
        run = slice(first, first + _RUN)
        even = scaled[run].max() <= _FLAT * scaled[run].min()
        # If the kink is at some distance, the step may only just reach across it.
        reached = clear[used] and scaled[used] >= _REACHED * scaled[run].min()
        if clear[run].all() and even and reached:
            return True
    return False
