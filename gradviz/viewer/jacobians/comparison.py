"""Holds one matrix against another by gradcheck's rule, element by element."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.viewer.jacobians.cell_marks import CellMarks

MOST_WORST = 20
"""Elements that are listed."""

_LARGEST = np.finfo(np.float32).max
_JUST_OUTSIDE = float(np.nextafter(np.float32(1), np.float32(2)))


@dataclass(frozen=True, slots=True, kw_only=True)
class BadElement:
    """An element and how many tolerances its two values differ by; over 1 is outside."""

    row: int
    column: int
    excess: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """What holding one matrix against another has shown.

    Attributes:
        difference: The second minus the first.
        excess: How many tolerances each element differs by, ``[rows, columns]``; inf for NaN.
        wrong: The elements outside the tolerance.
        worst: The elements outside the tolerance, those furthest outside first, at most
            `MOST_WORST`; where all are inside, those nearest to its edge.
    """

    difference: npt.NDArray[Any]
    excess: npt.NDArray[np.float32]
    wrong: CellMarks
    worst: tuple[BadElement, ...]


def compared(
    base: npt.NDArray[Any], other: npt.NDArray[Any], atol: float, rtol: float
) -> Comparison:
    """Compares all elements.

    Args:
        base: What the tolerance is relative to, ``[rows, columns]``.
        other: Of the same shape.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the magnitude of ``base``.
    """
    with np.errstate(all="ignore"):
        difference = other - base
        apart, allowed = np.abs(difference), np.abs(base)
        allowed *= rtol
        allowed += atol
        # Written so that NaN counts as wrong.
        outside = ~(apart <= allowed)
        apart /= allowed
        # Nothing of nothing is inside; and rounding moves no element across the edge.
        lost = np.isnan(apart)
        np.copyto(apart, np.inf, where=lost & outside)
        np.copyto(apart, 0, where=lost & ~outside)
        np.minimum(apart, 1, out=apart, where=~outside)
        np.maximum(apart, _JUST_OUTSIDE, out=apart, where=outside)
        worst = _worst(apart, outside)
        excess = apart.astype(np.float32)
        np.copyto(excess, _LARGEST, where=np.isinf(excess) & np.isfinite(apart))
    return Comparison(difference=difference, excess=excess, wrong=CellMarks(outside), worst=worst)


def excess_of(base: complex, other: complex, atol: float, rtol: float) -> float:
    """The same for one element."""
    allowed, apart = atol + rtol * abs(base), abs(other - base)
    if not math.isfinite(apart):
        return math.inf
    if allowed == 0:
        return math.inf if apart else 0.0
    return apart / allowed


def _worst(excess: npt.NDArray[Any], outside: npt.NDArray[np.bool_]) -> tuple[BadElement, ...]:
    places = np.flatnonzero(outside)
    if not len(places):
        places = np.flatnonzero(excess > 0)
    values = excess.reshape(-1)[places]
    if len(places) > MOST_WORST:
        edge = np.partition(values, len(values) - MOST_WORST)[len(values) - MOST_WORST]
        above = np.flatnonzero(values > edge)
        level = np.flatnonzero(values == edge)[: MOST_WORST - len(above)]
        chosen = np.concatenate([above, level])
        places, values = places[chosen], values[chosen]
    # Ties in the order of the rows, as the report has them.
    order = np.lexsort((places, -values))
    columns = max(1, excess.shape[1])
    return tuple(
        BadElement(row=int(at // columns), column=int(at % columns), excess=float(value))
        for at, value in zip(places[order], values[order], strict=True)
    )
