"""The states of a drawing at one step after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gradviz.analysis.index.step_queries import pass_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_progress import GraphProgress, GraphState
from gradviz.model.columns import OPTIMIZER, IntColumn


def graph_state(index: TraceIndex, graph: DrawnGraph, number: int) -> GraphState:
    """Compute a drawing's state at a step, in time linear in the records drawn."""
    return next(graph_states(index, graph, (number,)))


def graph_states(
    index: TraceIndex, graph: DrawnGraph, numbers: Iterable[int], *, answer_hidden: bool = False
) -> Iterator[GraphState]:
    """Compute a drawing's state at each of some steps; see `graph_state`.

    Args:
        index: The trace.
        graph: What is drawn.
        numbers: Numbers of the steps.
        answer_hidden: Whether quiz mode hides the gradients of each step.
    """
    progress, events = GraphProgress(index, graph.nodes, graph.edges), _DrawingEvents(index, graph)
    before: tuple[int, GraphState] | None = None
    for number in numbers:
        if before is None or events.is_any_from(before[0], number):
            before = number, progress.at(number, answer_hidden=answer_hidden)
        yield before[1]


class _DrawingEvents:
    """The steps that involve a node or an edge of a drawing.

    In a large run most steps involve none of a small drawing, which looks as it did before.
    """

    def __init__(self, index: TraceIndex, graph: DrawnGraph) -> None:
        self._index, self._graph = index, graph
        self._steps: IntColumn | None = None

    def is_any_from(self, first: int, last: int) -> bool:
        """Whether anything in the drawing can change after the first of two steps."""
        if first > last or pass_at(self._index, first) is not pass_at(self._index, last):
            return True
        if self._steps is None:
            self._steps = self._sorted()
        ends = np.searchsorted(self._steps, (first, last + 1))
        return bool(ends[0] < ends[1])

    def _sorted(self) -> IntColumn:
        index = self._index
        nodes = list({node for box in self._graph.nodes for node in box.nodes})
        edges = [each for edge in self._graph.edges for each in edge.edges]
        found = (
            index.times.made(nodes),
            np.flatnonzero(np.isin(index.steps.nodes, nodes)) + 1,
            [flow.step for edge in edges for flow in index.flows.get(edge, ())],
            # At its first step, a pass marks its roots.
            [span.first for span in index.passes],
            # An update shows the gradients of the passes before it.
            np.flatnonzero(index.steps.kinds == OPTIMIZER) + 1,
        )
        return np.unique(np.concatenate([np.asarray(steps, np.int64) for steps in found]))
