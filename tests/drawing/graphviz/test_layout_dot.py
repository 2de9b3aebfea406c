"""The layout DOT contains no text from outside; the exported DOT has it as plain text."""

from __future__ import annotations

import re
import subprocess

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.dot_document import dot_document, plain_label
from gradviz.drawing.graphviz.layout_dot import dot_source
from tests.builders import linear_trace

HOSTILE = '<img src=x>"];\x1b[31m'


def drawn(index: TraceIndex) -> DrawnGraph:
    graph = drawn_graph(index)
    assert isinstance(graph, DrawnGraph)
    return graph


def hostile_index() -> TraceIndex:
    trace = linear_trace()
    nodes = tuple(structs.replace(n, name=HOSTILE, variable_name=HOSTILE) for n in trace.nodes)
    return index_trace(structs.replace(trace, nodes=nodes))


def test_the_engines_get_ids_and_numbers_only():
    plain, hostile = drawn(index_trace(linear_trace())), drawn(hostile_index())
    source = dot_source(hostile, graph_geometry(hostile, font_measure()))
    assert "img" not in source
    sizes = re.compile(r'WIDTH="\d+" HEIGHT="\d+"|(width|height)=[\d.]+')
    same = dot_source(plain, graph_geometry(plain, font_measure()))
    assert sizes.sub("", source) == sizes.sub("", same)


def test_sizes_are_whole_points_and_gradients_flow_upwards():
    graph = drawn(index_trace(linear_trace()))
    source = dot_source(graph, graph_geometry(graph, font_measure()))
    assert "rankdir=BT" in source
    inches = [float(each) for each in re.findall(r"(?:width|height)=([\d.]+)", source)]
    assert len(inches) == 2 * len(graph.nodes)
    assert all(abs(each * 72 - round(each * 72)) < 1e-3 for each in inches)


@pytest.mark.parametrize(
    "text",
    [HOSTILE.replace("\x1b", "?"), "<b>", "a\\", "\\N\\G", 'q"q', "<<TABLE/>>", "&lt;", "a\\n"],
)
def test_dot_shows_a_label_as_it_is(text: str):
    import graphviz

    dot = graphviz.Digraph()
    dot.node("n", label=plain_label(text))
    svg = subprocess.run(
        ["dot", "-Tsvg"], input=dot.source.encode(), capture_output=True, check=True
    ).stdout.decode()
    (found,) = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert unescaped(found) == text


def unescaped(text: str) -> str:
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#45;", "-")):
        text = text.replace(entity, character)
    return text.replace("&amp;", "&")


def test_the_document_renders_with_its_labels_and_colors():
    source = dot_document(drawn(index_trace(linear_trace())))
    done = subprocess.run(
        ["dot", "-Tplain"], input=source.encode(), capture_output=True, check=True
    )
    text = done.stdout.decode()
    assert done.stderr == b""
    for label in ("LinearFunctionBackward", "L = 54", "grad_weight 2×3", "2×2 · float64"):
        assert label in text
    assert source.count("octagon") == 1
    assert {"#e1effd", "#fff0d8", "#e4f4d7", "#eef0f3"} <= set(re.findall("#[0-9a-f]{6}", source))


def test_a_hostile_name_stays_a_name_in_the_document():
    source = dot_document(drawn(hostile_index()))
    assert "\x1b" not in source
    shown = subprocess.run(
        ["dot", "-Tsvg"], input=source.encode(), capture_output=True, check=True
    ).stdout.decode()
    assert "<img" not in shown
    assert shown.count("&lt;img src=x&gt;&quot;];\\x1b[31m") == 6
