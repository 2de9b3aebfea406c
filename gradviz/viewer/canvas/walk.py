"""Maps nodes of the trace to boxes of a picture, and boxes to nodes."""

from __future__ import annotations

from gradviz.drawing.drawn import DrawnNode
from gradviz.model.index import Index
from gradviz.model.query import node_now, pass_at
from gradviz.viewer.canvas.picture import Picture


def box_of(picture: Picture, node: int | None) -> int | None:
    """Box of a node: its own, else that of its group, leaf or saved tensors; or None."""
    found = None
    for at, drawn in enumerate(picture.nodes):
        if drawn.id == f"n{node}":
            return at
        if found is None and node in drawn.nodes:
            found = at
    return found


def boxes_of(picture: Picture, nodes: frozenset[int]) -> frozenset[int]:
    """Boxes of any of the nodes, excluding saved tensors, outputs, cuts and dead ends."""
    if not nodes:
        return frozenset()
    return frozenset(
        at
        for at, drawn in enumerate(picture.nodes)
        if drawn.kind not in ("saved", "output", "cut", "dead_end")
        and not nodes.isdisjoint(drawn.nodes)
    )


def node_to_select(index: Index, drawn: DrawnNode, number: int) -> int:
    """Node to select for a card; for a closed group, it depends on the step.

    It is the current node if the group contains it, else where the current phase (forward or
    backward) enters the group.
    """
    if not drawn.group:
        return drawn.nodes[0]
    now = node_now(index, number)
    if now is not None and now in drawn.nodes:
        return now
    if pass_at(index, number) is not None:
        return drawn.nodes[0]
    return next((node for node in reversed(drawn.nodes) if node in index.made_at), drawn.nodes[0])
