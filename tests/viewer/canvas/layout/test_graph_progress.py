import numpy as np
import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_state import graph_state
from gradviz.viewer.canvas.layout.graph_picture import GraphCurve, GraphPicture
from gradviz.viewer.canvas.layout.graph_progress import DONE, NOW, TO_COME, UNTOUCHED, GraphProgress
from tests.builders import linear_trace

NAMES = {UNTOUCHED: "untouched", TO_COME: "to come", DONE: "done", NOW: "now"}


@pytest.fixture
def drawn() -> tuple[GraphProgress, DrawnGraph]:
    index = index_trace(linear_trace())
    graph = drawn_graph(index)
    assert isinstance(graph, DrawnGraph)
    at = {node.id: number for number, node in enumerate(graph.nodes)}
    curves = tuple(
        GraphCurve(
            source=at[edge.source], target=at[edge.target], edge=edge, points=np.zeros((4, 2))
        )
        for edge in graph.edges
    )
    boxes = np.zeros((len(graph.nodes), 4))
    picture = GraphPicture(nodes=graph.nodes, faces=(), boxes=boxes, curves=curves)
    return GraphProgress(index, picture), graph


@pytest.mark.parametrize("number", range(1, 9))
def test_states_are_those_of_the_drawing(
    drawn: tuple[GraphProgress, DrawnGraph], number: int
) -> None:
    progress, graph = drawn
    wanted = graph_state(index_trace(linear_trace()), graph, number)
    boxes, curves = progress.boxes(number), progress.curves(number)
    shown = {
        node.id: NAMES[state]
        for node, state in zip(graph.nodes, boxes.tolist(), strict=True)
        if node.kind != "saved"
    }
    assert shown == {key: wanted.nodes[key] for key in shown}
    carrying = {
        edge.id: NAMES[state]
        for edge, state in zip(graph.edges, curves.tolist(), strict=True)
        if state >= DONE
    }
    assert carrying == {k: v for k, v in wanted.edges.items() if v in ("done", "now")}
    labels = progress.labels(number, curves)
    assert {graph.edges[at].id: text for at, text in labels.items()} == wanted.labels
    gradients = progress.gradients(number, curves)
    assert {graph.edges[at].id: tiny for at, tiny in gradients.items()} == wanted.gradients


def test_what_flows_now_is_a_question_while_it_is_guessed(
    drawn: tuple[GraphProgress, DrawnGraph],
) -> None:
    progress, _ = drawn
    curves = progress.curves(5)
    told, asked = progress.labels(5, curves), progress.labels(5, curves, answer_hidden=True)
    assert told.keys() == asked.keys()
    now = {at for at in told if curves[at] == NOW}
    assert {told[at] for at in now} == {"grad_input 2×2", "grad_weight 2×3"}
    assert {asked[at] for at in now} == {"grad_input ?", "grad_weight ?"}
    assert all(asked[at] == told[at] for at in told.keys() - now)
    drawn_now = progress.gradients(5, curves)
    assert now <= drawn_now.keys()
    assert progress.gradients(5, curves, answer_hidden=True).keys() == drawn_now.keys() - now
