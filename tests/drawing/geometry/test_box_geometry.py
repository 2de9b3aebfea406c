"""Texts, marks and thumbnails are inside their box and don't overlap."""

from __future__ import annotations

import itertools

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import (
    BRIEF_DETAILS,
    FULL,
    DrawingDetail,
    DrawnKind,
    DrawnNode,
)
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.geometry.box_geometry import (
    FOLD,
    SHAPES,
    BoxGeometry,
    box_geometry,
    graph_geometry,
)
from tests.builders import linear_trace
from tests.drawing.graphs import drawn
from tests.sweeps import paired

MEASURE = font_measure()


def faces() -> list[BoxGeometry]:
    graph = drawn(index_trace(linear_trace()))
    return list(graph_geometry(graph, MEASURE).boxes)


def node(kind: DrawnKind, **more: object) -> DrawnNode:
    return DrawnNode(id="n1", kind=kind, nodes=(1,), title="weight", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "lines", "cells", "link"),
    paired(
        list(SHAPES),
        [(), ("2×3 · float64",), ("one", "a line longer than the title")],
        [None, (1, 3), (8, 8)],
        [None, 1, 1234],
    ),
)
def test_everything_is_inside_the_graph(kind: DrawnKind, lines: tuple[str, ...], cells, link):  # type: ignore[no-untyped-def]
    tiny = (
        None
        if cells is None
        else ElementGrid(tensor=1, rows=cells[0], columns=cells[1], cell=(18, 18))
    )
    samples = tuple(tiny for _ in lines)
    made = node(kind, lines=lines, thumbnail=tiny, samples=samples, link=link)
    face = box_geometry(made, MEASURE)
    assert (face.width, face.height) == (int(face.width), int(face.height))
    right = face.width if face.thumbnail is None else face.thumbnail.x
    for text in face.texts:
        left = text.x - text.width / 2 if text.centred else text.x
        assert left >= 4
        assert left + text.width <= right - 4
        assert 8 <= text.baseline <= face.height - 2
    for rect in (face.thumbnail, face.badge, *face.samples):
        if rect is not None:
            assert 0 < rect.x < rect.x + rect.width < face.width
            assert 0 < rect.y < rect.y + rect.height < face.height
    if face.badge is not None:
        assert face.badge.x > face.texts[0].x + face.texts[0].width


def test_lines_follow_each_other_downwards():
    for face in faces():
        lines = [text.baseline for text in face.texts if text.style != "mark"]
        assert all(second - first >= 12 for first, second in itertools.pairwise(lines))


def test_a_custom_function_has_a_shape_of_its_own():
    others = {shape for kind, shape in SHAPES.items() if kind not in ("custom", "error")}
    assert SHAPES["custom"] not in others


def test_a_measure_decides_the_size():
    wide = box_geometry(node("builtin"), lambda text, style: (1000.0, 20.0))
    assert 1000 < wide.width < 1050


@pytest.mark.parametrize("detail", [FULL, BRIEF_DETAILS[0]])
def test_the_last_line_of_a_note_ends_before_its_folded_corner(detail: DrawingDetail):
    note = box_geometry(node("saved", lines=("x", "the longest line")), MEASURE, detail)
    last = note.texts[-1]
    assert last.x + last.width <= note.width - FOLD
