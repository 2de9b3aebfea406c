"""What the graph shows at each step of the linear scene."""

from __future__ import annotations

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_state import GraphState, graph_state
from tests.builders import linear_trace

INDEX = index_trace(linear_trace())


def at(number: int) -> GraphState:
    graph = drawn_graph(INDEX)
    assert isinstance(graph, DrawnGraph)
    return graph_state(INDEX, graph, number)


@pytest.mark.parametrize(
    ("number", "now", "to_come"),
    [
        (1, {"n1"}, {"n2", "o2"}),
        (2, {"n2"}, set()),
        (3, {"o2"}, {"n1", "n2", "n3", "n4", "l3", "l4"}),
        (4, {"n2"}, {"n1", "n3", "n4", "l3", "l4"}),
        (5, {"n1"}, {"n3", "n4", "l3", "l4"}),
        (6, {"n3", "l3"}, {"n4", "l4"}),
        (8, set(), set()),
    ],
)
def test_boxes(number: int, now: set[str], to_come: set[str]):
    nodes = at(number).nodes
    assert {name for name, status in nodes.items() if status == "now"} == now
    assert {name for name, status in nodes.items() if status == "to come"} == to_come


@pytest.mark.parametrize(
    ("number", "now", "labels"),
    [
        (2, set(), {}),
        (3, {"r2"}, {"r2": "1"}),
        (4, {"e1"}, {"r2": "1", "e1": "grad_output 2×3"}),
        (
            5,
            {"e2", "e3"},
            {
                "r2": "1",
                "e1": "grad_output 2×3",
                "e2": "grad_input 2×2",
                "e3": "grad_weight 2×3",
            },
        ),
        (6, {"a3"}, None),
        (8, set(), None),
    ],
)
def test_lines_and_labels(number: int, now: set[str], labels: dict[str, str] | None):
    state = at(number)
    assert {name for name, status in state.edges.items() if status == "now"} == now
    assert labels is None or state.labels == labels
