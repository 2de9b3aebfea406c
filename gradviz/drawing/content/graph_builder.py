"""Drawing of a trace's graph, limited in size by folding."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.content.box_placements import BoxPlacement, BoxPlacements, place_boxes
from gradviz.drawing.content.cards import (
    cuts_with_card,
    leaf_card,
    leaf_name,
    link_card,
    node_card,
    output_card,
    saved_card,
    users_of,
)
from gradviz.drawing.content.drawn_graph import (
    FULL,
    OVERVIEWS,
    DrawingDetail,
    DrawnEdge,
    DrawnFrame,
    DrawnGraph,
    DrawnNode,
    TooLarge,
)
from gradviz.drawing.content.gradient_labels import bundle_labels, edge_gradients
from gradviz.drawing.content.group_cards import GroupNames, folded_card, frame_of
from gradviz.drawing.content.node_problems import (
    NodeProblems,
    find_node_problems,
    node_problem_text,
    problem_known_since,
)
from gradviz.drawing.content.outputs import (
    GraphOutput,
    dead_end_line,
    dead_ends,
    graph_outputs,
    unused_outputs,
)
from gradviz.drawing.grouping.groups import FoldState, Hierarchy
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.drawing.grouping.open_groups import BoxCounts, OpenGroups, choose_open_groups
from gradviz.model.graph import Node

MOST_DETAILED_BOXES = 300
"""Drawings with more places than this have no edge labels."""

MOST_OUTPUTS = 4
"""Maximum number of output cards per folded group; its card counts the others."""


class GraphBuilder:
    """Builder of one drawing: boxes first, then the edges between them."""

    def __init__(
        self,
        index: TraceIndex,
        hierarchy: Hierarchy,
        cut: OpenGroups,
        places: BoxPlacements,
        node_problems: NodeProblems,
        detail: DrawingDetail = FULL,
    ) -> None:
        self._detail = detail
        self._index = index
        self._places = places
        self._node_problems = node_problems
        self._hierarchy = hierarchy
        self._names = GroupNames(index, hierarchy)
        # dot lays labels out like nodes, which makes large graphs slow and sparse.
        self._labelled = len(places.places) <= MOST_DETAILED_BOXES and not detail.overview
        self._elements = self._labelled and detail.elements
        # Small graphs have room for AccumulateGrad nodes beside their leaves.
        self._pairs = cut.small and detail.pairs
        self._frames: dict[str, DrawnFrame] = {}
        self._frame_of = {0: ""}
        self._make_frames(hierarchy, cut)
        self._nodes: list[DrawnNode] = []
        self._edges: list[DrawnEdge] = []
        self._cards: list[DrawnNode] = []

    def graph(self, outputs: list[GraphOutput], limit: int) -> DrawnGraph:
        """Build the whole drawing.

        Args:
            outputs: Outputs of the run.
            limit: Maximum number of boxes; beyond it, saved-tensors cards are left out.
        """
        shown, hidden = self._sorted_outputs(outputs)
        for place in self._places.places:
            self._draw_place(place, hidden[place.box])
        self._draw_gradients()
        for output in shown:
            self._draw_output(output)
        self._draw_dead_ends()
        self._draw_made()
        self._draw_cuts()
        self._draw_saved(limit)
        return DrawnGraph(
            nodes=tuple(self._nodes),
            edges=tuple(self._edges),
            total=len(self._index.trace.nodes),
            folded=sum(len(node.nodes) for node in self._nodes if node.kind == "folded"),
            frames=tuple(self._frames.values()),
            detail=self._detail,
        )

    def _make_frames(self, hierarchy: Hierarchy, cut: OpenGroups) -> None:
        for number in sorted(cut.opened - {0}):
            group = hierarchy.groups[number]
            assert group.parent is not None
            frame_id = self._frame_of[group.parent]
            self._frame_of[number] = frame_id
            # A small graph is folded only by hand, and modules are what users fold.
            wanted = group.kind in ("module", "made") and self._detail.frames
            if wanted or not cut.small:
                frame = frame_of(self._names, group, frame_id, self._detail)
                self._frames[frame.id] = frame
                self._frame_of[number] = frame.id

    def _sorted_outputs(self, outputs: list[GraphOutput]) -> tuple[list[GraphOutput], Counter[int]]:
        """Outputs that get a card, and the number of outputs without one by box."""
        shown: list[GraphOutput] = []
        found: Counter[int] = Counter()
        for output in outputs:
            box = self._places.at[output.node]
            found[box] += 1
            if self._places.boxes[box].group is None or found[box] <= MOST_OUTPUTS:
                shown.append(output)
        for box, count in found.items():
            folded = self._places.boxes[box].group is not None
            found[box] = max(0, count - MOST_OUTPUTS) if folded else 0
        return shown, found

    def _draw_place(self, place: BoxPlacement, outputs: int) -> None:
        box = self._places.boxes[place.box]
        link = self._places.links.get(place.box)
        if place.use > 1 and link is not None:
            first = self._cards[place.box]
            node = self._index.node[box.nodes[0]]
            # The title of a first card can contain its value, which a link need not repeat.
            title = leaf_name(node) if first.kind in ("leaf", "accumulate") else first.title
            card = link_card(first, title, place.use, link)
        elif box.group is not None:
            card = folded_card(
                self._index, self._names, box, link=link, outputs=outputs, detail=self._detail
            )
        else:
            card = self._node_card(self._index.node[box.nodes[0]], link, place)
        self._cards.append(self._add(card, place.frame))

    def _node_card(self, node: Node, link: int | None, place: BoxPlacement) -> DrawnNode:
        if node.kind != "accumulate":
            return node_card(self._index, node, self._detail)
        uses = self._places.uses[place.box]
        leaf = leaf_card(
            self._index,
            node,
            link=link,
            uses=uses,
            alone=not self._pairs,
            detail=self._detail,
        )
        if not self._pairs:
            return leaf
        self._add(leaf, place.frame)
        self._edges.append(
            DrawnEdge(id=f"a{node.id}", kind="leaf", source=f"n{node.id}", target=leaf.id)
        )
        return node_card(self._index, node, self._detail)

    def _add(self, card: DrawnNode, frame: int) -> DrawnNode:
        if card.kind not in ("link", "saved", "cut", "dead_end"):
            card = self._marked(card)
        card = replace(card, frame=self._frame_of[frame])
        self._nodes.append(card)
        return card

    def _marked(self, card: DrawnNode) -> DrawnNode:
        # A folded card may have 100,000 nodes.
        nodes = [node for node in card.nodes if node in self._node_problems.of]
        problem = node_problem_text(self._node_problems, nodes)
        since = problem_known_since(self._node_problems, nodes)
        return replace(card, problem=problem, problem_since=since)

    def _draw_gradients(self) -> None:
        between: dict[tuple[str, str], list[int]] = {}
        grouped = {card.id for card in self._cards if card.kind == "folded"}
        for line in self._places.lines:
            ends = (self._cards[line.source].id, self._cards[line.target].id)
            between.setdefault(ends, []).append(line.edge)
        for (source, target), edges in between.items():
            # Edges between two nodes are separate gradients; edges to a group form one bundle.
            bundle = source in grouped or target in grouped
            for each in [edges] if bundle else [[edge] for edge in edges]:
                single = self._elements and len(each) == 1
                self._edges.append(
                    DrawnEdge(
                        id=f"e{each[0]}",
                        kind="gradient",
                        source=source,
                        target=target,
                        edges=tuple(each),
                        labels=bundle_labels(self._index, each) if self._labelled else (),
                        gradients=edge_gradients(self._index, each[0]) if single else (),
                    )
                )

    def _draw_output(self, output: GraphOutput) -> None:
        card = output_card(self._index, output.node, output.output_nr, output.item, self._detail)
        self._nodes.append(self._marked(card))
        self._edges.append(
            DrawnEdge(
                id=f"r{card.id[1:]}",
                kind="root",
                source=card.id,
                target=self._cards[self._places.at[output.node]].id,
                labels=tuple(output.labels) if self._labelled else (),
                gradients=tuple(output.gradients) if self._elements else (),
            )
        )

    def _draw_dead_ends(self) -> None:
        """Draw the outputs that receive no gradient, except those of folded nodes."""
        found = (*dead_ends(self._index, self._detail), *unused_outputs(self._index, self._detail))
        for card in found:
            place = self._places.at.get(card.nodes[0])
            if place is None or self._cards[place].kind == "folded":
                continue
            maker = self._cards[place]
            self._nodes.append(replace(card, frame=maker.frame))
            line = dead_end_line(self._index, card, maker.id)
            self._edges.append(line if self._labelled else replace(line, labels=()))

    def _draw_made(self) -> None:
        """Connect each group that a backward made to the node whose backward made it."""
        hierarchy = self._hierarchy
        cards = {node: self._cards[at] for node, at in self._places.at.items()}
        for group in hierarchy.groups:
            if group.made_in is None:
                continue
            maker = cards.get(int(self._index.steps.nodes[group.made_in - 1]))
            first = cards.get(hierarchy.inside(group.number)[0])
            frame = f"f{group.key}"
            is_open = frame in self._frames
            if maker is None or first is None or not (is_open or first.id == f"g{group.key}"):
                continue
            # If both are in the same closed group, the line would lead from its box to itself.
            if maker.id != first.id:
                self._edges.append(
                    DrawnEdge(
                        id=f"d{group.key}",
                        kind="made",
                        source=maker.id,
                        target=first.id,
                        head=frame if is_open else "",
                    )
                )

    def _draw_cuts(self) -> None:
        """Draw where a gradient loses its history and the path it would need."""
        number = 0
        for cut, card in cuts_with_card(self._index, self._detail):
            if cut.node not in self._places.at:
                continue
            maker = self._cards[self._places.at[cut.node]]
            frame_id = f"fd{cut.step}"
            self._nodes.append(
                replace(card, frame=frame_id if frame_id in self._frames else maker.frame)
            )
            users = [self._cards[self._places.at[node.id]] for node in users_of(self._index, cut)]
            user_links = [(each.id, card.id) for each in dict.fromkeys(users)]
            for source, target in (*user_links, (card.id, maker.id)):
                number += 1
                edge = DrawnEdge(id=f"c{number}", kind="cut", source=source, target=target)
                self._edges.append(edge)

    def _draw_saved(self, limit: int) -> None:
        """Draw what custom Functions saved; what built-in nodes save is shown beside the graph."""
        wanted = [
            node
            for node in self._nodes
            if node.kind == "custom" and self._index.saved.get(node.nodes[0])
        ]
        if not self._detail.notes:
            return
        # All or none: a graph with only some of its saved tensors would mislead.
        if len(self._nodes) + len(wanted) > limit:
            return
        for node in wanted:
            card = saved_card(self._index, node.nodes[0], self._detail)
            card = replace(card, frame=node.frame)
            self._nodes.append(card)
            self._edges.append(
                DrawnEdge(id=f"k{card.id[1:]}", kind="saved", source=node.id, target=card.id)
            )


LIMIT = 1500
"""Maximum number of boxes; Graphviz lays out this many in about a second."""

MOST_PROBLEMS, MOST_CUSTOM = 3, 24
"""Maximum numbers of nodes with problems, and of custom nodes, whose groups are opened."""

NO_FOLDS = FoldState()


def drawn_graph(
    index: TraceIndex,
    *,
    hierarchy: Hierarchy | None = None,
    folds: FoldState = NO_FOLDS,
    node_problems: NodeProblems | None = None,
    limit: int = LIMIT,
    detail: DrawingDetail = FULL,
) -> DrawnGraph | TooLarge:
    """Build the drawing of a trace's graph.

    Args:
        index: The trace.
        hierarchy: Its groups, if already known.
        folds: Groups that the user opened and closed.
        node_problems: Known problems; searched for if omitted.
        limit: Maximum number of boxes.
        detail: How much the boxes show.
    """
    hierarchy = hierarchy or hierarchy_of(index)
    node_problems = find_node_problems(index) if node_problems is None else node_problems
    seen = _to_be_seen(index, node_problems)
    cut = choose_open_groups(index, hierarchy, folds, seen, limit, overview=detail.overview)
    places = place_boxes(index, hierarchy, cut.opened, leaf_links=detail.links or not cut.small)
    drawing = GraphBuilder(index, hierarchy, cut, places, node_problems, detail)
    graph = drawing.graph(graph_outputs(index), limit)
    if len(graph.nodes) > limit:
        return _too_large(index, len(graph.nodes), limit)
    return graph


def overview_details(
    index: TraceIndex, hierarchy: Hierarchy, folds: FoldState, node_problems: NodeProblems
) -> tuple[DrawingDetail, ...]:
    """The overviews of a graph that differ, richest first; none of a graph without groups."""
    if len(hierarchy.groups) == 1:
        return ()
    seen, sizes = _to_be_seen(index, node_problems), BoxCounts(index, hierarchy)
    found: dict[tuple[frozenset[int], bool], DrawingDetail] = {}
    for detail in OVERVIEWS:
        most = detail.overview
        cut = choose_open_groups(index, hierarchy, folds, seen, LIMIT, overview=most, sizes=sizes)
        found.setdefault((cut.opened, detail.brief), detail)
    return tuple(found.values())


def _to_be_seen(index: TraceIndex, node_problems: NodeProblems) -> list[int]:
    """Nodes that should be visible: first problems, then custom Functions if they are few."""
    custom = [node.id for node in index.trace.nodes if node.kind in ("custom", "error")]
    grave = [node for node in node_problems.grave if node in index.node]
    return [*grave[:MOST_PROBLEMS], *(custom if len(custom) <= MOST_CUSTOM else ())]


def _too_large(index: TraceIndex, count: int, limit: int) -> TooLarge:
    nodes = format_count(len(index.trace.nodes))
    message = say(
        "drawing.too_large", nodes=nodes, count=format_count(count), limit=format_count(limit)
    )
    return TooLarge(count=count, limit=limit, sentence=message)
