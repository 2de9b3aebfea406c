"""The drawing of a group's contents is the part of the whole drawing that is in its frame."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.content.drawn_graph import DrawnGraph, group_graph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_progress import NOW, TO_COME
from gradviz.drawing.content.graph_state import graph_state, graph_states
from gradviz.drawing.grouping.groups import FoldState
from tests.builders import linear_trace
from tests.drawing.graphs import drawn, layered, recurrent, residual_net, with_backward
from tests.second_order_builder import cube_trace


def opened(index: TraceIndex, *keys: str) -> DrawnGraph:
    graph = drawn(index, folds=FoldState(opened=frozenset(keys)))
    return graph


def folded(graph: DrawnGraph) -> list[str]:
    return [node.group for node in graph.nodes if node.kind == "folded"]


def contents(index: TraceIndex) -> list[DrawnGraph]:
    """The first folded group of the graph, and the first one folded in it."""
    first = folded(opened(index))[0]
    outer = group_graph(opened(index, first), first)
    inner = [node.group for node in outer.nodes if node.kind == "folded" and node.frame]
    return [outer, *(group_graph(opened(index, first, each), each) for each in inner[:1])]


def test_contents_are_in_a_frame_with_the_boxes_next_to_it() -> None:
    index = with_backward(layered(30))
    (repeated,) = folded(opened(index))
    outer, layer = contents(index)
    assert [frame.title for frame in outer.frames] == ["layers.0–29"]
    assert [node.title for node in outer.nodes if not node.frame] == [
        "EmbeddingBackward0",
        "AddmmBackward0",
    ]
    assert len(folded(outer)) == 30
    (frame,) = layer.frames
    assert (frame.title, frame.parent) == ("layers.0", "")
    around = [node for node in layer.nodes if not node.frame]
    assert [(node.title, node.group_progress) for node in around] == [
        ("EmbeddingBackward0", 0),
        ("layers.1", 0),
    ]
    whole = opened(index, repeated, frame.group)
    same = {node.id: node for node in whole.nodes}
    inside = [node for node in layer.nodes if node.frame]
    assert inside == [node for node in whole.nodes if node.frame == frame.id]
    assert all(
        node.lines == same[node.id].lines and node.tensors == same[node.id].tensors
        for node in around
    )
    ends = {node.id for node in inside}
    assert [replace(edge, head="") for edge in layer.edges] == [
        replace(edge, head="") for edge in whole.edges if ends & {edge.source, edge.target}
    ]


CUBE = index_trace(cube_trace())
LAYERS = with_backward(layered(30))

RUNS = [
    (LAYERS, contents(LAYERS)[1]),
    (with_backward(recurrent(40)), contents(with_backward(recurrent(40)))[0]),
    (with_backward(residual_net(12)), contents(with_backward(residual_net(12)))[1]),
    (CUBE, opened(CUBE)),
]


@pytest.mark.parametrize(("index", "graph"), RUNS, ids=["layer", "repeats", "block", "double"])
def test_states_of_several_steps_are_those_of_each(index: TraceIndex, graph: DrawnGraph) -> None:
    numbers = range(1, len(index.trace.steps) + 1)
    found = list(graph_states(index, graph, numbers))
    assert found == [graph_state(index, graph, number) for number in numbers]
    # Also of steps that do not follow each other.
    some = [*numbers[::7], *numbers[::-5]]
    assert list(graph_states(index, graph, some)) == [found[number - 1] for number in some]


def test_a_small_drawing_has_one_state_while_the_run_is_elsewhere() -> None:
    index, graph = RUNS[0]
    states = list(graph_states(index, graph, range(1, len(index.trace.steps) + 1)))
    assert states[200] is states[250]
    assert len({id(state) for state in states}) < 30


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
