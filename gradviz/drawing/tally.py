"""Progress of folded groups: how many of their nodes are done at a step."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gradviz.model.columns import Numbers
from gradviz.model.index import Index, PassSpan
from gradviz.model.messages import say
from gradviz.model.query import node_now, pass_at
from gradviz.model.times import NEVER


class Tally:
    """Node counter for one group, fast at every step."""

    def __init__(self, index: Index, nodes: Iterable[int]) -> None:
        self._index = index
        self._nodes = frozenset(nodes)
        self._times: dict[int | None, Numbers] = {}

    def at(self, number: int) -> tuple[int, int]:
        """Number of nodes done at a step, and total number of nodes to do.

        In a forward phase it counts nodes made; in a backward pass, nodes executed out of those
        that the pass executes.
        """
        span = pass_at(self._index, number)
        key = None if span is None else span.pass_id
        if key not in self._times:
            self._times[key] = self._times_in(span)
        times = self._times[key]
        done = int(np.searchsorted(times, number, side="right"))
        # The current node is not done yet.
        is_now = node_now(self._index, number) in self._nodes and number in times[done - 1 : done]
        return done - is_now, len(times)

    def text(self, number: int) -> str:
        """Text like ``5 of 72 done``; empty if a pass does not reach the group."""
        done, count = self.at(number)
        return say("drawing.tally", done=f"{done:,}", count=f"{count:,}") if count else ""

    def _times_in(self, span: PassSpan | None) -> Numbers:
        times, nodes = self._index.times, list(self._nodes)
        if span is None:
            return np.sort(times.made(nodes))
        executed = times.executed(nodes, span.first, span.last)
        return np.sort(executed[executed != NEVER])
