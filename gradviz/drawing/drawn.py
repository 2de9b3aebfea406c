"""The values of a picture of a graph: what is drawn, and which records it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.drawing.tiny import Tiny

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
    """One box of the picture.

    Attributes:
        id: Stable over all steps and the same for the same trace: ``n12`` a node, ``n12u3`` its
            third use, ``l12`` the leaf of node 12, ``o12`` the output at node 12 (``o12p1`` its
            output 1), ``s12`` what node 12 saved, ``gm3`` the folded group with the key ``m3``;
            a link to that is ``gm3u2``; ``x2`` the second cut;
            ``w12p1`` output 1 of node 12, where it has no gradient.
        kind: ``link`` is a further use of a node that is drawn elsewhere.
        nodes: Nodes of the trace that the box stands for, in order from output to leaf. A leaf's
            card names its ``AccumulateGrad``; a saved card the node that saved; a cut the node
            whose gradient has lost its history.
        tensors: Tensors of the trace that the box shows: leaf, output or saved ones.
        title: First line.
        lines: Further lines.
        thumbnail: Tensor for whose elements the box has room; None for none.
        samples: Of a saved card, for each line the tensor whose elements are drawn behind it.
        link: Mark of a node that is drawn at several places, the same at each; else None.
        second_order: Whether a backward pass made the node (``create_graph``).
        output_nr: Which output of the node's forward an output card is; else 0.
        group: Key of a folded group; else empty.
        frame: Id of the innermost frame in which it stands; empty for none.
        tally: Nodes of a folded group, of which it is told how many are done; else 0.
        inside: What is in a folded group, one line for each kind of thing.
        problem: A word for what went wrong in what it stands for, like ``NaN``; mostly empty.
    """

    id: str
    kind: DrawnKind
    nodes: tuple[int, ...]
    tensors: tuple[int, ...] = ()
    title: str
    lines: tuple[str, ...] = ()
    thumbnail: Tiny | None = None
    samples: tuple[Tiny | None, ...] = ()
    link: int | None = None
    second_order: bool = False
    output_nr: int = 0
    group: str = ""
    frame: str = ""
    tally: int = 0
    inside: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnFrame:
    """A group that is open: a frame around the boxes in it.

    Attributes:
        id: ``fm3`` for the group with the key ``m3``.
        group: That key.
        parent: Id of the frame around it; empty for none.
        title: Like the folded group's.
        line: What else stands beside the title, like its class; may be empty.
    """

    id: str
    group: str
    parent: str
    title: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnEdge:
    """One line of the picture.

    Attributes:
        id: ``e5`` for edge 5 (the first of them, where it stands for several); ``r`` with the
            output's box, ``a`` with the leaf's, ``k`` with the saved card's number, ``d`` with the
            step, ``w`` with the dead end's box, ``c`` with a number for the others.
        kind: ``root`` leads from an output to its node; ``leaf`` from ``AccumulateGrad`` to the
            leaf; ``saved`` from a node to what it saved. Gradients flow along the first three.
            ``made`` leads from a node to what its backward made; ``cut`` is a way that a gradient
            would have to go, and cannot; ``dead_end`` leads from an output without gradient to the
            node that made it.
        source: Id of the box where the line begins: gradients flow from source to target.
        target: Id of the box where it ends.
        edges: Edges of the trace that it stands for; empty for the other kinds.
        labels: Every label that it may get at some step, for which room is kept; may be empty.
        gradients: Those of the gradients that it may carry whose elements are drawn by its label.
        head: Id of the frame at whose border it ends, around its target; empty for none.
    """

    id: str
    kind: EdgeKind
    source: str
    target: str
    edges: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    gradients: tuple[Tiny, ...] = ()
    head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnGraph:
    """A whole picture before it is laid out.

    Attributes:
        nodes: Boxes, in order of drawing.
        edges: Lines, in order of drawing.
        total: Number of grad_fn nodes in the trace.
        folded: How many of them are inside folded groups.
        frames: The open groups, each after the one around it.
    """

    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    total: int
    folded: int
    frames: tuple[DrawnFrame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLarge:
    """A graph that cannot be folded enough to be shown.

    Attributes:
        count: Boxes that it would need.
        limit: Boxes that can be shown.
        sentence: Says so, for people.
    """

    count: int
    limit: int
    sentence: str
