"""Outputs without a gradient are dead ends: a card with a bar and inactive edges."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.graph_progress import TO_COME
from gradviz.drawing.content.graph_state import graph_state
from gradviz.drawing.content.outputs import dead_ends, unused_outputs
from gradviz.drawing.geometry.box_geometry import SHAPES, graph_geometry
from gradviz.drawing.graphviz.dot_document import dot_document
from gradviz.drawing.graphviz.layout_dot import dot_source
from gradviz.drawing.graphviz.layout_engine import lay_out
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.model.graph import SavedSlot
from gradviz.model.item import none_item, tensor_item
from gradviz.model.step import ForwardStep, NodeStep
from gradviz.model.tensor import TensorRecord
from tests.builders import linear_trace, tensor
from tests.drawing.graphs import drawn
from tests.second_order_builder import CUBE, SUM, TWICE, cube_index


def index_with(record: TensorRecord, *, declared: bool = False, saved: str = "") -> TraceIndex:
    """The scene `linear`, whose Function has another output that needs no gradient."""
    trace = linear_trace()
    extra = tensor_item("output 1", record.id)
    first = trace.steps[0]
    assert isinstance(first, ForwardStep)
    assert first.node is not None
    call = replace(
        trace.calls[0],
        outputs=(*trace.calls[0].outputs, extra),
        non_differentiable=(1,) if declared else (),
    )
    slots = trace.saved
    if saved:
        number = max(each.id for each in slots) + 1
        item = tensor_item(saved, record.id)
        slot = SavedSlot(id=number, node=first.node, item=item, role="output", role_index=1)
        slots = (*slots, slot)
    return index_trace(
        replace(
            trace,
            calls=(call, *trace.calls[1:]),
            saved=slots,
            tensors=(*trace.tensors, record),
            steps=(replace(first, outputs=(*first.outputs, extra)), *trace.steps[1:]),
        )
    )


def record(dtype: type = np.int64) -> TensorRecord:
    made, _ = tensor(90, np.array([1, 2, 0], dtype=dtype))
    return replace(made, requires_grad=False)


def executed(index: TraceIndex, *, zeros: bool) -> TraceIndex:
    """The same, where ``backward`` got None, or zeros, for that output."""
    trace = index.trace
    (visit,) = index.visits[1]
    step = trace.steps[visit - 1]
    assert isinstance(step, NodeStep)
    instead = replace(step.received[0], name="grad_1") if zeros else none_item("grad_1")
    changed = replace(
        step,
        incoming=(*step.incoming, none_item("grad_1")),
        received=(*step.received, instead),
    )
    steps = (*trace.steps[: visit - 1], changed, *trace.steps[visit:])
    return index_trace(replace(trace, steps=steps))


@pytest.mark.parametrize(
    ("dtype", "declared", "line"),
    [
        (np.int64, True, "no gradient: marked non-differentiable"),
        (np.int64, False, "no gradient: dtype not differentiable"),
        (np.bool_, False, "no gradient: dtype not differentiable"),
        (np.float64, False, "no gradient"),
    ],
)
def test_it_says_why(dtype: type, declared: bool, line: str) -> None:
    (card,) = dead_ends(index_with(record(dtype), declared=declared))
    assert card.lines[-1] == line
    assert card.title == "output 1"


def test_what_forward_saved_gives_it_the_name() -> None:
    (card,) = dead_ends(index_with(record(), saved="indices"))
    assert card.title == "indices"


def test_nothing_flows_into_it() -> None:
    index = index_with(record(), declared=True)
    graph = drawn(index)
    (card,) = [node for node in graph.nodes if node.kind == "dead_end"]
    (line,) = [edge for edge in graph.edges if card.id in (edge.source, edge.target)]
    assert (line.kind, line.edges) == ("dead_end", ())
    for step in range(1, len(index.trace.steps) + 1):
        assert graph_state(index, graph, step).edges[graph.edges.index(line)] == TO_COME


@pytest.mark.parametrize(
    ("zeros", "label"), [(True, "grad_1 None → zeros"), (False, "grad_1 None")]
)
def test_its_line_says_what_backward_got_instead(zeros: bool, label: str) -> None:
    index = executed(index_with(record(), declared=True), zeros=zeros)
    graph = drawn(index)
    (line,) = [edge for edge in graph.edges if edge.kind == "dead_end"]
    assert line.labels == (label,)
    (visit,) = index.visits[1]
    at = graph.edges.index(line)
    told = [graph_state(index, graph, step).labels.get(at, "") for step in (visit - 1, visit)]
    assert told == ["", label]


def test_an_unused_output_is_drawn() -> None:
    used = replace(record(np.float64), requires_grad=True)
    index = executed(index_with(used), zeros=True)
    assert dead_ends(index) == []
    (card,) = unused_outputs(index)
    assert (card.kind, card.id, card.title) == ("output", "o1p1", "output 1")
    (line,) = [edge for edge in drawn(index).edges if edge.source == card.id]
    assert (line.kind, line.target) == ("dead_end", "n1")
    assert unused_outputs(index_trace(linear_trace())) == []


def test_it_has_a_shape_of_its_own() -> None:
    assert [kind for kind, shape in SHAPES.items() if shape == "stub"] == ["dead_end"]
    assert ("no gradient: marked non-differentiable") in dot_document(
        drawn(index_with(record(), declared=True))
    )


def test_a_function_with_one_output_has_none() -> None:
    assert dead_ends(index_trace(linear_trace())) == []


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
    assert "lhead=cluster_f0" in dot_source(graph, faces)
    layout = lay_out(graph, faces)
    assert len(layout.curves) == len(graph.edges)
    (frame,), card = layout.frames, layout.boxes[[node.id for node in graph.nodes].index("x1")]
    assert frame.x <= card.x
    assert card.x + card.width <= frame.x + frame.width
