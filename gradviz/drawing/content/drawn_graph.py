"""Values that describe a drawn graph, how much it shows, and what each part represents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gradviz.drawing.content.element_grid import ElementGrid


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawingDetail:
    """What a drawing shows of each record.

    Attributes:
        elements: Whether small tensors are drawn with their elements.
        pairs: Whether an ``AccumulateGrad`` node of a small graph has a box beside its leaf.
        brief: Whether cards have few lines and titles as small as their lines.
        links: Whether a shared leaf of a small graph has a box for each use.
        notes: Whether saved tensors have a box.
        names: Whether a custom node's card says so, or names its saved tensors without a box.
        frames: Whether open groups of a small graph have a frame.
        title_width: Maximum width of a title in points; longer names are wrapped. None for any.
        overview: Maximum number of boxes for which groups are opened. Lines have no labels then,
            and the cards of groups no counts, nor, if brief, a class. 0 for no overview.
    """

    elements: bool = True
    pairs: bool = True
    brief: bool = False
    links: bool = True
    notes: bool = True
    names: bool = True
    frames: bool = True
    title_width: float | None = None
    overview: int = 0


FULL = DrawingDetail()
"""Everything: what exports show, and the window if there is space."""

_PLAIN = DrawingDetail(elements=False)
_BRIEF = replace(_PLAIN, brief=True)
_MERGED = replace(_BRIEF, pairs=False)
_UNFRAMED = replace(_MERGED, links=False, notes=False, frames=False)
_NARROW = 96.0

BRIEF_DETAILS = (
    _BRIEF,
    _MERGED,
    replace(_MERGED, links=False, title_width=_NARROW),
    replace(_UNFRAMED, title_width=_NARROW),
    replace(_UNFRAMED, title_width=0.88 * _NARROW),
    replace(_UNFRAMED, title_width=_NARROW, names=False),
    replace(_UNFRAMED, title_width=0.85 * _NARROW, names=False),
)
"""Details for an audience: the values are shown beside the graph, and the text is large."""

OVERVIEWS = (
    *(replace(_PLAIN, pairs=False, overview=boxes) for boxes in (40, 33, 27, 22, 18, 15, 12, 9, 6)),
    replace(_MERGED, overview=6),
)
"""Details for graphs that are too large to read, richest first; the last has small boxes."""

ADAPTED_DETAILS = (FULL, _PLAIN, replace(_PLAIN, pairs=False), *BRIEF_DETAILS)
"""Details for small graphs, richest first."""

ALL_DETAILS = (*ADAPTED_DETAILS, *OVERVIEWS)
"""Every detail, richest first."""


DrawnKind = Literal[
    "custom",
    "builtin",
    "accumulate",
    "error",
    "leaf",
    "link",
    "output",
    "saved",
    "folded",
    "cut",
    "dead_end",
]
EdgeKind = Literal["gradient", "root", "leaf", "saved", "made", "cut", "dead_end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnNode:
    """One box of the drawing.

    Attributes:
        id: Stable over all steps and for the same trace: ``n12`` node 12, ``n12u3`` its third
            use, ``l12`` the leaf of node 12, ``o12`` the output at node 12 (``o12p1`` its
            output 1), ``s12`` what node 12 saved, ``gm3`` the folded group with key ``m3``;
            ``gm3u2`` a link to that group; ``x2`` the second cut; ``w12p1`` output 1 of node 12
            if it has no gradient.
        kind: ``link`` is a further use of a node drawn elsewhere.
        nodes: Nodes of the trace that the box represents, from output to leaf. A leaf's card
            names its ``AccumulateGrad``, a saved card the node that saved, a cut the node whose
            gradient lost its history.
        tensors: Tensors of the trace that the box shows: leaf, output or saved tensors.
        title: First line.
        lines: Further lines.
        thumbnail: Tensor whose elements the box has room for; None if there is none.
        samples: For a saved card, the tensor whose elements are drawn behind each line.
        link: Mark of a node that is drawn in several places, the same at each; else None.
        order: Order of differentiation; 2 if a backward pass made the node (``create_graph``).
        output_nr: For an output card, which output of the node's forward it is; else 0.
        group: Key of a folded group; else empty.
        frame: Id of the innermost frame around the box; empty if there is none.
        group_progress: Number of nodes in a folded group, for its progress line; else 0.
        inside: Contents of a folded group, one line per kind.
        problem: Short word for what went wrong inside, such as ``NaN``; usually empty.
        problem_since: The first step that shows all of the problem; 0 if no step is needed.
    """

    id: str
    kind: DrawnKind
    nodes: tuple[int, ...]
    tensors: tuple[int, ...] = ()
    title: str
    lines: tuple[str, ...] = ()
    thumbnail: ElementGrid | None = None
    samples: tuple[ElementGrid | None, ...] = ()
    link: int | None = None
    order: int = 1
    output_nr: int = 0
    group: str = ""
    frame: str = ""
    group_progress: int = 0
    inside: tuple[str, ...] = ()
    problem: str = ""
    problem_since: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnFrame:
    """An open group: a frame around its boxes.

    Attributes:
        id: ``fm3`` for the group with the key ``m3``.
        group: Key of the group.
        parent: Id of the frame around it; empty if there is none.
        title: Same title as the folded group.
        line: Text beside the title, such as the class; may be empty.
    """

    id: str
    group: str
    parent: str
    title: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnEdge:
    """One line between two boxes of the drawing.

    Attributes:
        id: ``e5`` for edge 5 (the first one of a bundle); for the others a letter with the id of
            something: ``r`` the output's box, ``a`` the leaf's box, ``k`` the saved card's
            number, ``d`` the made group's key, ``w`` the dead end's box, ``c`` a counter.
        kind: ``root`` leads from an output to its node; ``leaf`` from ``AccumulateGrad`` to the
            leaf; ``saved`` from a node to what it saved. Gradients flow along ``gradient``,
            ``root`` and ``leaf``. ``made`` leads from a node to what its backward made; ``cut``
            is a path that a gradient would need but cannot take; ``dead_end`` leads from an
            output without gradient to the node that made it.
        source: Id of the box where the edge starts: gradients flow from source to target.
        target: Id of the box where the edge ends.
        edges: Edges of the trace it represents; empty for the other kinds.
        labels: Every label that it can have at some step, to reserve space; may be empty.
        gradients: Gradients whose elements can be drawn beside its label.
        head: Id of the frame around its target, at whose border it ends; empty if there is none.
    """

    id: str
    kind: EdgeKind
    source: str
    target: str
    edges: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    gradients: tuple[ElementGrid, ...] = ()
    head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnGraph:
    """A whole drawing before layout.

    Attributes:
        nodes: Boxes in drawing order.
        edges: Lines in drawing order.
        total: Number of `grad_fn` nodes in the trace.
        folded: Number of nodes inside folded groups.
        frames: The open groups, outer ones first.
        detail: How much the boxes show.
    """

    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    total: int
    folded: int
    frames: tuple[DrawnFrame, ...] = ()
    detail: DrawingDetail = FULL


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLarge:
    """A graph that is too large to draw even when folded.

    Attributes:
        count: Boxes that it would need.
        limit: Boxes that can be shown.
        sentence: Explanation for people.
    """

    count: int
    limit: int
    sentence: str


def group_graph(graph: DrawnGraph, key: str) -> DrawnGraph:
    """Cut an open group out of a drawing, with the boxes that its edges lead to.

    Args:
        graph: A drawing in which the group is open.
        key: Key of the group.

    Returns:
        The frame of the group with its contents, and the boxes around it without their frames.
        Those that are folded do not count their progress.
    """
    inside = {f"f{key}"}
    # Outer frames come first, so one pass finds all.
    inside.update(frame.id for frame in graph.frames if frame.parent in inside)
    contents = {node.id for node in graph.nodes if node.frame in inside}
    edges = [each for each in graph.edges if not contents.isdisjoint((each.source, each.target))]
    shown = contents.union(*((each.source, each.target) for each in edges))
    return replace(
        graph,
        nodes=tuple(
            node if node.id in contents else replace(node, frame="", group_progress=0)
            for node in graph.nodes
            if node.id in shown
        ),
        edges=tuple(edge if edge.head in inside else replace(edge, head="") for edge in edges),
        frames=tuple(
            frame if frame.parent in inside else replace(frame, parent="")
            for frame in graph.frames
            if frame.id in inside
        ),
    )
