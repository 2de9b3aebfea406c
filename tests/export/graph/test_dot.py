"""The exported DOT, Mermaid, draw.io and TikZ files."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.graphviz.layout_engine import available_engines, run_engine
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.errors import ExportError
from gradviz.export.graph.dot import graph_dot, graph_mermaid
from gradviz.export.graph.drawio import drawio_document
from gradviz.export.graph.svg import graph_figures, laid_out_graph
from gradviz.export.graph.svg_elements import svg_number
from gradviz.export.graph.svg_figure import SvgStyle
from gradviz.export.graph.tikz import graph_tikz
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace
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
    cells = ElementTree.fromstring(drawio_document(laid_out_graph(index)))
    assert 'a"]<b>`#35;&\\n end' in [each.get("value") for each in cells.iter("mxCell")]


def test_drawio_has_the_boxes_of_the_layout_and_edges_between_them() -> None:
    drawing = laid_out_graph(index_trace(linear_trace()))
    cells = {each.get("id"): each for each in
             ElementTree.fromstring(drawio_document(drawing)).iter("mxCell")}  # fmt: skip
    for name, rect in drawing.boxes.items():
        (place,) = cells[name]
        assert [float(place.attrib[key]) for key in ("x", "width")] == [rect.x, rect.width]
        assert "html=1" not in (cells[name].get("style") or "")
    for edge in drawing.graph.edges:
        ends = cells[edge.id].get("source"), cells[edge.id].get("target")
        assert ends == (edge.source, edge.target)
        assert set(ends) <= cells.keys()


def test_tikz_has_the_texts_and_boxes_of_the_svg() -> None:
    place, paint = TracePosition(step=5), theme_paint("light")
    drawing = laid_out_graph(
        index_trace(linear_trace(), {record.id: value for record, value in LINEAR_TENSORS}.get)
    )
    text = graph_tikz(drawing, place, paint)
    (svg,) = graph_figures(drawing, (place,), SvgStyle(paint=paint, bare=True))
    texts = [each for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("}text")]
    assert text.count("\\node") == len(texts) > 10
    for each in texts:
        assert f"{{\\gradvizline{{{each.get('textLength')}}}{{{each.get('font-size')}}}" in text
    for name, box in drawing.boxes.items():
        assert f"% {name} " in text
        assert f"{svg_number(box.y)}" in text.partition(f"% {name} ")[2].partition("\n%")[0]
    used = set(re.findall(r"=gradviz-(\w+)", text))
    assert used == set(re.findall(r"\\definecolor{gradviz-(\w+)}", text))


def test_tikz_takes_text_from_outside_as_text() -> None:
    hostile = "\\input{x}%$^^5c}\n#1&_"
    trace = linear_trace()
    nodes = tuple(structs.replace(each, name=hostile) for each in trace.nodes)
    drawing = laid_out_graph(index_trace(structs.replace(trace, nodes=nodes)))
    text = graph_tikz(drawing, TracePosition(step=5), theme_paint("light"))
    lines = [line for line in text.splitlines() if "5c" in line and not line.startswith("%")]
    shown = "\\textbackslash{}input\\{x\\}\\%\\$\\textasciicircum{}\\textasciicircum{}5c\\}"
    assert lines
    for line in lines:
        assert shown in line
        bare = re.sub(r"\\[{}%$#&_]", "", line)
        assert bare.count("{") == bare.count("}")
        assert not re.search("[%$^&]", bare)
