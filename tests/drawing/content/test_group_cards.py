"""Texts of group cards: module paths, class names and exact counts."""

from __future__ import annotations

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.content.drawn_graph import DrawnGraph, DrawnNode
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.group_cards import place_in_group, range_of
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.model.step import PassBeginStep
from tests.drawing.graphs import Sketch, layered, recurrent, with_backward


def drawn(
    index: TraceIndex, *, opened: tuple[str, ...] = (), closed: tuple[str, ...] = ()
) -> DrawnGraph:
    folds = FoldState(opened=frozenset(opened), closed=frozenset(closed))
    graph = drawn_graph(index, folds=folds)
    assert isinstance(graph, DrawnGraph)
    return graph


def only_group(graph: DrawnGraph) -> DrawnNode:
    (found,) = [node for node in graph.nodes if node.group]
    return found


def key_of(index: TraceIndex, kind: str) -> str:
    return next(group.key for group in hierarchy_of(index).groups if group.kind == kind)


def test_a_module_is_its_path_and_its_class() -> None:
    index = layered(24)
    cards = {node.title: node for node in drawn(index).nodes if node.group}
    assert cards["layers.3"].lines == ("Layer", "4 nodes · 2 leaves")
    assert cards["layers.3"].inside == ("AddBackward0", "ReluBackward0", "linear · Linear")
    assert cards["layers.3"].group_progress == 6


def test_the_outermost_module_does_not_say_its_class_twice() -> None:
    index = layered(24)
    whole = only_group(drawn(index, closed=("m1",)))
    assert (whole.title, whole.lines) == ("Net", ("99 nodes · 51 leaves",))
    assert whole.inside == ("head · Linear", "layers.0–23", "EmbeddingBackward0", "weight")


def test_a_place_in_a_group_is_a_path_below_its_title() -> None:
    index = layered(24)
    layers = only_group(drawn(index, closed=(key_of(index, "repeat"),)))
    inner, outer = (
        [n for n in index.node if index.node[n].name == f"{name}Backward0"][13]
        for name in ("Addmm", "Add")
    )
    assert place_in_group(index, layers, inner) == "13.linear"
    # Its number alone would say nothing.
    assert place_in_group(index, layers, outer) == "layers.13"
    layer = next(node for node in drawn(index).nodes if node.title == "layers.13")
    assert place_in_group(index, layer, inner) == "linear"
    assert place_in_group(index, layer, outer) == ""


def test_many_modules_are_a_range_and_a_number() -> None:
    index = layered(24)
    layers = next(
        node for node in drawn(index, closed=(key_of(index, "repeat"),)).nodes if node.group
    )
    assert (layers.title, layers.lines) == (
        "layers.0–23",
        ("24 × Layer", "96 nodes · 48 leaves"),
    )


def test_so_many_modules_that_they_are_shown_in_parts() -> None:
    index = layered(120)
    parts = [
        (node.title, node.lines)
        for node in drawn(index, opened=(key_of(index, "repeat"),)).nodes
        if node.group and node.title.startswith("layers")
    ]
    assert parts == [
        ("layers.0–49", ("50 × Layer", "1–50 of 120", "200 nodes · 100 leaves")),
        ("layers.50–99", ("50 × Layer", "51–100 of 120", "200 nodes · 100 leaves")),
        ("layers.100–119", ("20 × Layer", "101–120 of 120", "80 nodes · 40 leaves")),
    ]


def test_the_frame_of_a_model_says_what_repeats_in_it() -> None:
    sketch = Sketch()
    value = sketch.leaf()
    with sketch.module("encoder", "Encoder"):
        for number in range(12):
            with sketch.module(f"layers.{number}", "Layer"):
                value = sketch.node("TanhBackward0", sketch.node("MmBackward0", value))
    frame, *_ = drawn(sketch.index(), opened=("m1",)).frames
    assert (frame.title, frame.line) == ("encoder", "12 × Layer")


def test_one_module_called_often_is_not_many_modules() -> None:
    sketch = Sketch()
    leaf = sketch.leaf()
    value = leaf
    for _ in range(60):
        with sketch.module("cell", "RNNCell"):
            value = sketch.node("TanhBackward0", sketch.node("MmBackward0", value, leaf))
    sketch.node("SumBackward0", value)
    index = sketch.index()
    group = only_group(drawn(index))
    assert (group.title, group.lines) == ("cell", ("RNNCell, called 60 times", "120 nodes"))
    parts = [node.group for node in drawn(index, opened=(group.group,)).nodes if node.group]
    opened = drawn(index, opened=(group.group, *parts))
    calls = {node.lines[1] for node in opened.nodes if node.title == "cell"}
    assert calls == {f"repetition {number} of 60" for number in range(1, 61)}


def test_two_modules_called_in_turns_are_two_modules() -> None:
    sketch = Sketch()
    value = sketch.leaf()
    for number in range(60):
        with sketch.module("abc"[number % 3], "Linear"):
            value = sketch.node("MulBackward0", sketch.node("AddBackward0", value))
    group = only_group(drawn(sketch.index(), closed=("r2n120",)))
    assert group.lines[0] == "Linear: 60 calls to 3 modules"


def test_a_chain_of_one_operation_is_its_name_and_number() -> None:
    sketch = Sketch()
    value = sketch.leaf()
    for _ in range(2000):
        value = sketch.node("MulBackward0", value)
    sketch.node("SumBackward0", value)
    index = sketch.index()
    group = only_group(drawn(index))
    assert (group.title, group.lines) == ("MulBackward0 × 2,000", ())
    opened = drawn(index, opened=(group.group,))
    (first, *_, last) = [node for node in opened.nodes if node.group]
    assert (first.title, first.lines) == ("MulBackward0, 1–50 of 2,000", ())
    assert last.title == "MulBackward0, 1,951–2,000 of 2,000"
    assert [frame.title for frame in opened.frames] == ["MulBackward0 × 2,000"]


def test_a_loop_of_several_operations_is_turns() -> None:
    index = recurrent(300)
    group = only_group(drawn(index))
    assert (group.title, group.lines) == (
        "300 repetitions",
        ("TanhBackward0 … MmBackward0", "1,500 nodes"),
    )
    opened = drawn(index, opened=(group.group, "p4n250"))
    titles = [node.title for node in opened.nodes if node.group]
    assert "repetition 7 of 300" in titles
    assert "repetitions 51–100 of 300" in titles


def test_parts_of_something_are_their_ends() -> None:
    sketch = Sketch()
    value = sketch.leaf()
    for number in range(200):
        value = sketch.node(f"Op{number}Backward0", value)
    groups = [node for node in drawn(sketch.index()).nodes if node.group]
    assert [(group.title, group.lines[-1]) for group in groups] == [
        ("Op49Backward0 … Op0Backward0", "50 nodes"),
        ("Op99Backward0 … Op50Backward0", "50 nodes"),
        ("Op149Backward0 … Op100Backward0", "50 nodes"),
        ("Op199Backward0 … Op150Backward0", "50 nodes"),
    ]


def test_parts_of_a_call_say_which_they_are() -> None:
    sketch = Sketch()
    with sketch.module("a", "A"):
        first = sketch.node("One", sketch.node("Zero"))
        between = sketch.outside(lambda: sketch.node("Between", first))
        sketch.node("Three", sketch.node("Two", between))
    cards = [n for n in drawn(sketch.index(), closed=("m1", "m1.2")).nodes if n.group]
    assert [card.lines[:2] for card in cards] == [
        ("A", "part 1 of this call"),
        ("A", "part 2 of this call"),
    ]


def test_hostile_names_are_short_plain_text() -> None:
    sketch = Sketch()
    with sketch.module('<b>"];\x1b[31m' * 40, "<i>" * 40):
        sketch.node("Mul", sketch.node("Add"))
    card = only_group(drawn(sketch.index(), closed=("m1",)))
    assert all(len(text) <= 44 and text.isprintable() for text in (card.title, *card.lines))


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        (["a"], "a"),
        (["a", "a"], "a"),
        (["l.0", "l.1", "l.2"], "l.0–2"),
        (["l.9.x", "l.10.x", "l.11.x"], "l.9–11.x"),
        (["l.0", "l.2", "l.4"], "l.0 … l.4"),
        (["l[9]", "l[10]"], "l[9–10]"),
        (["0.x", "1.x"], "0–1.x"),
        (["l1", "l2"], "l1 … l2"),
        (["l.0", "m.1"], "l.0 … m.1"),
        (["l.2", "l.1", "l.0"], "l.2 … l.0"),
        (["l.0", "l.1.x"], "l.0 … l.1.x"),
        (["l.٣", "l.٤"], "l.٣ … l.٤"),
    ],
)
def test_ranges_of_paths(paths: list[str], text: str) -> None:
    assert range_of(paths) == text


def test_outputs_of_a_folded_group_without_a_card_are_counted() -> None:
    index = with_backward(layered(24))
    begin = index.trace.steps[index.passes[0].first - 1]
    assert isinstance(begin, PassBeginStep)
    adds = [node for node in index.node if index.node[node].name == "AddBackward0"][:10]
    roots = tuple(structs.replace(begin.roots[0], node=node) for node in adds)
    steps = tuple(
        structs.replace(begin, roots=roots) if step is begin else step for step in index.trace.steps
    )
    index = index_trace(structs.replace(index.trace, steps=steps))
    graph = drawn(index, closed=(key_of(index, "repeat"),))
    layers = next(node for node in graph.nodes if node.title == "layers.0–23")
    assert layers.lines[-1] == "6 more outputs"
    outputs = [edge.target for edge in graph.edges if edge.kind == "root"]
    assert outputs == [layers.id] * 4
