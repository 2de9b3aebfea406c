"""Which groups are open at first: few enough to read, and all that matter."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.content.graph_builder import overview_details
from gradviz.drawing.content.node_problems import NodeProblems
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.drawing.grouping.open_groups import MOST_READABLE_BOXES, SMALL_GRAPH, BoxCounts
from gradviz.model.finding import Finding
from tests.drawing.graphs import (
    Sketch,
    branches,
    chain,
    drawn,
    layered,
    recurrent,
    residual,
    residual_net,
    users_of_one,
)


@pytest.mark.parametrize(
    "build",
    [
        partial(chain, 10_001),
        partial(branches, 1000),
        partial(recurrent, 300),
        partial(residual, 3000),
        partial(layered, 12 * 8),
        partial(layered, 400),
        partial(residual_net, 16),
        partial(users_of_one, "accumulate", 300),
        partial(users_of_one, "builtin", 300),
        partial(chain, 3000, kind="custom"),
    ],
)
def test_the_first_picture_can_be_read(build: Callable[[], TraceIndex]) -> None:
    assert 1 < len(drawn(build()).nodes) <= MOST_READABLE_BOXES


def test_groups_of_one_kind_are_open_together_or_not_at_all() -> None:
    graph = drawn(residual_net(16))
    blocks = [node for node in graph.nodes if node.group and node.lines[0] == "Bottleneck"]
    assert len(blocks) == 16
    # The stem has room to be shown from inside.
    assert {"0", "1"} <= {frame.title for frame in graph.frames}


def test_a_custom_function_is_always_shown() -> None:
    sketch = Sketch()
    value = sketch.leaf()
    for number in range(30):
        with sketch.module(f"layers.{number}", "Layer"), sketch.module("inner", "Inner"):
            value = sketch.node("MulBackward0", sketch.node("AddBackward0", value))
            if number == 17:
                mine = sketch.node("MineBackward", value, kind="custom")
                value = mine
    graph = drawn(sketch.index())
    assert f"n{mine}" in {node.id for node in graph.nodes}
    assert len([frame for frame in graph.frames if frame.title.startswith("layers.17")]) == 1


def test_so_many_custom_functions_that_they_fold_like_all_others() -> None:
    assert len(drawn(chain(3000, kind="custom")).nodes) < 10


def test_what_went_wrong_first_is_shown() -> None:
    index = layered(60)
    wrong = [node for node in index.node if index.node[node].name == "ReluBackward0"][40]
    finding = Finding(id=1, code="x", severity="error", message="m", step=None, node=wrong)
    graph = drawn(index_trace(structs.replace(index.trace, findings=(finding,))))
    (card,) = [node for node in graph.nodes if node.problem]
    assert (card.id, card.problem) == (f"n{wrong}", "error")


def test_manually_closed_and_opened_groups_stay_so() -> None:
    index = layered(40)
    graph = drawn(index, FoldState(opened=frozenset({"m5"}), closed=frozenset({"m122"})))
    cards = {node.title for node in graph.nodes if node.group}
    assert "head" in cards
    # In a closed group nothing is open, whatever was opened there before.
    assert "layers.1.linear" not in cards
    (repeat,) = [group for group in hierarchy_of(index).groups if group.kind == "repeat"]
    keys = frozenset({repeat.key, "m5"})
    assert "layers.1.linear" in {node.title for node in drawn(index, FoldState(opened=keys)).nodes}


def test_a_small_graph_has_frames_of_modules_only() -> None:
    assert [frame.title for frame in drawn(chain(60)).frames] == []
    frames = [frame.title for frame in drawn(layered(8)).frames]
    assert frames[0] == "Net"
    assert {f"layers.{n}.linear" for n in range(8)} < set(frames)


def test_an_overview_folds_small_graphs_too_but_not_to_a_single_box() -> None:
    index = layered(8)
    details = overview_details(index, hierarchy_of(index), FoldState(), NodeProblems(of={}))
    graphs = [drawn(index, detail=detail) for detail in details]
    counts = [len(graph.nodes) for graph in graphs]
    # The last resort has the same boxes, but smaller ones.
    assert graphs[-1].detail.brief
    assert counts.pop() == counts[-1]
    assert counts == sorted(set(counts), reverse=True)
    assert counts[0] > 20
    last = {node.title for node in graphs[-1].nodes}
    assert {"layers.0–7", "head"} <= last
    assert not any(edge.labels for graph in graphs for edge in graph.edges)


@pytest.mark.parametrize("index", [layered(30), residual_net(16), recurrent(60), branches(70)])
def test_sizes_are_what_is_drawn(index: TraceIndex) -> None:
    hierarchy = hierarchy_of(index)
    sizes = BoxCounts(index, hierarchy)
    assert sizes.whole > SMALL_GRAPH
    whole = hierarchy.groups[0]
    closed = frozenset(hierarchy.groups[number].key for number in whole.groups)
    assert sizes.opened(whole) == len(drawn(index, FoldState(closed=closed)).nodes)
    opened = drawn(index, FoldState(opened=frozenset(hierarchy.groups_by_key)))
    assert sizes.whole == len(opened.nodes)
