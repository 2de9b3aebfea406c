"""What quiz mode hides in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.content.cards import cuts_with_card
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode
from gradviz.drawing.content.element_grid import ElementGrid


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenGraphParts:
    """What may not be shown of a graph.

    Attributes:
        absent: Positions of the boxes that are left out.
        absent_ids: Their ids.
        hidden_ids: Ids of the boxes that show a question mark.
        unmarked_ids: Ids of the boxes whose problem is not shown.
        hidden_tensors: Tensors of the graph whose elements are not drawn.
        shares_scale: Whether tensors share a color scale, which would tell how large hidden ones
            are.
    """

    absent: frozenset[int]
    absent_ids: frozenset[str]
    hidden_ids: frozenset[str]
    unmarked_ids: frozenset[str]
    hidden_tensors: frozenset[int]
    shares_scale: bool

    def hides_edge(self, edge: DrawnEdge) -> bool:
        """Whether an edge leads to a box that is left out."""
        return not self.absent_ids.isdisjoint((edge.source, edge.target))

    def drawing_key(self, *grids: ElementGrid | None) -> tuple[str, ...]:
        """Key of a drawing of tensors that depends on what is hidden; empty without tensors."""
        tensors = [grid.tensor for grid in grids if grid is not None]
        hidden = (str(each) for each in tensors if each in self.hidden_tensors)
        return (str(self.shares_scale), *hidden) if tensors else ()


def drawn_tensors(graph: DrawnGraph) -> frozenset[int]:
    """Ids of the tensors whose elements a graph draws at some step."""
    boxes = (grid for node in graph.nodes for grid in (node.thumbnail, *node.samples))
    gradients = (grid for edge in graph.edges for grid in edge.gradients)
    return frozenset(grid.tensor for grid in (*boxes, *gradients) if grid is not None)


def hidden_graph_parts(
    revealed: RevealedTrace, nodes: Sequence[DrawnNode], drawn: frozenset[int] | None = None
) -> HiddenGraphParts:
    """Find what a graph may not show.

    Args:
        revealed: The trace with the results that may be shown.
        nodes: The boxes of the graph.
        drawn: Its tensors, from `drawn_tensors`; None for all tensors of the trace.
    """
    absent, hidden = absent_cards(revealed, nodes), revealed.hidden_tensors
    return HiddenGraphParts(
        absent=absent,
        absent_ids=frozenset(nodes[at].id for at in absent),
        hidden_ids=frozenset(nodes[at].id for at in hidden_cards(revealed, nodes)),
        # The text is about all nodes of the box, so it could give away hidden ones.
        unmarked_ids=frozenset(
            node.id
            for node in nodes
            if node.problem
            and (
                revealed.shown_nodes(node.nodes) != node.nodes
                or not revealed.shows(node.problem_since)
            )
        ),
        hidden_tensors=hidden if drawn is None else hidden & drawn,
        shares_scale=revealed.is_complete,
    )


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
    inside = [node for node in map(index.node.__getitem__, drawn.nodes) if node.made_by is not None]
    # The engine creates nodes, too, when it adds gradients: no step of their own says so.
    return max((index.made_at.get(each.id, each.made_in or 0) for each in inside), default=0)
