"""Nodes that a backward created are framed; a cut has a card and crossed edges."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.layout_dot import dot_source
from gradviz.drawing.graphviz.layout_engine import lay_out
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from tests.second_order_builder import CUBE, SUM, TWICE, cube_index


def drawn(index: TraceIndex, folds: FoldState = NO_FOLDS) -> DrawnGraph:
    graph = drawn_graph(index, folds=folds)
    assert isinstance(graph, DrawnGraph)
    return graph


def test_created_nodes_are_framed_with_their_producer_and_order() -> None:
    graph = drawn(cube_index())
    (frame,) = graph.frames
    assert (frame.title, frame.line) == ("created by CubeBackward", "2nd order")
    inside = {node.id for node in graph.nodes if node.frame == frame.id}
    assert inside == {f"n{TWICE}", f"n{SUM}", "x1"}


def test_the_frame_is_connected_to_its_producer() -> None:
    (tie,) = [edge for edge in drawn(cube_index()).edges if edge.kind == "made"]
    assert (tie.source, tie.head) == (f"n{CUBE}", "fd5")


def test_it_can_be_folded_like_a_module() -> None:
    index = cube_index()
    graph = drawn(index, FoldState(closed=frozenset({"d5"})))
    assert graph.frames == ()
    (folded,) = [node for node in graph.nodes if node.kind == "folded"]
    assert folded.title == "created by CubeBackward"
    assert folded.lines[0] == "2nd order"
    assert set(folded.nodes) == {TWICE, SUM}
    (tie,) = [edge for edge in graph.edges if edge.kind == "made"]
    assert (tie.target, tie.head) == (folded.id, "")


def test_a_cut_part_has_a_card_between_consumer_and_producer() -> None:
    graph = drawn(cube_index())
    (card,) = [node for node in graph.nodes if node.kind == "cut"]
    assert card.title == "× cut: gradient for x"
    assert card.lines == ("part of it has no history", "treated as constant: dx")
    ways = [(edge.source, edge.target) for edge in graph.edges if edge.kind == "cut"]
    assert ways == [(f"n{TWICE}", card.id), (card.id, f"n{CUBE}")]


def test_a_gradient_without_history_has_a_card_next_to_its_producer() -> None:
    graph = drawn(cube_index(whole=True))
    (card,) = [node for node in graph.nodes if node.kind == "cut"]
    assert card.lines[0] == "has no history"
    ways = [(edge.source, edge.target) for edge in graph.edges if edge.kind == "cut"]
    assert ways == [(card.id, f"n{CUBE}")]
    assert graph.frames == ()


def test_groups_of_what_was_made_are_made_once_for_each_step() -> None:
    groups = [group for group in hierarchy_of(cube_index()).groups if group.kind == "made"]
    assert [(group.key, group.made_in, group.nodes) for group in groups] == [
        ("d5", 5, (TWICE, SUM))
    ]


def test_it_is_laid_out_with_all_lines() -> None:
    graph = drawn(cube_index())
    faces = graph_geometry(graph, font_measure())
    assert "lhead=cluster_fd5" in dot_source(graph, faces)
    layout = lay_out(graph, faces)
    assert layout.curves.keys() == {edge.id for edge in graph.edges}
    frame, card = layout.frames["fd5"], layout.boxes["x1"]
    assert frame.x <= card.x
    assert card.x + card.width <= frame.x + frame.width
