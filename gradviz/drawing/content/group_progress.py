"""How many nodes of a group are done at a step."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gradviz.analysis.index.node_times import NEVER
from gradviz.analysis.index.step_queries import node_at_step, pass_at
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.model.columns import IntColumn


class GroupProgress:
    """Node counter for one group, fast at every step."""

    def __init__(self, index: TraceIndex, nodes: Iterable[int]) -> None:
        self._index = index
        self._nodes = np.fromiter(nodes, np.int64)
        # Sorted times of each pass (None: forward), so that a step costs one binary search.
        self._times: dict[int | None, IntColumn] = {}

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
        is_now = (
            number in times[done - 1 : done] and node_at_step(self._index, number) in self._nodes
        )
        return done - is_now, len(times)

    def text(self, number: int) -> str:
        """Text like ``5 of 72 done``; empty if a pass does not reach the group."""
        done, count = self.at(number)
        key = "drawing.tally.made" if pass_at(self._index, number) is None else "drawing.tally"
        return say(key, done=format_count(done), count=format_count(count)) if count else ""

    def _times_in(self, span: PassSpan | None) -> IntColumn:
        times = self._index.times
        if span is None:
            return np.sort(times.made(self._nodes))
        executed = times.executed(self._nodes, span.first, span.last)
        return np.sort(executed[executed != NEVER])
