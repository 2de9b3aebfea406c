"""Finds what repeats itself in a sequence, like the layers of a model or the steps of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

LEAST_TIMES = 3
"""What comes only twice is no repetition."""

LEAST_SAVED = 6
"""A repetition is worth a box of its own if it saves at least so many."""

LONGEST = 512
"""So many items may be repeated as one."""

ROUNDS = 3

Tokens = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A part of a sequence that is the same items over and over.

    Attributes:
        start: Position of its first item.
        period: How many items are repeated.
        times: How often they are there.
        spare: So many items further it could as well begin.
    """

    start: int
    period: int
    times: int
    spare: int = 0

    @property
    def stop(self) -> int:
        """Position after its last item."""
        return self.start + self.period * self.times

    @property
    def saved(self) -> int:
        """How many boxes less it needs than its items."""
        return self.period * (self.times - 1)


def repetitions(tokens: Sequence[int], lines: Sequence[int] | None = None) -> list[Run]:
    """The repetitions in a sequence, from left to right; none overlaps another.

    The ones that save most are taken first; of equal ones that with the shortest period. Where it
    is open with which item one begins, it is the one that stands highest in the source, and the
    last of these, since the first turn of a loop is often not like the others.

    Args:
        tokens: Items that are alike have the same number, which is not negative.
        lines: Where each item stands in the source; 0 for unknown. Then the first item begins.
    """
    if len(tokens) <= LEAST_SAVED:
        return []
    left = np.array(tokens, dtype=np.int64)
    # What is taken never matches again, not even itself.
    taken = -1 - np.arange(len(left))
    found: list[Run] = []
    for _ in range(ROUNDS):
        more = _disjoint(_candidates(left), len(left))
        for run in more:
            end = run.stop + run.spare
            left[run.start : end] = taken[run.start : end]
        found += more
        if not more or np.count_nonzero(left >= 0) <= LEAST_SAVED:
            break
    if lines is not None:
        found = [_begun_highest(run, lines) for run in found]
    return sorted(found, key=lambda run: run.start)


def _begun_highest(run: Run, lines: Sequence[int]) -> Run:
    starts = range(run.start, run.start + run.spare + 1)
    start = min(starts, key=lambda at: (lines[at], -at if lines[at] else at))
    return replace(run, start=start, spare=0)


def _candidates(tokens: Tokens) -> list[Run]:
    found = []
    for period in range(1, min(LONGEST, len(tokens) // LEAST_TIMES) + 1):
        least = max(LEAST_SAVED, period * (LEAST_TIMES - 1))
        same = tokens[:-period] == tokens[period:]
        if np.count_nonzero(same) < least:
            continue
        for start, length in _stretches(same, least):
            times = length // period + 1
            spare = length % period
            found.append(Run(start=start, period=period, times=times, spare=spare))
    return [run for run in found if run.saved >= LEAST_SAVED]


def _stretches(same: npt.NDArray[np.bool_], least: int) -> list[tuple[int, int]]:
    """Start and length of each stretch of at least so many True."""
    ends = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8)))
    starts, stops = ends[::2], ends[1::2]
    long = stops - starts >= least
    pairs = zip(starts[long].tolist(), (stops - starts)[long].tolist(), strict=True)
    return list(pairs)


def _disjoint(candidates: list[Run], length: int) -> list[Run]:
    free = np.ones(length, dtype=np.bool_)
    found = []
    for run in sorted(candidates, key=lambda run: (-run.saved, run.period, run.start)):
        end = run.stop + run.spare
        if free[run.start : end].all():
            free[run.start : end] = False
            found.append(run)
    return found
