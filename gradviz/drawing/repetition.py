"""Detection of repetitions in a sequence, like a model's layers or a loop's steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

LEAST_TIMES = 3
"""Minimum number of times for a repetition."""

LEAST_SAVED = 6
"""Minimum number of boxes that a repetition must save to be folded."""

LONGEST = 512
"""Maximum number of items in one turn of a repetition."""

ROUNDS = 3

Tokens = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A part of a sequence that repeats the same items.

    Attributes:
        start: Position of its first item.
        period: Number of items per turn.
        times: Number of turns.
        spare: How many items later the repetition could equally well start.
    """

    start: int
    period: int
    times: int
    spare: int = 0

    @property
    def stop(self) -> int:
        """Position after the last item."""
        return self.start + self.period * self.times

    @property
    def saved(self) -> int:
        """Number of boxes saved by drawing one turn instead of all items."""
        return self.period * (self.times - 1)


def repetitions(tokens: Sequence[int], lines: Sequence[int] | None = None) -> list[Run]:
    """Find the repetitions in a sequence, from left to right and without overlap.

    Those that save most are taken first; among equals, the shortest period. If several items could
    start a turn, the one that is highest in the source starts it, and the latest of these, since
    the first turn of a loop is often different.

    Args:
        tokens: A number per item, equal for items that look alike; not negative.
        lines: Source line of each item; 0 if unknown, which lets the first item start.
    """
    if len(tokens) <= LEAST_SAVED:
        return []
    left = np.array(tokens, dtype=np.int64)
    # Items that are taken never match again, not even themselves.
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
    """Start and length of each run of True that is long enough."""
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
