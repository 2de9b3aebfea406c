"""Look up when nodes were created and executed, for thousands of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np

from gradviz.model.columns import ACCUMULATE, FORWARD, NODE, IntColumn, StepColumns
from gradviz.model.graph import Edge, Node

NEVER: Final = int(np.iinfo(np.int64).max)
"""Step number for events that never happen."""


class Times:
    """Steps that created and executed nodes, computed on first use and cached."""

    def __init__(
        self,
        nodes: Sequence[Node],
        steps: StepColumns,
        arriving: Mapping[int, Sequence[Edge]],
    ) -> None:
        """Use these parts of an `TraceIndex`."""
        self._ids = np.array([node.id for node in nodes], np.int64)
        self._made_in = {
            at: node.made_in for at, node in enumerate(nodes) if node.made_in is not None
        }
        self._steps = steps
        self._arriving = arriving
        self._made: IntColumn | None = None
        self._executed: dict[tuple[int, int], IntColumn] = {}

    def made(self, nodes: Sequence[int] | IntColumn) -> IntColumn:
        """The step that created each node: a forward step, or one that ran with ``create_graph``.

        If that was not recorded, as for a leaf, this is the step of its first use; 0 if that is
        unknown too.
        """
        if self._made is None:
            self._made = self._all_made()
        return self._made[self._places(nodes)]

    def executed(self, nodes: Sequence[int] | IntColumn, first: int, last: int) -> IntColumn:
        """The step among ``first`` to ``last`` that executed each node, or `NEVER`."""
        found = self._executed.get((first, last))
        if found is None:
            found = self._executed[first, last] = self._within(first, last)
        return found[self._places(nodes)]

    def _places(self, nodes: Sequence[int] | IntColumn) -> IntColumn:
        return np.searchsorted(self._ids, np.asarray(nodes, np.int64))

    def _all_made(self) -> IntColumn:
        steps = self._steps
        at = np.flatnonzero((steps.kinds == FORWARD) & (steps.nodes != 0))[::-1]
        found = np.full(len(self._ids), NEVER, np.int64)
        # Backward, so that the first of several steps wins.
        found[self._places(steps.nodes[at])] = at + 1
        for number, nodes in steps.several.items():
            places = self._places(nodes)
            found[places] = np.minimum(found[places], number)
        for place, number in self._made_in.items():
            found[place] = min(found[place], number)
        unknown = np.flatnonzero(found == NEVER)
        found[unknown] = self._first_uses(self._ids[unknown].tolist(), found)
        return found

    def _first_uses(self, nodes: list[int], made: IntColumn) -> IntColumn:
        """The first step that made a user of each node; 0 if it is unknown."""
        users = [[edge.source for edge in self._arriving.get(node, ())] for node in nodes]
        counts = np.array([len(each) for each in users], np.int64)
        steps = made[self._places(list(chain.from_iterable(users)))]
        steps[steps == NEVER] = 0
        first = np.zeros(len(nodes), np.int64)
        used = np.flatnonzero(counts)
        if len(used):
            # Nodes without users have no elements in the flat array.
            starts = (np.cumsum(counts) - counts)[used]
            first[used] = np.minimum.reduceat(steps, starts)
        return first

    def _within(self, first: int, last: int) -> IntColumn:
        kinds = self._steps.kinds[first - 1 : last]
        at = np.flatnonzero((kinds == NODE) | (kinds == ACCUMULATE))[::-1]
        found = np.full(len(self._ids), NEVER, np.int64)
        # Backward, so that the first of several executions wins.
        found[self._places(self._steps.nodes[first - 1 : last][at])] = at + first
        return found
