"""The progress of every box and edge of a drawing at a step, computed with arrays.

The arrays are built once per backward pass, so a step costs the same in a run of ten steps and of
a hundred thousand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.node_times import NEVER
from gradviz.analysis.index.step_queries import NodeStatus, flow_at, node_at_step, pass_at, step_at
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.analysis.memory.saved_memory import freed_at
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnNode
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.gradient_labels import gradient_label, hidden_label
from gradviz.drawing.content.outputs import arriving_gradient_text
from gradviz.drawing.content.plain_text import item_text
from gradviz.model.columns import OPTIMIZER, IntColumn
from gradviz.model.inside import StageKind
from gradviz.model.item import Item
from gradviz.model.step import ErrorStep, OptimizerStep, PassBeginStep, Root


class GroupProgress:
    """Node counter for one group, fast at every step."""

    def __init__(self, index: TraceIndex, nodes: Iterable[int]) -> None:
        self._index = index
        self._nodes = np.fromiter(nodes, np.int64)
        # Sorted times of each pass (None: forward), so that a step costs one binary search.
        self._times: dict[int | None, IntColumn] = {}

    def at(self, number: int) -> tuple[int, int]:
        """Number of nodes done at a step, and total number of nodes to do.

        In a forward phase it counts nodes made, with the one that the step makes; in a backward
        pass, nodes executed before the step out of those that the pass executes.
        """
        span = pass_at(self._index, number)
        key = None if span is None else span.pass_id
        if key not in self._times:
            self._times[key] = self._times_in(span)
        times = self._times[key]
        done = np.searchsorted(times, number, side="right" if span is None else "left")
        return int(done), len(times)

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


ProgressStates = npt.NDArray[np.int8]

UNTOUCHED: Final = 0
TO_COME: Final = 1
DONE: Final = 2
NOW: Final = 3
MADE: Final = 4
"""In a forward phase, a box that exists; only a backward pass executes nodes."""
FREED: Final = 5
"""Saved tensors that exist no more, because a pass has executed their node without retaining the
graph."""

# Edges of all other kinds never carry a gradient, so their state does not change in a pass.
_FLOWING = ("gradient", "root", "leaf")

_KEPT = ("saved", "cut", "dead_end")
"""Boxes that no pass executes."""

HIDDEN: Final = "?"
"""Label of a gradient that quiz mode hides."""

STATUSES: dict[int, NodeStatus | Literal["freed"]] = {
    **{UNTOUCHED: "untouched", TO_COME: "to come", DONE: "done", NOW: "now", MADE: "made"},
    FREED: "freed",
}
"""Names of the states of boxes and edges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphState:
    """A drawing at one step, whose boxes and edges are named by their positions.

    Attributes:
        boxes: State of each box.
        edges: State of each edge; `NOW` if a gradient flows in exactly this step.
        failing: Whether the step raises an error.
        labels: Label by edge, for edges along which a gradient has flowed.
        gradients: Small gradients among these, whose elements are drawn, by edge.
        group_progresses: Progress text of each folded group by box.
    """

    boxes: list[int]
    edges: list[int]
    failing: bool
    labels: dict[int, str]
    gradients: dict[int, ElementGrid]
    group_progresses: dict[int, str]


class GraphProgress:
    """Computes progress for one trace and one drawing of it.

    Boxes and edges are named by their position in the sequences.
    """

    def __init__(
        self, index: TraceIndex, nodes: Sequence[DrawnNode], edges: Sequence[DrawnEdge]
    ) -> None:
        self._index, self._drawn, self._edges = index, nodes, edges
        positions = {drawn.id: at for at, drawn in enumerate(nodes)}
        self._sources = [nodes[positions[edge.source]] for edge in edges]
        # Flat arrays instead of lists per box, since one box may hold thousands of nodes.
        held = np.fromiter(chain.from_iterable(drawn.nodes for drawn in nodes), np.int64)
        boxes = np.repeat(np.arange(len(nodes)), [len(drawn.nodes) for drawn in nodes])
        self._made = np.zeros(len(nodes), np.int64)
        np.maximum.at(self._made, boxes, index.times.made(held))
        self._is_kept = np.array([drawn.kind in _KEPT for drawn in nodes], np.bool_)
        self._freed = np.array([_freed_at(index, drawn) for drawn in nodes], np.int64)
        changing = np.array([_depends_on_nodes(drawn) for drawn in nodes], np.bool_)[boxes]
        self._nodes, self._boxes = held[changing], boxes[changing]
        ends = [(at, self._receivers(at)) for at in range(len(edges))]
        self._receiving = np.array([node for _, nodes in ends for node in nodes], np.int64)
        self._lines = np.repeat([at for at, _ in ends], [len(nodes) for _, nodes in ends])
        self._ends = [
            at for at, edge in enumerate(edges) if edge.kind == "dead_end" and edge.labels
        ]
        self._still = [at for at, edge in enumerate(edges) if edge.kind not in _FLOWING]
        self._links: list[tuple[int, int]] = []
        for at, edge in enumerate(edges):
            target = positions[edge.target]
            if nodes[target].kind == "link":
                self._links.append((target, at))
        # Filled on demand: a training run can have many passes, and users visit few of them.
        self._passes: dict[int, _Pass] = {}
        self._lasts: npt.NDArray[np.int64] | None = None
        self._groups = {
            at: GroupProgress(index, box.nodes)
            for at, box in enumerate(nodes)
            if box.group_progress
        }

    def at(
        self, number: int, stage: StageKind | None = None, *, answer_hidden: bool = False
    ) -> GraphState:
        """The drawing at a step, in time linear in what is drawn.

        Args:
            number: Number of the step.
            stage: Part of the step that is inspected; None for the whole step.
            answer_hidden: Whether quiz mode hides the gradients of the step.
        """
        curves = self.curves(number, stage)
        used = self._used_passes(number)
        # An update uses the gradients that the passes before it have left.
        at = used[-1].last if used else number
        return GraphState(
            boxes=self.boxes(number, stage).tolist(),
            edges=curves.tolist(),
            failing=isinstance(step_at(self._index, number), ErrorStep),
            labels=self.labels(at, curves, answer_hidden=answer_hidden),
            gradients=self.gradients(at, curves, answer_hidden=answer_hidden),
            group_progresses={at: group.text(number) for at, group in self._groups.items()},
        )

    def boxes(self, number: int, stage: StageKind | None = None) -> ProgressStates:
        """State of each box at a step; a box of several nodes is done when all of them are.

        Args:
            number: Number of the step.
            stage: Part of the step that is inspected; None for the whole step.
        """
        span = pass_at(self._index, number)
        if span is None:
            states = np.where(self._made <= number, MADE, TO_COME).astype(np.int8)
            for used in self._used_passes(number):
                executed = self._of_pass(used).last != NEVER
                states[executed & (self._made <= number)] = DONE
        else:
            times = self._of_pass(span)
            states = np.where(times.last < number, DONE, TO_COME).astype(np.int8)
            states[times.last == NEVER] = UNTOUCHED
            # What a node saves exists with its node, which may be made in this pass or after it.
            absent = self._is_kept & (self._made > number)
            states[absent] = np.where(self._made[absent] <= span.last, TO_COME, UNTOUCHED)
        states[self._freed < number] = FREED
        # After the other states, since the current box can be done or untouched by its times.
        states[self.boxes_now(number)] = NOW
        if stage == "save":
            states[self._saved_now(number)] = NOW
        if self._links:
            curves = self.curves(number)
            for box, curve in self._links:
                states[box] = curves[curve]
        return states

    def boxes_now(self, number: int) -> list[int]:
        """Boxes of the current step; at the start of a pass, the outputs it starts from."""
        span = pass_at(self._index, number)
        if span is not None and isinstance(step_at(self._index, number), PassBeginStep):
            return [at for at, drawn in enumerate(self._drawn) if _root_of(span, drawn) is not None]
        node = node_at_step(self._index, number)
        return [] if node is None else self._boxes[self._nodes == node].tolist()

    def _saved_now(self, number: int) -> list[int]:
        node = node_at_step(self._index, number)
        cards = enumerate(self._drawn)
        return [at for at, drawn in cards if drawn.kind == "saved" and node in drawn.nodes]

    def curves(self, number: int, stage: StageKind | None = None) -> ProgressStates:
        """State of each edge: whether a gradient has flowed along it in the step's pass.

        During a node's backward, its incoming gradients are current. The gradients it computes are
        pending until the engine has validated them.
        """
        span = pass_at(self._index, number)
        if span is None:
            # After the last pass that sends a gradient along an edge, none is to come.
            states = np.where(self._last_flows() > number, TO_COME, UNTOUCHED).astype(np.int8)
            states[self._still] = TO_COME
            for used in self._used_passes(number):
                states[self._of_pass(used).flowed != NEVER] = DONE
            return states
        times = self._of_pass(span)
        states = np.where(times.flowed <= number, DONE, TO_COME).astype(np.int8)
        states[times.flowed == NEVER] = UNTOUCHED
        states[self._still] = TO_COME
        states[times.flowing.get(number, [])] = NOW
        if stage == "backward":
            states[times.flowed == number] = TO_COME
            arriving = [at for at in self._arriving(number) if states[at] == DONE]
            states[arriving] = NOW
        return states

    def _used_passes(self, number: int) -> list[PassSpan]:
        """The passes whose gradients an optimizer step uses, as none came between; else empty."""
        if not isinstance(step_at(self._index, number), OptimizerStep):
            return []
        updates = np.flatnonzero(self._index.steps.kinds[: number - 1] == OPTIMIZER)
        since = int(updates[-1]) + 1 if len(updates) else 0
        return [span for span in self._index.passes if since < span.first < number]

    def _last_flows(self) -> npt.NDArray[np.int64]:
        """For each edge, the last step in which a gradient flows along it; 0 for none."""
        if self._lasts is None:
            begun: dict[tuple[int, int | None], int] = {
                (root.node, root.output_nr): span.first
                for span in self._index.passes
                for root in span.roots
            }
            lasts = [
                self._last_flow(edge, source, begun)
                for edge, source in zip(self._edges, self._sources, strict=True)
            ]
            self._lasts = np.array(lasts, np.int64)
        return self._lasts

    def _last_flow(
        self, edge: DrawnEdge, source: DrawnNode, begun: Mapping[tuple[int, int | None], int]
    ) -> int:
        """The same for one edge, without the steps between; see `_Pass`."""
        if edge.kind == "root":
            return begun.get((source.nodes[0], source.output_nr), 0)
        if edge.kind == "leaf":
            visits = [self._index.visits.get(node, (0,))[-1] for node in source.nodes]
            return max(visits, default=0)
        flows = [self._index.flows[each][-1] for each in edge.edges if self._index.flows.get(each)]
        return max((flow.step for flow in flows), default=0)

    def _arriving(self, number: int) -> list[int]:
        """Lines that lead to the node of a step."""
        node = node_at_step(self._index, number)
        return [] if node is None else self._lines[self._receiving == node].tolist()

    def _receivers(self, at: int) -> list[int]:
        """Receiving nodes of an edge; an edge into a group may have thousands."""
        if self._edges[at].kind == "root":
            return [self._sources[at].nodes[0]]
        return [self._index.edge[edge].target for edge in self._edges[at].edges]

    def labels(
        self, number: int, curves: ProgressStates, *, answer_hidden: bool = False
    ) -> dict[int, str]:
        """Label texts of the lines that have carried a gradient, by index of the line.

        Args:
            number: Number of the step.
            curves: State of each edge at that step.
            answer_hidden: Whether quiz mode hides the gradients of the current step.
        """
        if answer_hidden:
            found = self.labels(number, np.where(curves == NOW, TO_COME, curves))
            now = np.flatnonzero(curves == NOW).tolist()
            unanswered = [at for at in now if self._edges[at].labels]
            return found | {at: self._question(at, number) for at in unanswered}
        carried = np.flatnonzero(curves >= DONE).tolist()
        found = {at: self._label(at, number) for at in carried}
        for at in self._ends:
            found[at] = arriving_gradient_text(self._index, self._sources[at], number)
        return {at: text for at, text in found.items() if text}

    def gradients(
        self, number: int, curves: ProgressStates, *, answer_hidden: bool = False
    ) -> dict[int, ElementGrid]:
        """Tiny gradients that lines have carried and whose elements are drawn, by line.

        Args:
            number: Number of the step.
            curves: State of each edge at that step.
            answer_hidden: Whether to leave out the gradients of the current step.
        """
        carried = np.flatnonzero((curves == DONE) if answer_hidden else (curves >= DONE)).tolist()
        found = {at: self._elements(at, number) for at in carried}
        return {at: tiny for at, tiny in found.items() if tiny is not None}

    def _question(self, at: int, number: int) -> str:
        gradient = self._gradient(at, number)
        if gradient is None or not self._edges[at].edges:
            return HIDDEN
        return hidden_label(self._index, self._index.edge[self._edges[at].edges[0]], gradient)

    def _label(self, at: int, number: int) -> str:
        known = self._edges[at].labels
        # An edge with one possible label needs no look-up, and most edges are such.
        if len(known) < 2:
            return known[0] if known else ""
        gradient = self._gradient(at, number)
        if gradient is None:
            return ""
        if self._edges[at].kind == "root":
            return item_text(self._index, gradient)
        return gradient_label(self._index, self._index.edge[self._edges[at].edges[0]], gradient)

    def _elements(self, at: int, number: int) -> ElementGrid | None:
        gradient = self._gradient(at, number) if self._edges[at].gradients else None
        if gradient is None:
            return None
        fitting = (tiny for tiny in self._edges[at].gradients if tiny.tensor == gradient.tensor)
        return next(fitting, None)

    def _gradient(self, at: int, number: int) -> Item | None:
        if self._edges[at].kind == "root":
            root = _root_of(pass_at(self._index, number), self._sources[at])
            return None if root is None else root.gradient
        flow = flow_at(self._index, self._edges[at].edges[0], number)
        return None if flow is None else flow.item

    def _of_pass(self, span: PassSpan) -> _Pass:
        if span.pass_id not in self._passes:
            self._passes[span.pass_id] = _Pass(
                self._index, self._drawn, self._edges, self._sources, span
            )
        return self._passes[span.pass_id]


class _Pass:
    """Times of events within one backward pass.

    Attributes:
        last: For each box, the last step it waits for.
        flowed: For each edge, the first step in which a gradient flows along it.
        flowing: Lines along which a gradient flows, by step.
    """

    def __init__(
        self,
        index: TraceIndex,
        nodes: Sequence[DrawnNode],
        edges: Sequence[DrawnEdge],
        sources: Sequence[DrawnNode],
        span: PassSpan,
    ) -> None:
        self._index, self._span = index, span
        self.last = np.array([self._last_visit(drawn) for drawn in nodes], np.int64)
        self.flowing: dict[int, list[int]] = defaultdict(list)
        self.flowed = np.full(len(edges), NEVER, dtype=np.int64)
        for at, (edge, source) in enumerate(zip(edges, sources, strict=True)):
            steps = self._flows(edge, source)
            for step in steps:
                self.flowing[step].append(at)
            if steps:
                self.flowed[at] = min(steps)

    def _last_visit(self, drawn: DrawnNode) -> int:
        if drawn.kind == "output":
            return self._span.first if _root_of(self._span, drawn) else NEVER
        if drawn.kind in _KEPT:
            # Most of these exist before the pass begins.
            return self._span.first - 1
        visits = self._index.times.executed(drawn.nodes, self._span.first, self._span.last)
        # Steps count from 1, so 0 means that the pass executes no node of the box.
        return int(visits[visits != NEVER].max(initial=0)) or NEVER

    def _flows(self, edge: DrawnEdge, source: DrawnNode) -> list[int]:
        span = self._span
        if edge.kind == "root":
            return [span.first] if _root_of(span, source) else []
        if edge.kind == "leaf":
            visit = self._last_visit(source)
            return [] if visit == NEVER else [visit]
        flows = [flow for each in edge.edges for flow in self._index.flows.get(each, ())]
        return [flow.step for flow in flows if span.first <= flow.step <= span.last]


def _freed_at(index: TraceIndex, drawn: DrawnNode) -> int:
    """The step that frees what a saved card shows, or `NEVER`."""
    last = len(index.trace.steps) + 1
    freed = freed_at(index, drawn.nodes[0], last) if drawn.kind == "saved" else None
    return NEVER if freed is None else freed


def _depends_on_nodes(drawn: DrawnNode) -> bool:
    """Whether the state of a box follows from the state of its nodes."""
    return drawn.kind not in ("saved", "output", "link", "cut", "dead_end")


def _root_of(span: PassSpan | None, drawn: DrawnNode) -> Root | None:
    if span is None or drawn.kind != "output":
        return None
    for root in span.roots:
        if (root.node, root.output_nr) == (drawn.nodes[0], drawn.output_nr):
            return root
    return None
