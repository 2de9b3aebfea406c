"""Which boxes of a picture stand for a node of the trace, and which node for a box."""

from __future__ import annotations

from gradviz.drawing.drawn import DrawnNode
from gradviz.model.index import Index
from gradviz.model.query import node_now, pass_at
from gradviz.viewer.canvas.picture import Picture


def box_of(picture: Picture, node: int | None) -> int | None:
    """The box of a node of the trace: its own before a group's, a leaf's or a saved card's."""
    found = None
    for at, drawn in enumerate(picture.nodes):
        if drawn.id == f"n{node}":
            return at
        if found is None and node in drawn.nodes:
            found = at
    return found


def boxes_of(picture: Picture, nodes: frozenset[int]) -> frozenset[int]:
    """All boxes that stand for any of the nodes; not those of what they saved or made."""
    if not nodes:
        return frozenset()
    return frozenset(
        at
        for at, drawn in enumerate(picture.nodes)
        if drawn.kind not in ("saved", "output", "cut", "dead_end")
        and not nodes.isdisjoint(drawn.nodes)
    )


def node_to_select(index: Index, drawn: DrawnNode, number: int) -> int:
    """The node that stands for a card; for a folded group, one that depends on the step.

    It is what happens now in the group, else where this phase of the run comes into it.
    """
    if not drawn.group:
        return drawn.nodes[0]
    now = node_now(index, number)
    if now is not None and now in drawn.nodes:
        return now
    if pass_at(index, number) is not None:
        return drawn.nodes[0]
    return next((node for node in reversed(drawn.nodes) if node in index.made_at), drawn.nodes[0])
