"""Which step of one run corresponds to which of another, phase by phase."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from gradviz.analysis.compare.common_subsequence import match_sequences
from gradviz.analysis.index.phases import RunPhase


class PhaseAlignment:
    """Maps steps of a run to those of another one that executes the same phases.

    The ``n``-th steps of a pair of phases correspond; those beyond a phase's end, to its last one.

    Attributes:
        pairs: The phases that both runs have, in order.
    """

    def __init__(self, phases: Sequence[RunPhase], others: Sequence[RunPhase]) -> None:
        found = match_sequences([_key(each) for each in phases], [_key(each) for each in others])
        self.pairs = tuple((phases[one], others[other]) for one, other in found)
        self._firsts = [phase.first for phase, _ in self.pairs]

    def step_of(self, number: int) -> int | None:
        """The corresponding step of the other run; None in a phase that only one run has."""
        at = bisect_right(self._firsts, number) - 1
        if at < 0 or number > self.pairs[at][0].last:
            return None
        phase, other = self.pairs[at]
        return min(other.first + number - phase.first, other.last)

    def nearest(self, number: int) -> int:
        """The corresponding step of the other run, or the last one before."""
        step = self.step_of(number)
        if step is None:
            at = bisect_right(self._firsts, number) - 1
            step = self.pairs[at][1].last if at >= 0 else 1
        return step


def _key(phase: RunPhase) -> str:
    return f"{phase.kind} {phase.pass_id}"
