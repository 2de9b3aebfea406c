"""Outputs without a gradient are dead ends: a card with a bar and inactive edges."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_progress import TO_COME
from gradviz.drawing.content.graph_state import graph_state
from gradviz.drawing.content.outputs import dead_ends, unused_outputs
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.drawing.graphviz.dot_document import dot_document
from gradviz.model.graph import SavedSlot
from gradviz.model.item import none_item, tensor_item
from gradviz.model.step import ForwardStep, NodeStep
from gradviz.model.tensor import TensorRecord
from tests.builders import linear_trace, tensor


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


def drawn(index: TraceIndex) -> DrawnGraph:
    graph = drawn_graph(index)
    assert isinstance(graph, DrawnGraph)
    return graph


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
