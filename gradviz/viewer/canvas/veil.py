"""Finds the cards that quiz mode must veil: gradients that are differentiated again."""

from __future__ import annotations

from gradviz.drawing.drawn import DrawnNode
from gradviz.model.conceal import hidden_tensors
from gradviz.model.index import Index
from gradviz.model.query import step_at
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.state import ViewerState


def veiled_cards(state: ViewerState, picture: Picture) -> frozenset[int]:
    """Cards of a picture whose contents must stay hidden now; empty outside quiz mode.

    The second-order graph is drawn from the start and contains the gradients of the first pass as
    tensors.
    """
    index = state.index
    if index is None or state.told >= state.count:
        return frozenset()
    asked = step_at(index, state.number) if state.concealed else None
    hidden = hidden_tensors(index, asked)
    return frozenset(
        at
        for at, drawn in enumerate(picture.nodes)
        if not hidden.isdisjoint(drawn.tensors) or _is_to_come(index, drawn, state.told)
    )


def _is_to_come(index: Index, drawn: DrawnNode, told: int) -> bool:
    """Whether a card shows tensors of a backward pass that has not created them yet."""
    if not drawn.tensors:
        return False
    made = (index.made_at.get(n, 0) for n in drawn.nodes if index.node[n].made_by is not None)
    return max(made, default=0) > told
