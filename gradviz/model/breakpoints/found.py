"""The places at which a trace comes upon a breakpoint, and the ways from one to the next."""

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
"""Why a breakpoint is never come upon: there is no such node, another one has its number ... or
the file with the trace is damaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """What could not be looked at, and may hide places.

    Attributes:
        tensors: How many tensors were asked whose elements were not kept, nor enough told of them.
        lines: Whether lines would have been asked that were not recorded.
    """

    tensors: int = 0
    lines: bool = False


ALL_SEEN = Unseen()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What became of looking for a breakpoint in a trace.

    Attributes:
        places: In order.
        why: Why there is none; None where there are some.
        unseen: What could not be looked at.
    """

    places: tuple[Place, ...] = ()
    why: Why | None = None
    unseen: Unseen = ALL_SEEN


def key_of(place: Place) -> Key:
    """Orders places."""
    return place.key


def in_order(places: Iterable[Place]) -> tuple[Place, ...]:
    """Places in order, each once."""
    return tuple(sorted(set(places), key=key_of))


def finest(places: Iterable[Place]) -> tuple[Place, ...]:
    """Places in order, without the steps and stages in which there is a finer one of them."""
    ordered = in_order(places)
    coarse = {Place(step=each.step) for each in ordered if each.stage is not None}
    coarse |= {
        Place(step=each.step, stage=each.stage)
        for each in ordered
        if each.line is not None or each.op is not None
    }
    return tuple([each for each in ordered if each not in coarse])


def next_hit(places: tuple[Place, ...], place: Place) -> Place | None:
    """The first of some places, in order, that comes after a place."""
    at = bisect_right(places, place.key, key=key_of)
    return places[at] if at < len(places) else None


def previous_hit(places: tuple[Place, ...], place: Place) -> Place | None:
    """The last of some places, in order, that comes before a place."""
    at = bisect_left(places, place.key, key=key_of)
    return places[at - 1] if at else None


def hits_until(places: tuple[Place, ...], place: Place) -> int:
    """How many of some places, in order, have been come upon when one is at a place."""
    return bisect_right(places, place.key, key=key_of)
