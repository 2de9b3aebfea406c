"""What the graph shows at each step of the linear scene."""

from __future__ import annotations

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_progress import NOW, TO_COME
from gradviz.drawing.content.graph_state import graph_state
from tests.builders import linear_trace

INDEX = index_trace(linear_trace())


GRAPH = drawn_graph(INDEX)
assert isinstance(GRAPH, DrawnGraph)
BOXES, LINES = ([each.id for each in drawn] for drawn in (GRAPH.nodes, GRAPH.edges))


def in_state(names: list[str], states: list[int], state: int) -> set[str]:
    return {name for name, each in zip(names, states, strict=True) if each == state}


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
    boxes = graph_state(INDEX, GRAPH, number).boxes
    assert in_state(BOXES, boxes, NOW) == now
    assert in_state(BOXES, boxes, TO_COME) == to_come


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
    state = graph_state(INDEX, GRAPH, number)
    assert in_state(LINES, state.edges, NOW) == now
    assert labels is None or {LINES[at]: text for at, text in state.labels.items()} == labels
