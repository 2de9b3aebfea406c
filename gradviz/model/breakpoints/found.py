"""The places where a breakpoint hits in a trace, and navigation between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gradviz.model.places import Key, Place

Why = Literal[
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
class Unseen:
    """Data that could not be searched and may hide places.

    Attributes:
        tensors: Number of tensors without enough stored elements or statistics.
        lines: Whether lines were needed but not recorded.
    """

    tensors: int = 0
    lines: bool = False


ALL_SEEN = Unseen()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Result of searching a trace for a breakpoint.

    Attributes:
        places: Places in order.
        why: Why there are no places; None if there are some.
        unseen: Data that could not be searched.
    """

    places: tuple[Place, ...] = ()
    why: Why | None = None
    unseen: Unseen = ALL_SEEN


def key_of(place: Place) -> Key:
    """Sort key of a place."""
    return place.key


def in_order(places: Iterable[Place]) -> tuple[Place, ...]:
    """Sort places and remove repeats."""
    return tuple(sorted(set(places), key=key_of))


def finest(places: Iterable[Place]) -> tuple[Place, ...]:
    """Sort places and remove steps and stages that contain a finer one of them."""
    ordered = in_order(places)
    coarse = {Place(step=each.step) for each in ordered if each.stage is not None}
    coarse |= {
        Place(step=each.step, stage=each.stage)
        for each in ordered
        if each.line is not None or each.op is not None
    }
    return tuple([each for each in ordered if each not in coarse])


def next_hit(places: tuple[Place, ...], place: Place) -> Place | None:
    """The first of some sorted places after a given place."""
    at = bisect_right(places, place.key, key=key_of)
    return places[at] if at < len(places) else None


def previous_hit(places: tuple[Place, ...], place: Place) -> Place | None:
    """The last of some sorted places before a given place."""
    at = bisect_left(places, place.key, key=key_of)
    return places[at - 1] if at else None


def hits_until(places: tuple[Place, ...], place: Place) -> int:
    """Number of sorted places up to and including a given place."""
    return bisect_right(places, place.key, key=key_of)
