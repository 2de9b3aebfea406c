"""The cards of a graph that would give away results which must not be shown yet."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.drawing.content.second_order import cuts_with_card


def hidden_cards(revealed: RevealedTrace, cards: Sequence[DrawnNode]) -> frozenset[int]:
    """Positions of the cards whose contents must not be shown now.

    The second-order graph is drawn from the start and contains the gradients of the first pass as
    tensors.
    """
    index = revealed.index
    if index is None or revealed.is_complete:
        return frozenset()
    hidden = revealed.hidden_tensors
    return frozenset(
        at
        for at, drawn in enumerate(cards)
        if drawn.tensors
        and not (hidden.isdisjoint(drawn.tensors) and revealed.shows(_last_creation(index, drawn)))
    )


def absent_cards(revealed: RevealedTrace, cards: Sequence[DrawnNode]) -> frozenset[int]:
    """Positions of the cards that must not be seen now: cuts in steps that are not revealed."""
    if revealed.index is None or revealed.is_complete:
        return frozenset()
    steps = {card.id: cut.step for cut, card in cuts_with_card(revealed.index)}
    return frozenset(
        at
        for at, drawn in enumerate(cards)
        if drawn.kind == "cut" and not revealed.shows(steps[drawn.id])
    )


def _last_creation(index: TraceIndex, drawn: DrawnNode) -> int:
    """The step in which a backward pass created the last of a card's tensors; 0 for none."""
    made = (index.made_at.get(n, 0) for n in drawn.nodes if index.node[n].made_by is not None)
    return max(made, default=0)
