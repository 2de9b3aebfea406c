"""Second-order parts of a graph: groups that a backward made, their makers, and cuts."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.analysis.history_cuts import HistoryCut, history_cuts
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.drawing.content.cards import node_name
from gradviz.drawing.content.drawing_detail import FULL, DrawingDetail
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnNode
from gradviz.drawing.content.plain_text import label_text
from gradviz.model.graph import Node

MOST_CUTS = 24
"""Maximum number of cut cards; a loop that cuts at each turn adds no information."""


def made_title(index: TraceIndex, step: int) -> str:
    """Title of a group of nodes that one step made, like ``made by x``."""
    at = int(index.steps.nodes[step - 1])
    maker = index.node.get(at)
    return say("drawing.made_by", node="?" if maker is None else node_name(maker))


def cuts_with_card(
    index: TraceIndex, detail: DrawingDetail = FULL
) -> list[tuple[HistoryCut, DrawnNode]]:
    """Build the cuts' cards; an error node speaks for itself, so it gets none."""
    found = [each for each in history_cuts(index) if each.kind != "skipped"]
    cards = []
    for number, cut in enumerate(found[:MOST_CUTS], 1):
        lines = (
            []
            if detail.title_width
            else [say("drawing.cut.whole" if cut.whole else "drawing.cut.part")]
        )
        if cut.value and not detail.brief:
            lines.append(say("drawing.cut.value", value=label_text(cut.value, 32)))
        title = say("drawing.cut", gradient=label_text(cut.gradient, 24))
        card = DrawnNode(
            id=f"x{number}", kind="cut", nodes=(cut.node,), title=title, lines=tuple(lines)
        )
        cards.append((cut, card))
    return cards


def users_of(index: TraceIndex, cut: HistoryCut) -> Iterator[Node]:
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
