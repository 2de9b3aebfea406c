"""A trace's graph as a picture of bounded size: boxes and lines with what stands in them."""

from __future__ import annotations

from collections import deque

from gradviz.drawing.cards import (
    folded_card,
    leaf_card,
    link_card,
    node_card,
    output_card,
    saved_card,
)
from gradviz.drawing.drawn import DrawnEdge, DrawnGraph, DrawnNode, TooLarge
from gradviz.drawing.folding import fold
from gradviz.drawing.labels import edge_gradients, edge_labels
from gradviz.drawing.outputs import Output, outputs_of
from gradviz.drawing.places import Places, places_of
from gradviz.model.index import Index
from gradviz.model.messages import say

__all__ = ["LIMIT", "DrawnEdge", "DrawnGraph", "DrawnNode", "TooLarge", "drawn_graph"]

LIMIT = 1500
"""Graphviz lays out so many boxes in about a second; pictures of more are no use to anybody."""

DETAILED = 300
"""A graph of more places has no separate leaf cards and no room for labels on edges."""

AROUND = 40
"""So many places around a node in ``around`` stay unfolded."""


def drawn_graph(
    index: Index,
    *,
    limit: int = LIMIT,
    builtin_saved: bool = False,
    around: tuple[int, ...] = (),
) -> DrawnGraph | TooLarge:
    """Decides what is drawn of a trace's graph.

    Args:
        index: The trace.
        limit: Greatest number of boxes.
        builtin_saved: Whether built-in nodes show what they saved too.
        around: Nodes whose surroundings are not folded.
    """
    places = places_of(index)
    outputs = outputs_of(index)
    room = limit - len(outputs)
    detailed = len(places.places) <= min(DETAILED, limit // 3)
    groups = _groups(index, places, around, room)
    if len(groups) > room:
        return _too_large(index, len(groups) + len(outputs), limit)
    return _Drawing(index, places, groups, outputs, detailed).graph(builtin_saved, limit)


def _groups(index: Index, places: Places, around: tuple[int, ...], room: int) -> list[list[int]]:
    kept = _near(places, around)
    kinds = [index.node[place.node].kind for place in places.places]
    plain = [kind not in ("custom", "error") and n not in kept for n, kind in enumerate(kinds)]
    groups = fold(places, plain, room)
    if len(groups) <= room:
        return groups
    # A graph with very many custom Functions: those fold too, rather than not to be drawn at all.
    return fold(places, [n not in kept for n in range(len(kinds))], room)


def _near(places: Places, around: tuple[int, ...]) -> set[int]:
    wanted = set(around)
    starts = [n for n, place in enumerate(places.places) if place.node in wanted]
    if not starts:
        return set()
    neighbours: dict[int, list[int]] = {}
    for line in places.lines:
        neighbours.setdefault(line.source, []).append(line.target)
        neighbours.setdefault(line.target, []).append(line.source)
    near = set(starts)
    waiting = deque(starts)
    while waiting and len(near) < AROUND * len(starts):
        for other in neighbours.get(waiting.popleft(), ()):
            if other not in near:
                near.add(other)
                waiting.append(other)
    return near


def _too_large(index: Index, count: int, limit: int) -> TooLarge:
    nodes = f"{len(index.trace.nodes):,}"
    said = say("drawing.too_large", nodes=nodes, count=f"{count:,}", limit=f"{limit:,}")
    return TooLarge(count=count, limit=limit, sentence=said)


class _Drawing:
    """Turns groups of places into boxes and lines."""

    def __init__(
        self,
        index: Index,
        places: Places,
        groups: list[list[int]],
        outputs: list[Output],
        detailed: bool,
    ) -> None:
        self._index = index
        self._places = places
        self._groups = groups
        self._outputs = outputs
        self._detailed = detailed
        self._nodes: list[DrawnNode] = []
        self._edges: list[DrawnEdge] = []
        self._box: dict[int, str] = {}

    def graph(self, builtin_saved: bool, limit: int) -> DrawnGraph:
        folded: set[int] = set()
        for group in self._groups:
            self._draw_group(group, folded)
        self._draw_gradients()
        self._draw_outputs()
        if len(self._nodes) < limit:
            self._draw_saved(builtin_saved, limit)
        return DrawnGraph(
            nodes=tuple(self._nodes),
            edges=tuple(self._edges),
            total=len(self._index.trace.nodes),
            folded=len(folded),
        )

    def _draw_group(self, group: list[int], folded: set[int]) -> None:
        if len(group) > 1:
            places = [self._places.places[each] for each in group]
            nodes = [self._index.node[place.node] for place in places if place.use == 1]
            card = folded_card(nodes, links=len(places) - len(nodes))
            folded.update(card.nodes)
        else:
            card = self._draw_place(group[0])
        self._nodes.append(card)
        self._box.update(dict.fromkeys(group, card.id))

    def _draw_place(self, position: int) -> DrawnNode:
        place = self._places.places[position]
        node = self._index.node[place.node]
        link = self._places.links.get(place.node)
        if link is not None and place.use > 1:
            return link_card(node, place.use, link)
        if node.kind != "accumulate":
            return node_card(self._index, node)
        uses = self._places.uses.get(place.node, 1)
        leaf = leaf_card(self._index, node, link=link, uses=uses, alone=not self._detailed)
        if not self._detailed:
            return leaf
        self._nodes.append(leaf)
        self._edges.append(
            DrawnEdge(id=f"a{node.id}", kind="leaf", source=f"n{node.id}", target=leaf.id)
        )
        return node_card(self._index, node)

    def _draw_gradients(self) -> None:
        between: dict[tuple[str, str], list[int]] = {}
        for line in self._places.lines:
            ends = (self._box[line.source], self._box[line.target])
            if ends[0] == ends[1] and ends[0].startswith("g"):
                continue
            between.setdefault(ends, []).append(line.edge)
        for (source, target), edges in between.items():
            # Several edges between two nodes are several gradients; between groups, one bundle.
            bundle = source.startswith("g") or target.startswith("g")
            for each in [edges] if bundle else [[edge] for edge in edges]:
                labels = edge_labels(self._index, each[0]) if self._detailed else ()
                tiny = edge_gradients(self._index, each[0]) if self._detailed else ()
                self._edges.append(
                    DrawnEdge(
                        id=f"e{each[0]}",
                        kind="gradient",
                        source=source,
                        target=target,
                        edges=tuple(each),
                        labels=labels,
                        gradients=tiny,
                    )
                )

    def _draw_outputs(self) -> None:
        home = {place.node: at for at, place in enumerate(self._places.places) if place.use == 1}
        for output in self._outputs:
            card = output_card(self._index, output.node, output.output_nr, output.item)
            self._nodes.append(card)
            self._edges.append(
                DrawnEdge(
                    id=f"r{card.id[1:]}",
                    kind="root",
                    source=card.id,
                    target=self._box[home[output.node]],
                    labels=tuple(output.labels) if self._detailed else (),
                    gradients=tuple(output.gradients) if self._detailed else (),
                )
            )

    def _draw_saved(self, builtin_saved: bool, limit: int) -> None:
        shown = [node for node in self._nodes if node.id == f"n{node.nodes[0]}"]
        kinds = ("custom", "builtin") if builtin_saved else ("custom",)
        wanted = [n for n in shown if n.kind in kinds and self._index.saved.get(n.nodes[0])]
        if len(self._nodes) + len(wanted) > limit:
            return
        for node in wanted:
            card = saved_card(self._index, node.nodes[0])
            self._nodes.append(card)
            self._edges.append(
                DrawnEdge(id=f"k{card.id[1:]}", kind="saved", source=node.id, target=card.id)
            )
