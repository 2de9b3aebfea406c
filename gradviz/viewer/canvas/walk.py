"""Which boxes of a picture stand for a node of the trace."""

from __future__ import annotations

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
        if drawn.kind not in ("saved", "output") and not nodes.isdisjoint(drawn.nodes)
    )
