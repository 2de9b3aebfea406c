"""The shipped sketches show the graphs that the scenes have."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.drawing.graphviz.sketch_layout import graph_sketch
from gradviz.gallery.registry import SCENES, Scene
from gradviz.model.graph_sketch import SKETCH_SIZE, GraphSketch
from gradviz.viewer.library.scene_sketches import scene_sketches
from tests.sweeps import scene_of_each_kind
from tools.scene_sketches import recorded


def parts_of(sketch: GraphSketch) -> tuple[list[str], tuple[tuple[int, int], ...]]:
    """What does not depend on the version of Graphviz."""
    return [box.kind for box in sketch.boxes], sketch.lines


def test_each_scene_has_a_sketch() -> None:
    assert list(scene_sketches()) == [each.id for each in SCENES]
    without = [name for name, sketch in scene_sketches().items() if not sketch.boxes]
    assert without == ["scalar-tensor"], "it has no autograd graph"


@pytest.mark.parametrize("each", scene_of_each_kind())
def test_a_sketch_shows_the_graph_of_its_scene(each: Scene, tmp_path: Path) -> None:
    with recorded(each, tmp_path) as index:
        assert parts_of(scene_sketches()[each.id]) == parts_of(graph_sketch(index))


@pytest.mark.parametrize("name", sorted(scene_sketches()))
def test_the_boxes_fill_the_area_and_do_not_overlap(name: str) -> None:
    boxes = scene_sketches()[name].boxes
    if not boxes:
        return
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    across, down = SKETCH_SIZE
    assert 0 <= left < right <= across + 1
    assert 0 <= top < bottom <= down + 1
    assert right - left >= across - 2 or bottom - top >= down - 2
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            beside = one.x + one.width <= other.x + 1 or other.x + other.width <= one.x + 1
            below = one.y + one.height <= other.y + 1 or other.y + other.height <= one.y + 1
            assert beside or below
