"""The drawing as DOT for layout: ids and sizes only, no text from the trace."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from gradviz.drawing.content.drawn_graph import DrawingDetail, DrawnEdge, DrawnGraph
from gradviz.drawing.geometry.box_geometry import MARGIN, FrameGeometry, GraphGeometry
from gradviz.drawing.graphviz.graph_layout import TURNED

if TYPE_CHECKING:
    import graphviz


def outputs_abreast(graph: DrawnGraph) -> Iterator[tuple[str, ...]]:
    """Outputs whose graphs are equally high and can be placed from left to right, by their ids.

    Graphviz minimizes crossings, which may put a later iteration in front of an earlier one.
    """
    following: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        if edge.kind not in ("saved", "made"):
            following[edge.source].append(edge.target)
    heights: dict[str, int] = {}
    try:
        for box in TopologicalSorter(following).static_order():
            heights[box] = max((heights[each] + 1 for each in following[box]), default=0)
    except CycleError:
        # Two closed groups can each need the other.
        return
    found: defaultdict[int, list[str]] = defaultdict(list)
    for node in graph.nodes:
        # Graphviz would take a box out of its frame.
        if node.kind == "output" and not node.frame:
            found[heights[node.id]].append(node.id)
    yield from (tuple(boxes) for boxes in found.values() if len(boxes) > 1)


_LEAST_HEIGHT = {False: 4, True: 3}
"""Minimum height of a column in edges; lower columns would be harder to follow than a chain.

In an overview, whose boxes have the names of modules, they may be lower.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappedColumns:
    """What makes Graphviz wrap a drawing.

    Attributes:
        downward: Ids of the edges that lead downwards.
        abreast: Ids of one box for each column, at equal height, in the order of the columns.
    """

    downward: frozenset[str] = frozenset()
    abreast: tuple[str, ...] = ()


def wrapped_columns(graph: DrawnGraph, columns: int) -> WrappedColumns:
    """Wrap a drawing into columns; a short one, or one with cycles, stays as it is."""
    edges = [edge for edge in graph.edges if edge.kind not in ("saved", "made")]
    arriving: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in edges:
        arriving[edge.target].append(edge.source)
    try:
        # Two closed groups can each need the other.
        ranks = _ranks(arriving, edges) if columns > 1 else {}
    except CycleError:
        return WrappedColumns()
    height = -(-max(ranks.values(), default=0) // columns)
    if height < _LEAST_HEIGHT[graph.detail.overview > 0]:
        return WrappedColumns()

    def level(box: str) -> tuple[int, int]:
        climbed = ranks[box] % (2 * height)
        # With the rank, so that boxes beside a turn have an order too, and no cycle appears.
        return min(climbed, 2 * height - climbed), ranks[box]

    chain = _longest_chain(arriving, ranks)
    middle = height // 2
    turns = (middle if column % 2 == 0 else height - middle for column in range(columns))
    places = (column * height + turn for column, turn in enumerate(turns))
    abreast = tuple(chain[place] for place in places if place < len(chain))
    framed = {node.id for node in graph.nodes if node.frame}
    return WrappedColumns(
        downward=frozenset(edge.id for edge in edges if level(edge.source) > level(edge.target)),
        # Graphviz would take the boxes out of their frames.
        abreast=() if framed.intersection(abreast) else abreast,
    )


def _ranks(arriving: dict[str, list[str]], edges: list[DrawnEdge]) -> dict[str, int]:
    """Length of the longest way to each box; what nothing leads to is just before its target."""
    ranks: dict[str, int] = {}
    for box in TopologicalSorter(arriving).static_order():
        ranks[box] = max((ranks[each] + 1 for each in arriving[box]), default=0)
    for edge in edges:
        if not arriving[edge.source]:
            ranks[edge.source] = max(ranks[edge.source], ranks[edge.target] - 1)
    return ranks


def _longest_chain(arriving: dict[str, list[str]], ranks: dict[str, int]) -> list[str]:
    chain = [max(ranks, key=ranks.__getitem__)]
    while arriving[chain[-1]]:
        chain.append(max(arriving[chain[-1]], key=ranks.__getitem__))
    return chain[::-1]


POINTS_PER_INCH = 72
# No nslimit or mclimit: measured on such graphs, they help little or look worse.
_GAPS = {False: {"nodesep": "0.4", "ranksep": "0.38"}, True: {"nodesep": "0.2", "ranksep": "0.31"}}
_BRIEF_GAPS = {"nodesep": "0.18", "ranksep": "0.08"}
_OVERVIEW = {
    False: {"nodesep": "0.16", "ranksep": "0.24"},
    True: {"nodesep": "0.14", "ranksep": "0.2"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutStyle:
    """How Graphviz arranges a drawing.

    Attributes:
        horizontal: Whether gradients flow to the left instead of upwards.
        tight: Whether boxes are close together.
        saved_below: Whether saved tensors are below their node instead of beside it.
        columns: Number of columns of a long chain, or rows if it is horizontal; gradients flow
            back in every second one.
    """

    horizontal: bool = False
    tight: bool = False
    saved_below: bool = False
    columns: int = 1


UPWARD = LayoutStyle()


def dot_source(graph: DrawnGraph, faces: GraphGeometry, style: LayoutStyle = UPWARD) -> str:
    """Write the DOT whose layout `read_layout` reads.

    Gradients flow upwards by default: outputs at the bottom, leaves at the top. Graphviz measures
    no text; every box and label has a given size. Their names only tell their positions, so the
    source is the same for all drawings of equal structure and sizes.
    """
    # Imported late: graphviz loads slowly, and the window should appear first.
    import graphviz

    dot = graphviz.Digraph(
        "picture",
        # Graphviz ignores ``lhead`` unless the graph is compound.
        graph_attr={"margin": "0", "rankdir": "RL" if style.horizontal else "BT"}
        | _gaps(graph.detail, style)
        | ({"compound": "true"} if any(e.head for e in graph.edges) else {}),
        node_attr={"shape": "box", "label": "", "fixedsize": "true"},
        edge_attr={"arrowhead": "none"},
    )
    names = {node.id: f"n{at}" for at, node in enumerate(graph.nodes)}
    parts = {"": dot}
    for at, (frame, bar) in enumerate(zip(graph.frames, faces.frames, strict=True)):
        parts[frame.id] = _cluster(f"cluster_f{at}", bar, style)
    frames = {node.id: node.frame for node in graph.nodes}
    for node, face in zip(graph.nodes, faces.boxes, strict=True):
        size = {"width": _inches(face.width), "height": _inches(face.height)}
        parts[node.frame].node(names[node.id], **size)
    for at, edge in enumerate(graph.edges):
        # Inside a cluster, the equal rank must be written there, before the cluster is added.
        if edge.kind == "saved" and frames[edge.source] and not style.saved_below:
            _add_same_rank(parts[frames[edge.source]], names, edge, at)
    # Inner frames first: adding a subgraph copies its text, so it must be complete by then.
    for frame in reversed(graph.frames):
        parts[frame.parent].subgraph(parts[frame.id])
    _add_edges(dot, graph, names, faces, style)
    return str(dot.source)


def _gaps(detail: DrawingDetail, style: LayoutStyle) -> dict[str, str]:
    if detail.overview:
        return _OVERVIEW[detail.brief]
    return _BRIEF_GAPS if detail.brief else _GAPS[style.tight]


def _add_edges(
    dot: graphviz.Digraph,
    graph: DrawnGraph,
    names: dict[str, str],
    faces: GraphGeometry,
    style: LayoutStyle,
) -> None:
    framed = {node.id for node in graph.nodes if node.frame}
    clusters = {frame.id: f"cluster_f{at}" for at, frame in enumerate(graph.frames)}
    wrapped = wrapped_columns(graph, style.columns)
    for abreast in [wrapped.abreast] if wrapped.abreast else outputs_abreast(graph):
        with dot.subgraph() as same:
            same.attr(rank="same")
            for left, right in itertools.pairwise(abreast):
                same.edge(names[left], names[right], style="invis")
    for at, edge in enumerate(graph.edges):
        source, target = names[edge.source], names[edge.target]
        attributes = {"id": f"e{at}", **_attributes(edge, clusters, faces.labels.get(at))}
        # Graphviz draws an edge upwards; `read_layout` turns the curves of the others around.
        if edge.id in wrapped.downward or (edge.kind == "saved" and style.saved_below):
            dot.edge(target, source, **attributes, **{TURNED: "true"})
        elif edge.kind != "saved":
            dot.edge(source, target, **attributes)
        elif edge.source not in framed:
            _add_same_rank(dot, names, edge, at)


def _cluster(name: str, face: FrameGeometry, style: LayoutStyle) -> graphviz.Digraph:
    import graphviz

    attributes = {
        "label": _spacer((face.width, face.height)),
        "labeljust": "l",
        # With rankdir BT, Graphviz swaps top and bottom.
        "labelloc": "t" if style.horizontal else "b",
        "margin": f"{MARGIN / 2 if style.tight else MARGIN:.0f}",
    }
    return graphviz.Digraph(name, graph_attr=attributes)


def _attributes(
    edge: DrawnEdge, clusters: dict[str, str], label_size: tuple[float, float] | None
) -> dict[str, str]:
    attributes = {}
    if edge.kind in ("leaf", "root"):
        # Keeps a leaf close to its AccumulateGrad and an output close to its node.
        attributes["weight"] = "8"
    if edge.kind == "made":
        # This edge only shows where a graph comes from; no gradient flows along it.
        attributes["constraint"] = "false"
    if edge.head:
        attributes["lhead"] = clusters[edge.head]
    if label_size is not None:
        attributes["label"] = _spacer(label_size)
    return attributes


def _spacer(size: tuple[float, float]) -> str:
    """Reserve fixed space for a label; labels have no ``fixedsize``, but tables do."""
    fixed = f'FIXEDSIZE="TRUE" WIDTH="{size[0]:.0f}" HEIGHT="{size[1]:.0f}"'
    return f'<<TABLE BORDER="0" {fixed}><TR><TD></TD></TR></TABLE>>'


def _add_same_rank(dot: graphviz.Digraph, names: dict[str, str], edge: DrawnEdge, at: int) -> None:
    with dot.subgraph() as same:
        same.attr(rank="same")
        same.edge(names[edge.source], names[edge.target], id=f"e{at}", minlen="1")


def _inches(points: float) -> str:
    return f"{points / POINTS_PER_INCH:.6f}"
