"""How far each box and each line of the graph has got at a step, all at once.

For nodes and edges the same answers as `gradviz.model.query.node_status` and `flow_at` give, from
arrays that are made once for each backward pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from gradviz.drawing.drawn import DrawnEdge
from gradviz.model.index import Index, PassSpan
from gradviz.model.query import node_now, pass_at, step_at
from gradviz.model.step import PassBeginStep
from gradviz.viewer.canvas.picture import Picture

Steps = npt.NDArray[np.int64]
States = npt.NDArray[np.int8]

UNTOUCHED: Final = 0
TO_COME: Final = 1
DONE: Final = 2
NOW: Final = 3

_NEVER: Final = np.iinfo(np.int64).max
_WITHOUT_STATE: Final = ("saved", "link")


class Progress:
    """Answers for one trace and one picture of it."""

    def __init__(self, index: Index, picture: Picture) -> None:
        self._index = index
        self._picture = picture
        self._boxes_of: dict[int, list[int]] = defaultdict(list)
        self._outputs_of: dict[int, list[int]] = defaultdict(list)
        self._stateless = np.zeros(len(picture.nodes), dtype=np.bool_)
        for at, drawn in enumerate(picture.nodes):
            group = self._outputs_of if drawn.kind == "output" else self._boxes_of
            self._stateless[at] = drawn.kind in _WITHOUT_STATE
            if not self._stateless[at]:
                for node in drawn.nodes:
                    group[node].append(at)
        self._made = self._when_made()
        self._passes: dict[int, tuple[Steps, Steps, Steps]] = {}

    def boxes(self, number: int) -> States:
        """The state of each box at a step; a box of several nodes is done when all are."""
        span = pass_at(self._index, number)
        if span is None:
            states = np.where(self._made <= number, DONE, TO_COME).astype(np.int8)
        else:
            first, last, _ = self._of_pass(span)
            states = np.where(last < number, DONE, TO_COME).astype(np.int8)
            states[first == _NEVER] = UNTOUCHED
        states[self._stateless] = DONE
        states[self.boxes_now(number)] = NOW
        return states

    def boxes_now(self, number: int) -> list[int]:
        """The boxes that a step is about; where a pass begins, the outputs that it begins with."""
        step = step_at(self._index, number)
        if isinstance(step, PassBeginStep):
            roots = [at for root in step.roots for at in self._outputs_of.get(root.node, ())]
            return list(dict.fromkeys(roots))
        node = node_now(self._index, number)
        return [] if node is None else self._boxes_of.get(node, [])

    def curves(self, number: int) -> States:
        """The state of each line: whether a gradient has flowed along it in the step's pass."""
        states = np.full(len(self._picture.curves), UNTOUCHED, dtype=np.int8)
        span = pass_at(self._index, number)
        if span is None:
            return states
        flowed = self._of_pass(span)[2]
        states[flowed != _NEVER] = TO_COME
        states[flowed <= number] = DONE
        states[flowed == number] = NOW
        return states

    def _when_made(self) -> Steps:
        made = np.zeros(len(self._picture.nodes), dtype=np.int64)
        for at, drawn in enumerate(self._picture.nodes):
            made[at] = max((self._node_made(node) for node in drawn.nodes), default=0)
        return made

    def _node_made(self, node: int) -> int:
        found = self._index.made_at.get(node)
        if found is not None:
            return found
        uses = (edge.source for edge in self._index.arriving.get(node, ()))
        return min((self._index.made_at.get(use, 0) for use in uses), default=0)

    def _of_pass(self, span: PassSpan) -> tuple[Steps, Steps, Steps]:
        """Within a pass: first and last visit of each box, first flow of each line."""
        if span.pass_id not in self._passes:
            nodes = self._picture.nodes
            first = np.full(len(nodes), _NEVER, dtype=np.int64)
            last = np.full(len(nodes), _NEVER, dtype=np.int64)
            for at, drawn in enumerate(nodes):
                visits = [self._first_visit(node, span) for node in drawn.nodes]
                reached = [visit for visit in visits if visit != _NEVER]
                if reached:
                    first[at], last[at] = min(reached), max(reached)
            for root in span.roots:
                first[self._outputs_of.get(root.node, [])] = span.first
                last[self._outputs_of.get(root.node, [])] = span.first
            flows = [self._first_flow(curve.edge, span) for curve in self._picture.curves]
            self._passes[span.pass_id] = (first, last, np.array(flows, np.int64))
        return self._passes[span.pass_id]

    def _first_visit(self, node: int, span: PassSpan) -> int:
        return _within(self._index.visits.get(node, ()), span)

    def _first_flow(self, edge: DrawnEdge, span: PassSpan) -> int:
        if edge.kind == "gradient":
            flows = (self._index.flows.get(each, ()) for each in edge.edges)
            return min(_within([flow.step for flow in each], span) for each in flows)
        node = int(edge.source.lstrip("no").partition("p")[0].partition("u")[0] or 0)
        if edge.kind == "leaf":
            return self._first_visit(node, span)
        if edge.kind == "root" and any(root.node == node for root in span.roots):
            return span.first
        return _NEVER


def _within(numbers: Sequence[int], span: PassSpan) -> int:
    at = bisect_left(numbers, span.first)
    return numbers[at] if at < len(numbers) and numbers[at] <= span.last else _NEVER
