"""The exported DOT, Mermaid and draw.io files."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.graphviz.layout_engine import available_engines, run_engine
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.errors import ExportError
from gradviz.export.graph.dot import graph_dot, graph_mermaid
from gradviz.export.graph.drawio import drawio_document
from gradviz.export.graph.svg import laid_out_graph
from gradviz.model.trace import Trace
from tests.builders import ORIGIN, linear_trace
from tests.drawing.graphs import layered


def test_the_file_holds_the_graph():
    text = graph_dot(index_trace(linear_trace()))
    assert text.startswith("digraph gradviz {")
    assert 'n2 -> n1 [label="grad_output 2×3"]' in text


def test_a_trace_without_a_graph_is_refused():
    with pytest.raises(ExportError, match="no graph"):
        graph_dot(index_trace(Trace(origin=ORIGIN)))


def test_open_groups_are_clusters_one_in_another():
    index = layered(30)
    hierarchy = hierarchy_of(index)
    opened = FoldState(opened=frozenset(group.key for group in hierarchy.around(10)))
    text = graph_dot(index, folds=opened)
    names = re.findall(r"subgraph (\w+) {", text)
    inner = ["cluster_fr4n120", "cluster_fm5", "cluster_fm6"]
    assert names[0] == "cluster_fm1"
    assert [name for name in names if name in inner] == inner
    assert "layers.1.linear Linear" in text
    assert 'gm2 [label="layers.0\\nLayer\\n4 nodes · 2 leaves"' in text
    drawn = run_engine(text, available_engines()[0])
    assert json.loads(drawn)["name"] == "gradviz"


HOSTILE = 'a"]<b>`#35;&\n end'


def test_mermaid_holds_the_graph_and_its_groups() -> None:
    lines = graph_mermaid(index_trace(linear_trace())).splitlines()
    assert lines[0] == "flowchart BT"
    assert '  n2 -->|"grad_output 2×3"| n1' in lines
    assert any(line.startswith('  n1{{"LinearFunctionBackward<br/>') for line in lines)
    index = layered(30)
    opened = FoldState(opened=frozenset(each.key for each in hierarchy_of(index).around(10)))
    words = [line.split()[0] for line in graph_mermaid(index, folds=opened).splitlines()]
    assert words.count("subgraph") == words.count("end") > 3


def test_text_from_outside_is_only_text() -> None:
    trace = linear_trace()
    nodes = tuple(structs.replace(each, name=HOSTILE) for each in trace.nodes)
    index = index_trace(structs.replace(trace, nodes=nodes))
    shown = "a#quot;]#lt;b#gt;#96;#35;35;#amp;\\n end"
    assert f'n2["{shown}"]:::builtin' in graph_mermaid(index)
    cells = ElementTree.fromstring(drawio_document(laid_out_graph(index, lambda _: None)))
    assert 'a"]<b>`#35;&\\n end' in [each.get("value") for each in cells.iter("mxCell")]


def test_drawio_has_the_boxes_of_the_layout_and_edges_between_them() -> None:
    drawing = laid_out_graph(index_trace(linear_trace()), lambda _: None)
    cells = {each.get("id"): each for each in
             ElementTree.fromstring(drawio_document(drawing)).iter("mxCell")}  # fmt: skip
    for name, rect in drawing.layout.boxes.items():
        (place,) = cells[name]
        assert [float(place.attrib[key]) for key in ("x", "width")] == [rect.x, rect.width]
        assert "html=1" not in (cells[name].get("style") or "")
    for edge in drawing.graph.edges:
        ends = cells[edge.id].get("source"), cells[edge.id].get("target")
        assert ends == (edge.source, edge.target)
        assert set(ends) <= cells.keys()
