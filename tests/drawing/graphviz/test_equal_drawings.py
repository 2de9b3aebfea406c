"""Two iterations of a run need one layout, which each gets with its own names."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.training.iteration_index import index_of_iteration
from gradviz.analysis.training.iterations import iterations_of
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.equal_drawings import (
    numbered_names,
    own_names,
    renamed_layout,
    renamed_request,
)
from gradviz.drawing.graphviz.layout_dot import UPWARD, dot_source
from gradviz.drawing.graphviz.layout_engine import LayoutRequest, lay_out_all
from tests.training_traces import training_trace


def request_of(index: TraceIndex, number: int) -> LayoutRequest:
    iteration = iterations_of(index)[number - 1]
    graph = drawn_graph(index_of_iteration(index, iteration))
    assert isinstance(graph, DrawnGraph)
    return graph, graph_geometry(graph, font_measure()), UPWARD


def test_a_layout_of_one_iteration_is_that_of_an_equal_one() -> None:
    trace, pairs = training_trace([4.0, 2.0], [[3.0, 4.0], [5.0, 2.0]])
    index = index_trace(trace, {record.id: value for record, value in pairs}.get)
    requests = [request_of(index, number) for number in (1, 2)]
    assert dot_source(*requests[0]) != dot_source(*requests[1])
    names = [numbered_names(graph) for graph, _, _ in requests]
    numbered = [renamed_request(each, own) for each, own in zip(requests, names, strict=True)]
    assert dot_source(*numbered[0]) == dot_source(*numbered[1])
    (shared,) = lay_out_all(numbered[:1])
    for request, own in zip(requests, names, strict=True):
        assert renamed_layout(shared, own_names(own)) == lay_out_all([request])[0]
