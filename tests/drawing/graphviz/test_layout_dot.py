"""The layout DOT contains no text from outside; the exported DOT has it as plain text."""

from __future__ import annotations

import itertools
import re
import subprocess

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode, EdgeKind
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.dot_document import dot_document, plain_label
from gradviz.drawing.graphviz.layout_dot import (
    LayoutStyle,
    WrappedColumns,
    dot_source,
    wrapped_columns,
)
from gradviz.drawing.graphviz.layout_engine import lay_out_all
from tests.builders import linear_trace
from tests.drawing.graphs import drawn

HOSTILE = '<img src=x>"];\x1b[31m'


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


ITERATIONS = 5


def test_iterations_are_placed_in_their_order():
    outputs = [f"o{at}" for at in range(ITERATIONS)]
    boxes = [DrawnNode(id=each, kind="output", nodes=(), title="loss") for each in outputs]
    boxes += [
        DrawnNode(id=f"n{at}", kind="builtin", nodes=(at,), title="M") for at in range(ITERATIONS)
    ]
    boxes += [DrawnNode(id=name, kind="leaf", nodes=(), title=name) for name in ("weight", "bias")]

    def edge(kind: EdgeKind, source: str, target: str) -> DrawnEdge:
        return DrawnEdge(id=f"{source}-{target}", kind=kind, source=source, target=target)

    edges = [edge("root", f"o{at}", f"n{at}") for at in range(ITERATIONS)]
    # Fewest lines cross if the first and the last iteration stand side by side.
    edges += [edge("leaf", f"n{at}", "weight") for at in (0, ITERATIONS - 1)]
    edges += [edge("leaf", f"n{at}", "bias") for at in range(1, ITERATIONS - 1)]
    graph = DrawnGraph(nodes=tuple(boxes), edges=tuple(edges), total=ITERATIONS, folded=0)
    faces = graph_geometry(graph, font_measure())
    styles = [LayoutStyle(), LayoutStyle(horizontal=True)]
    upward, sideways = lay_out_all([(graph, faces, style) for style in styles])
    assert sorted(outputs, key=lambda each: upward.boxes[int(each[1:])].x) == outputs
    assert sorted(outputs, key=lambda each: sideways.boxes[int(each[1:])].y) == outputs
    assert len({each.y for each in upward.boxes[:ITERATIONS]}) == 1


COUNT = 17


def chain(count: int, *more: tuple[int, int]) -> DrawnGraph:
    """Draw boxes of which each gives its gradient to the next one."""
    pairs = (*itertools.pairwise(range(count)), *more)
    return DrawnGraph(
        nodes=tuple(
            DrawnNode(id=f"n{at}", kind="builtin", nodes=(at,), title=f"SinBackward{at}")
            for at in range(count)
        ),
        edges=tuple(
            DrawnEdge(
                id=f"e{number}",
                kind="gradient",
                source=f"n{source}",
                target=f"n{target}",
                edges=(number,),
                labels=("2×3",),
            )
            for number, (source, target) in enumerate(pairs)
        ),
        total=count,
        folded=0,
    )


def overlap(first: Rect, second: Rect) -> bool:
    across = first.x < second.x + second.width and second.x < first.x + first.width
    down = first.y < second.y + second.height and second.y < first.y + first.height
    return across and down


def test_a_chain_goes_up_and_down_in_columns_from_left_to_right():
    graph = chain(COUNT, (2, 5))
    faces = graph_geometry(graph, font_measure())
    styles = [LayoutStyle(tight=True, columns=columns) for columns in (1, 2, 3)]
    found = lay_out_all([(graph, faces, style) for style in styles])
    heights = [layout.height for layout in found]
    assert heights[1] < 0.6 * heights[0]
    assert heights[2] < 0.4 * heights[0]
    for layout in found:
        rects = [*layout.boxes, *layout.labels.values()]
        assert not any(overlap(*pair) for pair in itertools.combinations(rects, 2))
        for edge, curve in zip(graph.edges, layout.curves, strict=True):
            for end, box in ((0, edge.source), (-1, edge.target)):
                x, y = curve[end]
                rect = layout.boxes[int(box[1:])]
                assert rect.x - 2 <= x <= rect.x + rect.width + 2
                assert rect.y - 2 <= y <= rect.y + rect.height + 2
    tops = [found[2].boxes[at].y for at in range(COUNT)]
    turns = [0, 6, 12, COUNT - 1]
    for column, (first, last) in enumerate(itertools.pairwise(turns)):
        assert tops[first : last + 1] == sorted(tops[first : last + 1], reverse=column % 2 == 0)
    lefts = [found[2].boxes[at].x for at in (3, 9, 15)]
    assert lefts == sorted(lefts)


def test_short_chains_and_cycles_are_not_wrapped():
    assert wrapped_columns(chain(7), 2) == WrappedColumns()
    assert wrapped_columns(chain(COUNT, (5, 2)), 2) == WrappedColumns()
    assert wrapped_columns(chain(COUNT), 1) == WrappedColumns()
    assert wrapped_columns(chain(COUNT), 2).downward == {f"e{at}" for at in range(8, 16)}
