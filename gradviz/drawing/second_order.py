"""Second-order parts of a graph: groups that a backward made, their makers, and cuts."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.drawing.cards import node_name
from gradviz.drawing.drawn import DrawnEdge, DrawnNode
from gradviz.drawing.text import shown
from gradviz.model.cuts import SecondOrderCut, cuts_of
from gradviz.model.graph import Node
from gradviz.model.index import Index
from gradviz.model.messages import say

MOST_CUTS = 24
"""Maximum number of cut cards; a loop that cuts at each turn adds no information."""


def made_title(index: Index, step: int) -> str:
    """Title of a group of nodes that one step made, like ``made by x``."""
    at = int(index.steps.nodes[step - 1])
    maker = index.node.get(at)
    return say("drawing.made_by", node="?" if maker is None else node_name(maker))


def drawn_cuts(index: Index) -> list[tuple[SecondOrderCut, DrawnNode]]:
    """Build the cuts' cards; an error node speaks for itself, so it gets none."""
    found = [each for each in cuts_of(index) if each.kind != "skipped"]
    cards = []
    for number, cut in enumerate(found[:MOST_CUTS], 1):
        lines = [say("drawing.cut.whole" if cut.whole else "drawing.cut.part")]
        if cut.value:
            lines.append(say("drawing.cut.value", value=shown(cut.value, 32)))
        title = say("drawing.cut", gradient=shown(cut.gradient, 24))
        card = DrawnNode(
            id=f"x{number}", kind="cut", nodes=(cut.node,), title=title, lines=tuple(lines)
        )
        cards.append((cut, card))
    return cards


def users_of(index: Index, cut: SecondOrderCut) -> Iterator[Node]:
    """Nodes made in a cut's step that save a value which forward saved without history."""
    kept = {
        slot.item.tensor
        for slot in index.saved.get(cut.node, ())
        if slot.role in ("intermediate", "view_of_input")
    }
    for node in index.trace.nodes if cut.kind == "saved" else ():
        if node.made_in == cut.step and node.kind == "builtin":
            saved = {slot.item.tensor for slot in index.saved.get(node.id, ())} - {None}
            if saved & kept:
                yield node


def cut_edge(number: int, source: str, target: str) -> DrawnEdge:
    """Build an edge of the path that a gradient cannot take."""
    return DrawnEdge(id=f"c{number}", kind="cut", source=source, target=target)
