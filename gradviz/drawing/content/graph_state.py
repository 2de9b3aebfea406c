"""Progress of a drawing at one step: status of each box and edge, and current labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from gradviz.analysis.index.node_times import NEVER
from gradviz.analysis.index.step_queries import NodeStatus, node_at_step, pass_at, step_at
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.graph_progress import (
    DONE,
    MADE,
    NOW,
    TO_COME,
    UNTOUCHED,
    GraphProgress,
    ProgressStates,
)
from gradviz.model.columns import IntColumn
from gradviz.model.step import ErrorStep

_STATUSES: dict[int, NodeStatus] = {
    UNTOUCHED: "untouched",
    TO_COME: "to come",
    DONE: "done",
    NOW: "now",
    MADE: "made",
}

STATE_OF = {status: state for state, status in _STATUSES.items()}
"""The state of `graph_progress` for each status."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphState:
    """A drawing at one step.

    Attributes:
        nodes: Status by box id.
        edges: Status by edge id; ``now`` if a gradient flows in exactly this step.
        failing: Whether the step raises an error.
        labels: Label by edge id, for edges along which a gradient has flowed.
        gradients: Small gradients among these, whose elements are drawn, by edge id.
        group_progresses: Progress text of each folded group by box id.
    """

    nodes: dict[str, NodeStatus]
    edges: dict[str, NodeStatus]
    failing: bool
    labels: dict[str, str]
    gradients: dict[str, ElementGrid]
    group_progresses: dict[str, str]


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
    progress = GraphProgress(index, graph.nodes, graph.edges)
    groups = {box.id: GroupProgress(index, box.nodes) for box in graph.nodes if box.group_progress}
    names = [edge.id for edge in graph.edges]
    boxes = [node.id for node in graph.nodes]
    events = _DrawingEvents(index, graph)
    before: tuple[int, GraphState] | None = None
    for number in numbers:
        if before is None or events.is_any_from(before[0], number):
            edges = progress.curves(number)
            labels = progress.labels(number, edges, answer_hidden=answer_hidden)
            gradients = progress.gradients(number, edges, answer_hidden=answer_hidden)
            state = GraphState(
                nodes=_statuses(boxes, progress.boxes(number)),
                edges=_statuses(names, edges),
                failing=isinstance(step_at(index, number), ErrorStep),
                labels={names[at]: text for at, text in labels.items()},
                gradients={names[at]: each for at, each in gradients.items()},
                group_progresses={box: group.text(number) for box, group in groups.items()},
            )
            before = number, state
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
        )
        return np.unique(np.concatenate([np.asarray(steps, np.int64) for steps in found]))


def _statuses(names: Iterable[str], states: ProgressStates) -> dict[str, NodeStatus]:
    return {name: _STATUSES[state] for name, state in zip(names, states.tolist(), strict=True)}
