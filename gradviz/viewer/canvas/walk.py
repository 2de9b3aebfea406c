"""Questions that clicks and keys ask of a picture: which box is it, and which step is next."""

from __future__ import annotations

from gradviz.model.index import Index
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


def next_step_of(index: Index, node: int, number: int) -> int | None:
    """The next step that makes or executes a node; after the last one the first again."""
    made = {index.made_at[node]} if node in index.made_at else set()
    steps = sorted(made | set(index.visits.get(node, ())))
    later = (step for step in steps if step > number)
    return next(later, next(iter(steps), None))
