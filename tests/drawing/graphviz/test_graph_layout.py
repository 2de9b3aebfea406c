"""Both layout engines place everything without overlaps."""

from __future__ import annotations

import itertools

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.geometry.box_geometry import GraphGeometry, graph_geometry
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.graph_layout import GraphLayout, read_layout
from gradviz.drawing.graphviz.layout_engine import LayoutEngine, lay_out
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from tests.builders import linear_trace
from tests.drawing.graphs import (
    branches,
    drawn,
    layered,
    recurrent,
    residual,
    residual_net,
    users_of_one,
)

both = pytest.mark.parametrize("engine", ["dot", "library"])


def laid_out(
    index: TraceIndex, engine: LayoutEngine, **options: int
) -> tuple[DrawnGraph, GraphGeometry, GraphLayout]:
    graph = drawn(index, **options)
    faces = graph_geometry(graph, font_measure())
    return graph, faces, lay_out(graph, faces, engine=engine)


@both
def test_the_linear_scene_flows_upwards(engine: LayoutEngine):
    graph, faces, layout = laid_out(index_trace(linear_trace()), engine)
    boxes = boxes_of(graph, layout)
    column = [boxes[name] for name in ("l3", "n3", "n1", "n2", "o2")]
    for above, below in itertools.pairwise(column):
        assert above.y + above.height < below.y
    assert boxes["l3"].x < boxes["l4"].x
    node, saved = boxes["n1"], boxes["s1"]
    assert saved.x > node.x + node.width
    assert abs((saved.y + saved.height / 2) - (node.y + node.height / 2)) < 1
    assert [(box.width, box.height) for box in layout.boxes] == [
        (face.width, face.height) for face in faces.boxes
    ]
    assert [graph.edges[at].id for at in layout.labels] == ["e1", "e2", "e3", "r2"]
    assert {at: (r.width, r.height) for at, r in layout.labels.items()} == faces.labels
    for edge, curve in zip(graph.edges, layout.curves, strict=True):
        assert len(curve) % 3 == 1
        assert touches(boxes[edge.source], curve[0])
        assert touches(boxes[edge.target], curve[-1])


def boxes_of(graph: DrawnGraph, layout: GraphLayout) -> dict[str, Rect]:
    return dict(zip((node.id for node in graph.nodes), layout.boxes, strict=True))


def touches(box: Rect, point: tuple[float, float]) -> bool:
    x, y = point
    near = box.x - 2 <= x <= box.x + box.width + 2 and box.y - 2 <= y <= box.y + box.height + 2
    inside = box.x + 2 < x < box.x + box.width - 2 and box.y + 2 < y < box.y + box.height - 2
    return near and not inside


def overlap(first: Rect, second: Rect) -> bool:
    apart_x = first.x + first.width <= second.x or second.x + second.width <= first.x
    apart_y = first.y + first.height <= second.y or second.y + second.height <= first.y
    return not (apart_x or apart_y)


GRAPHS = {
    "linear": index_trace(linear_trace()),
    "recurrent": recurrent(6),
    "branches": branches(9),
    "residual": residual(5),
    "folded": recurrent(60),
}


@both
@pytest.mark.parametrize("name", GRAPHS)
def test_nothing_overlaps(name: str, engine: LayoutEngine):
    limit = 40 if name == "folded" else 1500
    _, _, layout = laid_out(GRAPHS[name], engine, limit=limit)
    things = [*layout.boxes, *layout.labels.values()]
    bad = [pair for pair in itertools.combinations(things, 2) if overlap(*pair)]
    assert bad == []
    for box in things:
        assert 0 <= box.x <= layout.width - box.width + 0.5
        assert 0 <= box.y <= layout.height - box.height + 0.5


@both
@pytest.mark.parametrize("index", [layered(20), residual_net(9)], ids=["layers", "blocks"])
def test_frames_hold_what_is_theirs_and_nothing_else(index: TraceIndex, engine: LayoutEngine):
    graph, faces, layout = laid_out(index, engine, folds=all_opened(index))
    boxes = boxes_of(graph, layout)
    frames = dict(zip((frame.id for frame in graph.frames), layout.frames, strict=True))
    around = {frame.id: frame.parent for frame in graph.frames}
    for frame, face in zip(graph.frames, faces.frames, strict=True):
        rect = frames[frame.id]
        bar = Rect(x=rect.x, y=rect.y, width=rect.width, height=face.height)
        assert rect.width >= face.width
        if frame.parent:
            assert inside(rect, frames[frame.parent])
        for node in graph.nodes:
            box = boxes[node.id]
            if frame.id in outwards(node.frame, around):
                assert inside(box, rect)
                assert not overlap(box, bar)
            else:
                assert not overlap(box, rect)
        for other in graph.frames:
            if frame.id != other.id and other.parent == frame.parent:
                assert not overlap(rect, frames[other.id])


def inside(inner: Rect, outer: Rect) -> bool:
    across = outer.x <= inner.x and inner.x + inner.width <= outer.x + outer.width
    return across and outer.y <= inner.y and inner.y + inner.height <= outer.y + outer.height


def outwards(frame: str, around: dict[str, str]) -> list[str]:
    found = []
    while frame:
        found.append(frame)
        frame = around[frame]
    return found


def all_opened(index: TraceIndex) -> FoldState:
    return FoldState(opened=frozenset(hierarchy_of(index).groups_by_key))


@both
@pytest.mark.timeout(20)
def test_a_leaf_with_300_users_does_not_hang(engine: LayoutEngine):
    index = users_of_one("accumulate", 300)
    graph, _, layout = laid_out(index, engine, folds=all_opened(index))
    assert len(layout.boxes) == len(graph.nodes) == 600


@both
@pytest.mark.timeout(20)
def test_the_largest_picture_is_laid_out(engine: LayoutEngine):
    # Its DOT is longer than a pipe holds, which once made a slow starter wait for ever.
    index = residual(295)
    graph, _, layout = laid_out(index, engine, folds=all_opened(index))
    assert 1400 < len(graph.nodes) <= 1500
    assert len(layout.boxes) == len(graph.nodes)


@both
def test_hostile_names_reach_no_engine(engine: LayoutEngine):
    trace = linear_trace()
    hostile = '<img src=x>"];\x1b[31m' + "\\N" * 30
    nodes = tuple(structs.replace(n, name=hostile, variable_name=hostile) for n in trace.nodes)
    graph, _, layout = laid_out(index_trace(structs.replace(trace, nodes=nodes)), engine)
    assert len(layout.boxes) == len(graph.nodes)


def test_an_empty_graph_needs_no_engine():
    graph = DrawnGraph(nodes=(), edges=(), total=0, folded=0)
    layout = lay_out(graph, GraphGeometry(boxes=(), labels={}))
    assert (layout.width, layout.boxes) == (0, ())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b'{"bb": "0,0,1"}',
        b'{"bb": "0,0,1,1", "objects": []}',
        b'{"bb": "0,0,1,1", "objects": [{"name": "n0", "pos": "nan,1"}]}',
        b'{"bb": "0,0,1,1", "objects": [{"name": "n0", "pos": 7}]}',
    ],
)
def test_what_is_no_layout_is_refused(text: bytes):
    with pytest.raises(ValueError, match="invalid layout"):
        read_layout(text, [(10, 10)], {})
