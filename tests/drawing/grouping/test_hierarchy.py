"""Any folding keeps every node in one box, correct counts and an acyclic graph."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.grouping.groups import FoldState, Group, Hierarchy
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.drawing.grouping.level_shortening import (
    LEAST_SAVED,
    LEAST_TIMES,
    MOST,
    find_repetitions,
)
from tests.drawing.graphs import (
    Sketch,
    assert_no_cycle,
    branches,
    chain,
    drawn,
    layered,
    recurrent,
    residual,
)


def group(hierarchy: Hierarchy, key: str) -> Group:
    return hierarchy.groups[hierarchy.groups_by_key[key]]


def children(hierarchy: Hierarchy, key: str) -> list[str]:
    return [hierarchy.groups[number].key for number in group(hierarchy, key).groups]


def test_nodes_lie_in_the_calls_that_made_them_and_leaves_with_their_users() -> None:
    index = layered(3)
    hierarchy = hierarchy_of(index)
    assert children(hierarchy, "") == ["m1"]
    assert children(hierarchy, "m1") == ["m2", "m5", "m8", "m11"]
    assert children(hierarchy, "m2") == ["m3"]
    paths = [index.module[each.call].path for each in hierarchy.around(5) if each.call]
    assert paths == ["Net", "layers.0", "layers.0.linear"]
    assert [each.key for each in hierarchy.around(1)] == ["m1"]
    counts = {key: group(hierarchy, key) for key in ("", "m1", "m2", "m3")}
    assert {key: (each.node_count, each.leaf_count) for key, each in counts.items()} == {
        "": (16, 9),
        "m1": (15, 9),
        "m2": (4, 2),
        "m3": (2, 2),
    }


def test_a_module_of_one_node_is_no_group() -> None:
    hierarchy = hierarchy_of(layered(3))
    assert "m4" not in hierarchy.groups_by_key  # layers.0.relu


def test_layers_are_a_repetition_only_if_they_are_many_and_not_alone() -> None:
    assert [each.kind for each in hierarchy_of(layered(6)).groups].count("repeat") == 0
    hierarchy = hierarchy_of(layered(12))
    (repeat,) = [each for each in hierarchy.groups if each.kind == "repeat"]
    assert (repeat.span, repeat.node_count, repeat.leaf_count) == ((1, 12, 12), 48, 24)
    assert children(hierarchy, "m1") == [repeat.key, "m38"]


def test_the_steps_of_a_loop_are_turns() -> None:
    hierarchy = hierarchy_of(recurrent(300))
    (repeat,) = [each for each in hierarchy.groups if each.kind == "repeat"]
    turns = [each for each in hierarchy.groups if each.kind == "turn"]
    assert repeat.span == (1, 300, 300)
    assert [turn.span for turn in turns] == [(n, n, 300) for n in range(1, 301)]
    assert {turn.node_count for turn in turns} == {5}


def test_a_long_chain_beside_a_custom_node_nests_in_few_levels() -> None:
    sketch = Sketch()
    last = sketch.leaf()
    for number in range(3_000):
        last = sketch.node(f"Op{number}Backward0", last)
    custom = sketch.node("CubeBackward", sketch.leaf(), kind="custom")
    sketch.node("AddBackward0", last, custom)
    index = sketch.index()
    hierarchy = hierarchy_of(index)
    assert max(len(hierarchy.around(node.id)) for node in index.trace.nodes) <= 3
    assert max(len(each.nodes) + len(each.groups) for each in hierarchy.groups) <= MOST


def test_leaves_used_all_along_a_loop_stay_in_sight() -> None:
    index = recurrent(300)
    hierarchy = hierarchy_of(index)
    leaves = [node.id for node in index.trace.nodes if node.kind == "accumulate"]
    assert [hierarchy.around(leaf) for leaf in leaves] == [(), (), ()]


def test_leaves_of_which_each_turn_has_its_own_are_hidden_with_it() -> None:
    index = residual(300)
    hierarchy = hierarchy_of(index)
    assert [each.kind for each in hierarchy.around(4)] == ["repeat", "part", "turn"]


def test_a_node_with_very_many_leaves_gets_a_box_for_them() -> None:
    sketch = Sketch()
    sketch.node("CatBackward0", *[sketch.leaf() for _ in range(5000)])
    hierarchy = hierarchy_of(sketch.index())
    (leaves,) = [each for each in hierarchy.groups if each.kind == "leaves"]
    assert (leaves.leaf_count, leaves.parent) == (5000, 0)


def test_a_call_into_which_other_nodes_come_is_two_groups() -> None:
    # As if two threads ran: neither part may be one box with what lies between them.
    sketch = Sketch()
    with sketch.module("a", "A"):
        first = sketch.node("One", sketch.node("Zero"))
        between = sketch.outside(lambda: sketch.node("Between", first))
        sketch.node("Three", sketch.node("Two", between))
    hierarchy = hierarchy_of(sketch.index())
    assert children(hierarchy, "") == ["m1", "m1.2"]
    assert group(hierarchy, "").nodes == (between,)


def test_very_deep_modules_work() -> None:
    sketch = Sketch()
    sketch.nest(3000, lambda: sketch.node("SumBackward0", sketch.node("MulBackward0")))
    hierarchy = hierarchy_of(sketch.index())
    assert len(hierarchy.around(1)) == 64


@pytest.mark.parametrize(
    "build",
    [
        partial(chain, 10_001),
        partial(branches, 1000),
        partial(recurrent, 300),
        partial(residual, 3000),
        partial(layered, 200),
    ],
    ids=["chain", "branches", "recurrent", "residual", "layers"],
)
def test_no_group_opens_into_more_than_can_be_looked_over(
    build: Callable[[], TraceIndex],
) -> None:
    index = build()
    for each in hierarchy_of(index).groups[1:]:
        assert len(each.groups) + len(each.nodes) <= 4 * MOST
        inner = [node for node in each.nodes if index.node[node].kind != "accumulate"]
        assert len(each.groups) + len(inner) <= MOST


def test_the_keys_are_the_same_each_time() -> None:
    assert hierarchy_of(layered(30)).groups_by_key == hierarchy_of(layered(30)).groups_by_key


@st.composite
def programs(draw: st.DrawFn) -> TraceIndex:
    """A random program: nodes that use some of the last ones, in modules, some of them in loops."""
    chance = draw(st.randoms(use_true_random=False))
    sketch = Sketch()
    made: list[int] = [sketch.leaf()]
    _block(sketch, chance, made, depth=0)
    if draw(st.booleans()):
        sketch.forget_modules(chance)
    return sketch.index()


def _block(sketch: Sketch, chance: random.Random, made: list[int], depth: int) -> None:
    for _ in range(chance.randrange(1, 5)):
        what = chance.choice(["node", "leaf", "module", "loop", "custom"])
        if what == "module" and depth < 4:
            with sketch.module(f"m{chance.randrange(3)}", chance.choice("AB")):
                _block(sketch, chance, made, depth + 1)
        elif what == "loop" and depth < 3:
            names = [chance.choice(["Mul", "Add", "Sin"]) for _ in range(chance.randrange(1, 4))]
            for _ in range(chance.randrange(2, 40)):
                for name in names:
                    made.append(sketch.node(name, *_some(chance, made)))
        elif what == "leaf":
            made.append(sketch.leaf())
        else:
            kind = "custom" if what == "custom" else "builtin"
            made.append(sketch.node(what, *_some(chance, made), kind=kind))


def _some(chance: random.Random, made: list[int]) -> set[int]:
    lately = [made[-chance.randrange(1, min(len(made), 6) + 1)] for _ in range(2)]
    return {*lately, chance.choice(made)} if chance.random() < 0.2 else {*lately}


@settings(max_examples=60)
@given(index=programs(), data=st.data())
def test_any_way_to_fold_any_program(index: TraceIndex, data: st.DataObject) -> None:
    hierarchy = hierarchy_of(index)
    keys = sorted(hierarchy.groups_by_key)
    opened = frozenset(data.draw(st.lists(st.sampled_from(keys), max_size=20)))
    closed = frozenset(data.draw(st.lists(st.sampled_from(keys), max_size=5)))
    folds = FoldState(opened=opened, closed=closed - opened)
    graph = drawn(index, hierarchy=hierarchy, folds=folds, limit=100_000)
    assert_nothing_is_lost(index, graph)
    assert_frames_hold_their_boxes(hierarchy, graph)
    assert_no_cycle(graph)


def assert_nothing_is_lost(index: TraceIndex, graph: DrawnGraph) -> None:
    cards = [card for card in graph.nodes if card.kind not in ("link", "leaf", "saved", "output")]
    cards += [card for card in graph.nodes if card.kind == "leaf" and card.id.startswith("n")]
    once = Counter(node for card in cards for node in card.nodes)
    assert once == Counter(list(index.node))
    folded = [card for card in graph.nodes if card.kind == "folded"]
    assert graph.folded == sum(len(card.nodes) for card in folded)
    assert all(card.group_progress == len(card.nodes) for card in folded)
    drawn = Counter(edge for line in graph.edges for edge in line.edges)
    home = {node: card.id for card in cards for node in card.nodes}
    seen = [
        edge.id
        for edge in index.trace.edges
        if home[edge.source] != home[edge.target] or home[edge.source].startswith("n")
    ]
    assert drawn == Counter(seen)


def assert_frames_hold_their_boxes(hierarchy: Hierarchy, graph: DrawnGraph) -> None:
    keys = {frame.id: frame.group for frame in graph.frames}
    for card in graph.nodes:
        if card.kind == "link" or not card.frame:
            continue
        for node in card.nodes:
            assert keys[card.frame] in [each.key for each in hierarchy.around(node)]


def called_again(times: int) -> TraceIndex:
    """One model of thirty layers in so many training steps."""
    sketch = Sketch()
    weights = [sketch.leaf() for _ in range(30)]
    for _ in range(times):
        with sketch.module("Net", "Net"):
            value = sketch.node("EmbeddingBackward0")
            for number, weight in enumerate(weights):
                with sketch.module(f"layers.{number}", "Linear"):
                    turned = sketch.node("TBackward0", weight)
                    value = sketch.node("MmBackward0", value, turned)
        sketch.node("MseLossBackward0", value)
    return sketch.index()


def test_the_leaves_of_a_model_live_in_its_first_call() -> None:
    index = called_again(3)
    hierarchy = hierarchy_of(index)
    paths = [[each.key for each in hierarchy.around(leaf)][::2] for leaf in (1, 30)]
    assert paths == [["m1", "m2"], ["m1", "m31"]]
    folds = FoldState(closed=frozenset({"m1", "m32", "m63"}))
    graph = drawn(index, hierarchy=hierarchy, folds=folds)
    assert [node.kind for node in graph.nodes].count("leaf") == 0
    cards = [node for node in graph.nodes if node.group]
    assert [card.lines[-1] for card in cards] == ["61 nodes · 30 leaves", *["61 nodes"] * 2]
    bundles = {(edge.source, len(edge.edges)) for edge in graph.edges if edge.target == "gm1"}
    assert {(card.id, 30) for card in cards[1:]} <= bundles


def test_few_leaves_that_calls_share_stay_in_sight() -> None:
    sketch = Sketch()
    weight = sketch.leaf()
    for _ in range(30):
        with sketch.module("Net", "Net"):
            value = sketch.node("MmBackward0", weight, sketch.node("TBackward0", weight))
        sketch.node("MseLossBackward0", value)
    assert hierarchy_of(sketch.index()).around(weight) == ()


def runs_in(tokens: str, lines: list[int] | None = None) -> list[tuple[int, int, int]]:
    runs = find_repetitions([ord(each) for each in tokens], lines)
    return [(run.start, run.period, run.times) for run in runs]


@pytest.mark.parametrize(
    ("tokens", "runs"),
    [
        ("", []),
        ("abcdefgh", []),
        ("aaaaaaa", [(0, 1, 7)]),
        ("aaaaaa", []),
        ("abcabcabcabc", [(0, 3, 4)]),
        ("xxabababababzz", [(2, 2, 5)]),
        ("abababab" + "cccccccccc", [(0, 2, 4), (8, 1, 10)]),
        # The inner repetition saves less than the outer one, which holds it.
        ("aaab" * 4, [(0, 4, 4)]),
        # What is left of a repetition that another one cuts is looked at again.
        ("ababababab" + "aaaaaaaaaaaaaaaaaaaa", [(0, 2, 5), (10, 1, 20)]),
    ],
)
def test_repetitions_from_left_to_right(tokens: str, runs: list[tuple[int, int, int]]) -> None:
    assert runs_in(tokens) == runs


def test_an_iteration_begins_at_the_first_source_line() -> None:
    # Line 3 ends the loop's body; the first turn lacks its first item.
    assert runs_in("bcabcabcabcabc", [2, 3, *[1, 2, 3] * 4]) == [(2, 3, 4)]


def test_without_source_lines_the_last_or_the_first_iterations_are_complete() -> None:
    assert runs_in("bcabcabcabcabc", [7] * 14) == [(2, 3, 4)]
    assert runs_in("bcabcabcabcabc", [0] * 14) == [(0, 3, 4)]


def test_ten_thousand_items_take_no_time() -> None:
    start = time.process_time()
    assert runs_in("abcdefg" * 1500) == [(0, 7, 1500)]
    assert find_repetitions(list(range(10_000))) == []
    assert time.process_time() - start < 2.0


@given(st.lists(st.integers(0, 3), max_size=80))
def test_what_is_found_is_there_and_none_overlaps_another(tokens: list[int]) -> None:
    end = 0
    for run in find_repetitions(tokens):
        assert run.start >= end
        end = run.stop
        turn = tokens[run.start : run.start + run.period]
        assert tokens[run.start : run.stop] == turn * run.times
        assert run.times >= LEAST_TIMES
        assert run.saved >= LEAST_SAVED
    assert end <= len(tokens)
