"""How many nodes of a folded group are done at a step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from gradviz.model.index import Index, PassSpan
from gradviz.model.messages import say
from gradviz.model.query import node_now, pass_at


class Tally:
    """Counts the nodes of one group, quickly at every step."""

    def __init__(self, index: Index, nodes: Iterable[int]) -> None:
        self._index = index
        self._nodes = frozenset(nodes)
        self._times: dict[int | None, list[int]] = {}

    def at(self, number: int) -> tuple[int, int]:
        """How many nodes are done at a step, and how many there are to do.

        In a forward phase: how many were made. In a backward pass: how many it has executed, of
        those that it executes.
        """
        span = pass_at(self._index, number)
        key = None if span is None else span.pass_id
        if key not in self._times:
            self._times[key] = sorted(self._made() if span is None else self._executed(span))
        times = self._times[key]
        done = bisect_right(times, number)
        # What happens now is not done yet.
        is_now = node_now(self._index, number) in self._nodes and number in times[done - 1 : done]
        return done - is_now, len(times)

    def text(self, number: int) -> str:
        """Like ``5 of 72 done``; nothing where a pass does not get there."""
        done, count = self.at(number)
        return say("drawing.tally", done=f"{done:,}", count=f"{count:,}") if count else ""

    def _made(self) -> list[int]:
        return [self._when_made(node) for node in self._nodes]

    def _when_made(self, node: int) -> int:
        made = self._index.made_at.get(node)
        if made is not None:
            return made
        uses = (edge.source for edge in self._index.arriving.get(node, ()))
        return min((self._index.made_at.get(use, 0) for use in uses), default=0)

    def _executed(self, span: PassSpan) -> list[int]:
        found = []
        for node in self._nodes:
            visits = self._index.visits.get(node, ())
            found += [each for each in visits if span.first <= each <= span.last][:1]
        return found
