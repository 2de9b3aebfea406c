"""The places where a breakpoint hits in a trace, and navigation between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.position.trace_position import PositionKey, TracePosition

NoHitReason = Literal[
    "no node",
    "other node",
    "node not run",
    "no function",
    "function not run",
    "no file",
    "line not run",
    "no lines",
    "no name",
    "no element",
    "never",
    "unreadable",
]
"""Why a breakpoint never hits: there is no such node, its number belongs to another node ... or the
trace file is damaged.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnexaminedData:
    """Data that could not be searched and may hide places.

    Attributes:
        tensors: Number of tensors without enough stored elements or statistics.
        lines: Whether lines were needed but not recorded.
    """

    tensors: int = 0
    lines: bool = False


ALL_EXAMINED = UnexaminedData()


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakpointHits:
    """Result of searching a trace for a breakpoint.

    Attributes:
        places: Places in order.
        why: Why there are no places; None if there are some.
        unexamined: Data that could not be searched.
    """

    places: tuple[TracePosition, ...] = ()
    why: NoHitReason | None = None
    unexamined: UnexaminedData = ALL_EXAMINED


def position_sort_key(place: TracePosition) -> PositionKey:
    """Sort key of a place."""
    return place.key


def sorted_positions(places: Iterable[TracePosition]) -> tuple[TracePosition, ...]:
    """Sort places and remove repeats."""
    return tuple(sorted(set(places), key=position_sort_key))


def finest_positions(places: Iterable[TracePosition]) -> tuple[TracePosition, ...]:
    """Sort places and remove steps and stages that contain a finer one of them."""
    ordered = sorted_positions(places)
    coarse = {TracePosition(step=each.step) for each in ordered if each.stage is not None}
    coarse |= {
        TracePosition(step=each.step, stage=each.stage)
        for each in ordered
        if each.line is not None or each.op is not None
    }
    return tuple([each for each in ordered if each not in coarse])


def next_hit(places: tuple[TracePosition, ...], place: TracePosition) -> TracePosition | None:
    """The first of some sorted places after a given place."""
    at = bisect_right(places, place.key, key=position_sort_key)
    return places[at] if at < len(places) else None


def previous_hit(places: tuple[TracePosition, ...], place: TracePosition) -> TracePosition | None:
    """The last of some sorted places before a given place."""
    at = bisect_left(places, place.key, key=position_sort_key)
    return places[at - 1] if at else None


def count_hits_until(places: tuple[TracePosition, ...], place: TracePosition) -> int:
    """Number of sorted places up to and including a given place."""
    return bisect_right(places, place.key, key=position_sort_key)
