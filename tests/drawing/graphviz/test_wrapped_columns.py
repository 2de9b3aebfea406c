"""Long chains are wrapped into columns that are read from left to right."""

from __future__ import annotations

import itertools

from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.layout_dot import LayoutStyle, WrappedColumns, wrapped_columns
from gradviz.drawing.graphviz.layout_engine import lay_out_all

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


def _overlap(first: Rect, second: Rect) -> bool:
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
        boxes = layout.boxes
        rects = [*boxes.values(), *layout.labels.values()]
        assert not any(_overlap(*pair) for pair in itertools.combinations(rects, 2))
        for edge in graph.edges:
            for end, box in ((0, edge.source), (-1, edge.target)):
                x, y = layout.curves[edge.id][end]
                rect = boxes[box]
                assert rect.x - 2 <= x <= rect.x + rect.width + 2
                assert rect.y - 2 <= y <= rect.y + rect.height + 2
    tops = [found[2].boxes[f"n{at}"].y for at in range(COUNT)]
    turns = [0, 6, 12, COUNT - 1]
    for column, (first, last) in enumerate(itertools.pairwise(turns)):
        assert tops[first : last + 1] == sorted(tops[first : last + 1], reverse=column % 2 == 0)
    lefts = [found[2].boxes[f"n{at}"].x for at in (3, 9, 15)]
    assert lefts == sorted(lefts)


def test_short_chains_and_cycles_are_not_wrapped():
    assert wrapped_columns(chain(7), 2) == WrappedColumns()
    assert wrapped_columns(chain(COUNT, (5, 2)), 2) == WrappedColumns()
    assert wrapped_columns(chain(COUNT), 1) == WrappedColumns()
    assert wrapped_columns(chain(COUNT), 2).downward == {f"e{at}" for at in range(8, 16)}
