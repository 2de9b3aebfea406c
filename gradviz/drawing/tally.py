"""How many nodes of a folded group are done at a step."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gradviz.model.columns import Numbers
from gradviz.model.index import Index, PassSpan
from gradviz.model.messages import say
from gradviz.model.query import node_now, pass_at
from gradviz.model.times import NEVER


class Tally:
    """Counts the nodes of one group, quickly at every step."""

    def __init__(self, index: Index, nodes: Iterable[int]) -> None:
        self._index = index
        self._nodes = frozenset(nodes)
        self._times: dict[int | None, Numbers] = {}

    def at(self, number: int) -> tuple[int, int]:
        """How many nodes are done at a step, and how many there are to do.

        In a forward phase: how many were made. In a backward pass: how many it has executed, of
        those that it executes.
        """
        span = pass_at(self._index, number)
        key = None if span is None else span.pass_id
        if key not in self._times:
            self._times[key] = self._times_in(span)
        times = self._times[key]
        done = int(np.searchsorted(times, number, side="right"))
        # What happens now is not done yet.
        is_now = node_now(self._index, number) in self._nodes and number in times[done - 1 : done]
        return done - is_now, len(times)

    def text(self, number: int) -> str:
        """Like ``5 of 72 done``; nothing where a pass does not get there."""
        done, count = self.at(number)
        return say("drawing.tally", done=f"{done:,}", count=f"{count:,}") if count else ""

    def _times_in(self, span: PassSpan | None) -> Numbers:
        times, nodes = self._index.times, list(self._nodes)
        if span is None:
            return np.sort(times.made(nodes))
        executed = times.executed(nodes, span.first, span.last)
        return np.sort(executed[executed != NEVER])
