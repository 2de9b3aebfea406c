"""The graph of a run at a moment, with no more than what exists then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from gradviz.analysis.index.step_queries import made_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.color_scales import color_scales
from gradviz.drawing.content.drawn_graph import DrawnGraph, DrawnNode, TooLarge
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import HiddenGraphParts, hidden_graph_parts
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.display.parts import Part, TensorCells
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_engine import LayoutError, lay_out
from gradviz.story.blocks import Block
from gradviz.story.frame import Drawn, FramePart, Plane, at

LARGEST = 2.6
"""Scale of a graph that has more room than it needs."""

_EDGE = 14.0
"""Around the boxes, for marks and halos."""


@dataclass(frozen=True, kw_only=True)
class StoryGraph:
    """The graph of a run, laid out once for all moments.

    Attributes:
        index: The run.
        graph: What is drawn.
        layout: Where the boxes are.
        display: Draws it.
    """

    index: TraceIndex
    graph: DrawnGraph
    layout: GraphLayout
    display: GraphDisplay

    @cached_property
    def made(self) -> dict[str, int]:
        """The step from which on each box exists, by id."""
        return {node.id: self._made(node) for node in self.graph.nodes}

    def _made(self, node: DrawnNode) -> int:
        return min((made_step(self.index, each) for each in node.nodes), default=0)


def story_graph(index: TraceIndex) -> StoryGraph | str:
    """Lay out the graph of a run, or say why there is none."""
    graph = drawn_graph(index)
    if isinstance(graph, TooLarge):
        return graph.sentence
    if not graph.nodes:
        return ""
    faces = graph_geometry(graph, font_measure())
    try:
        layout = lay_out(graph, faces)
    except LayoutError as error:
        return str(error)
    display = GraphDisplay(graph, faces, layout, font_measure())
    return StoryGraph(index=index, graph=graph, layout=layout, display=display)


def graph_block(drawing: StoryGraph, number: int, revealed: RevealedTrace) -> Block:
    """Draw the boxes that exist at a step, and the edges between them.

    Args:
        drawing: The graph.
        number: Number of the step.
        revealed: What may be shown.
    """
    hidden = hidden_graph_parts(revealed, drawing.graph.nodes)
    later = frozenset(
        place for place, node in enumerate(drawing.graph.nodes) if drawing.made[node.id] > number
    )
    hidden = replace(
        hidden,
        absent=hidden.absent | later,
        absent_ids=hidden.absent_ids | {drawing.graph.nodes[place].id for place in later},
        unmarked_ids=hidden.unmarked_ids | _unseen_problems(drawing, number),
    )
    state = next(
        graph_states(drawing.index, drawing.graph, (number,), answer_hidden=revealed.hides_answer)
    )
    drawn, bounds = [], _bounds(drawing, hidden)
    for place, group in enumerate(drawing.display.at(state, hidden)):
        parts = tuple(_parts(drawing, group.parts, hidden))
        if parts:
            drawn.append(Drawn(key=f"graph:{group.name or place}", parts=parts))
    return Block(
        width=bounds.width,
        height=bounds.height,
        drawn=at((-bounds.x, -bounds.y), drawn),
        middle=bounds.height / 2,
    )


def _unseen_problems(drawing: StoryGraph, number: int) -> frozenset[str]:
    """Boxes whose problem shows only at a later step."""
    return frozenset(
        node.id for node in drawing.graph.nodes if node.problem and node.problem_since > number
    )


def _bounds(drawing: StoryGraph, hidden: HiddenGraphParts) -> Rect:
    """What the boxes, the frames and the labels between them cover."""
    layout, nodes = drawing.layout, drawing.graph.nodes
    shown = [each.id for each in nodes if each.id not in hidden.absent_ids]
    rects = [layout.boxes[each] for each in shown]
    rects += [
        layout.labels[each.id]
        for each in drawing.graph.edges
        if each.id in layout.labels and not hidden.hides_edge(each)
    ]
    rects += [layout.frames[each.id] for each in drawing.graph.frames]
    if not rects:
        return Rect(x=0, y=0, width=1, height=1)
    x, y = min(each.x for each in rects), min(each.y for each in rects)
    right, bottom = max(each.right for each in rects), max(each.bottom for each in rects)
    return Rect(x=x, y=y, width=right - x, height=bottom - y).grown(_EDGE)


def _parts(
    drawing: StoryGraph, parts: tuple[Part, ...], hidden: HiddenGraphParts
) -> Iterator[FramePart]:
    """Parts with the elements of their tensors."""
    scales: dict[int, float] = {}
    if hidden.shares_scale:
        scales = color_scales(drawing.index, drawing.graph.nodes, drawing.graph.edges)
    for part in parts:
        if not isinstance(part, TensorCells):
            yield part
        elif part.tensor not in hidden.hidden_tensors:
            value = drawing.index.value(part.tensor)
            if value is not None:
                yield Plane(value, part.rect, scales.get(part.tensor))
