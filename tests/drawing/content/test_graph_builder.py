"""What the graph of a trace contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.content.drawn_graph import DrawnNode, TooLarge
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.model.graph import SavedSlot
from gradviz.model.item import object_item, tensor_item
from gradviz.model.step import PassBeginStep, PassEndStep
from gradviz.model.tensor import TensorValue
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.drawing.graphs import (
    Sketch,
    assert_no_cycle,
    branches,
    chain,
    drawn,
    recurrent,
    residual,
    users_of_one,
)


def test_the_linear_scene_box_by_box():
    graph = drawn(index_trace(linear_trace()))
    assert {(node.id, node.kind, node.title, node.lines) for node in graph.nodes} == {
        ("o2", "output", "L = 54", ("scalar · float64",)),
        ("n2", "builtin", "SumBackward0", ()),
        (
            "n1",
            "custom",
            "LinearFunctionBackward",
            ("custom Function", "needs grad: input ✓ · weight ✓ · bias –"),
        ),
        (
            "s1",
            "saved",
            "saved tensors",
            ("input 2×2 · argument", "weight 2×3 · argument", "bias = None"),
        ),
        ("n3", "accumulate", "AccumulateGrad", ()),
        ("n4", "accumulate", "AccumulateGrad", ()),
        ("l3", "leaf", "input", ("2×2 · float64",)),
        ("l4", "leaf", "weight", ("2×3 · float64",)),
    }
    boxes = {node.id: node for node in graph.nodes}
    tiny = boxes["l4"].thumbnail
    assert tiny is not None
    assert (tiny.tensor, tiny.rows, tiny.columns) == (2, 2, 3)
    assert boxes["s1"].tensors == (1, 2)
    assert (boxes["o2"].nodes, boxes["l3"].nodes) == ((2,), (3,))


def test_the_linear_scene_line_by_line():
    graph = drawn(index_trace(linear_trace()))
    lines = {(e.id, e.kind, e.source, e.target, e.edges, e.labels) for e in graph.edges}
    assert lines == {
        ("r2", "root", "o2", "n2", (), ("1",)),
        ("e1", "gradient", "n2", "n1", (1,), ("grad_output 2×3",)),
        ("e2", "gradient", "n1", "n3", (2,), ("grad_input 2×2",)),
        ("e3", "gradient", "n1", "n4", (3,), ("grad_weight 2×3",)),
        ("a3", "leaf", "n3", "l3", (), ()),
        ("a4", "leaf", "n4", "l4", (), ()),
        ("k1", "saved", "n1", "s1", (), ()),
    }


def test_without_a_pass_the_ends_of_the_forward_are_outputs():
    trace = linear_trace()
    trace = structs.replace(trace, steps=trace.steps[:2])
    outputs = [node for node in drawn(index_trace(trace)).nodes if node.kind == "output"]
    assert [(node.id, node.title) for node in outputs] == [("o2", "output = 54")]


def test_two_passes_from_one_root_draw_one_output():
    trace = linear_trace()
    begin = trace.steps[2]
    assert isinstance(begin, PassBeginStep)
    again = structs.replace(begin, number=9, pass_id=2)
    end = PassEndStep(number=10, started_ns=0, pass_id=2, results=())
    trace = structs.replace(trace, steps=(*trace.steps, again, end))
    assert [n.id for n in drawn(index_trace(trace)).nodes if n.kind == "output"] == ["o2"]


def test_another_output_of_the_root_has_its_own_box():
    trace = linear_trace()
    begin = trace.steps[2]
    assert isinstance(begin, PassBeginStep)
    second = structs.replace(begin.roots[0], output_nr=1)
    begin = structs.replace(begin, roots=(begin.roots[0], second))
    trace = structs.replace(trace, steps=(*trace.steps[:2], begin, *trace.steps[3:]))
    outputs = [node.id for node in drawn(index_trace(trace)).nodes if node.kind == "output"]
    assert outputs == ["o2", "o2p1"]


def test_built_in_nodes_do_not_show_what_they_saved():
    trace = linear_trace()
    slot = SavedSlot(id=4, node=2, item=tensor_item("self", 3), role="attribute", role_index=None)
    size = SavedSlot(
        id=5, node=1, item=object_item("dim", "(0,)"), role="attribute", role_index=None
    )
    index = index_trace(structs.replace(trace, saved=(*trace.saved, slot, size)))
    boxes = {node.id: node for node in drawn(index).nodes}
    assert "s2" not in boxes
    assert boxes["s1"].lines[-1] == "dim = (0,)"


def test_a_shared_leaf_is_drawn_once_for_each_user_with_one_mark():
    graph = drawn(users_of_one("accumulate", 3))
    marked = {node.id: (node.kind, node.link) for node in graph.nodes if node.link is not None}
    assert marked == {"l1": ("leaf", 1), "n1u2": ("link", 1), "n1u3": ("link", 1)}
    targets = Counter(edge.target for edge in graph.edges)
    assert max(targets.values()) == 1
    assert all(node.nodes == (1,) for node in graph.nodes if node.link is not None)


def test_two_edges_from_one_user_share_a_place():
    sketch = Sketch()
    leaf = sketch.leaf()
    sketch.node("MulBackward0", leaf, leaf)
    graph = drawn(sketch.index())
    assert [node.link for node in graph.nodes] == [None] * 3
    assert [(e.source, e.target) for e in graph.edges if e.kind == "gradient"] == [
        ("n2", "n1"),
        ("n2", "n1"),
    ]


def test_an_inner_node_becomes_links_only_where_it_is_a_hub():
    few = drawn(users_of_one("builtin", 20))
    many = drawn(users_of_one("builtin", 30))
    assert [node for node in few.nodes if node.kind == "link"] == []
    links = [node for node in many.nodes if node.kind == "link"]
    assert len(links) == 29
    assert {(node.title, node.link) for node in links} == {("TBackward0", 1)}


@pytest.mark.parametrize(
    ("build", "limit"),
    [
        (partial(chain, 10_001), 1500),
        (partial(chain, 100_000), 1500),
        (partial(branches, 1000), 1500),
        (partial(branches, 1000), 60),
        (partial(recurrent, 300), 1500),
        (partial(recurrent, 300), 40),
        (partial(residual, 3000), 1500),
        (partial(chain, 3000, kind="custom"), 1500),
    ],
    ids=["chain", "long chain", "W7", "W7 small", "W8", "W8 small", "residual", "custom"],
)
def test_large_graphs_fold_to_the_limit_and_hide_nothing_unsaid(
    build: Callable[[], TraceIndex], limit: int
):
    index = build()
    graph = drawn(index, limit=limit)
    assert len(graph.nodes) <= limit
    once = Counter(n for box in graph.nodes if box.kind != "link" for n in box.nodes)
    hidden = sum(len(box.nodes) for box in graph.nodes if box.kind == "folded")
    assert set(once) == set(index.node)
    assert set(once.values()) == {1}
    assert graph.folded == hidden > 0
    assert graph.total == len(index.node)
    assert_no_cycle(graph)


def test_a_folded_chain_says_what_repeats_and_how_often():
    graph = drawn(chain(2000))
    (group,) = [node for node in graph.nodes if node.kind == "folded"]
    assert group.title == "1,000 repetitions"
    assert group.lines == ("AddBackward0 … MulBackward0", "2,000 nodes")
    assert len(group.nodes) == group.group_progress == 2000
    assert group.nodes[0] == 2001
    assert group.inside == ("AddBackward0", "MulBackward0")


def test_only_a_folded_graph_does_not_show_how_a_leaf_accumulates():
    small, folded = drawn(chain(79)), drawn(chain(80))
    assert (small.folded, len(small.nodes), folded.folded) == (0, 81, 80)
    assert {node.kind for node in small.nodes} == {"leaf", "accumulate", "builtin"}
    assert {node.id: node.kind for node in folded.nodes} == {"n1": "leaf", "gr2n80": "folded"}


def test_several_gradients_into_a_group_are_one_line_that_counts_them():
    sketch = Sketch()
    first = sketch.node("A")
    with sketch.module("Net", "Net"):
        inner = [sketch.node("MulBackward0", first) for _ in range(90)]
    sketch.node("StackBackward0", *inner)
    index = sketch.index()
    graph = drawn(index, folds=FoldState(closed=frozenset({"m1"})))
    bundles = {edge.id: (edge.source, edge.target, len(edge.edges)) for edge in graph.edges}
    assert bundles == {"e1": ("gm1", "n1", 90), "e91": ("n92", "gm1", 90)}


def test_opening_too_many_groups_is_refused():
    index = chain(10_001)
    hierarchy = hierarchy_of(index)
    found = drawn_graph(
        index, hierarchy=hierarchy, folds=FoldState(opened=frozenset(hierarchy.groups_by_key))
    )
    assert isinstance(found, TooLarge)
    assert (found.count, found.limit) == (10_002, 1500)
    assert found.sentence == (
        "The graph has 10,002 nodes and needs 10,002 boxes after folding; at most 1,500 can be"
        " drawn."
    )


def test_a_graph_with_a_cycle_is_drawn_without_hanging():
    sketch = Sketch()
    first = sketch.node("A")
    second = sketch.node("B", first)
    sketch.edge(first, second)
    sketch.edge(first, first)
    assert len(drawn(sketch.index()).nodes) == 2
    drawn_graph(sketch.index(), limit=1)


def test_a_namespace_of_torch_is_no_part_of_a_name():
    trace = linear_trace()
    nodes = [structs.replace(node, name="torch::autograd::AccumulateGrad") for node in trace.nodes]
    graph = drawn(index_trace(structs.replace(trace, nodes=tuple(nodes))))
    assert {node.id: node.title for node in graph.nodes}["n3"] == "AccumulateGrad"


def test_only_tensors_of_few_elements_are_read():
    trace = linear_trace()
    pairs = (tensor(1, np.zeros((5, 4))), *LINEAR_TENSORS[1:])
    tensors = tuple(structs.replace(record, statistics=None) for record, _ in pairs)
    values = {record.id: value for record, value in pairs}
    asked: list[int] = []

    def read(number: int) -> TensorValue:
        asked.append(number)
        return values[number]

    index = index_trace(structs.replace(trace, tensors=tensors), read, blobs=lambda numbers: ())
    graph = drawn(index)
    assert "L = 54" in {node.title for node in graph.nodes}
    assert {4, 5} <= set(asked)
    assert 1 not in asked


def test_a_leaf_keeps_its_values_if_only_its_transpose_was_recorded_too():
    trace = linear_trace()
    record, value = tensor(9, [[0.0, 2.0], [1.0, 3.0]], storage=1)
    values = {each.id: data for each, data in (*LINEAR_TENSORS, (record, value))}

    def leaf(strides: tuple[int, int]) -> DrawnNode:
        other = structs.replace(record, strides=strides)
        changed = structs.replace(trace, tensors=(*trace.tensors, other))
        index = index_trace(changed, values.__getitem__, blobs=lambda numbers: ())
        return next(node for node in drawn(index).nodes if node.id == "l3")

    assert leaf((1, 2)).thumbnail is not None
    assert leaf((2, 1)).thumbnail is None


def test_tiny_gradients_are_drawn_beside_their_labels():
    edges = {edge.id: edge for edge in drawn(index_trace(linear_trace())).edges}
    cells = {
        id: [(tiny.rows, tiny.columns) for tiny in edge.gradients] for id, edge in edges.items()
    }
    assert {id: each for id, each in cells.items() if each} == {
        "e1": [(2, 3)],
        "e2": [(2, 2)],
        "e3": [(2, 3)],
    }


def test_second_order_nodes_have_their_order():
    trace = linear_trace()
    nodes = (structs.replace(trace.nodes[0], made_by=2), *trace.nodes[1:])
    graph = drawn(index_trace(structs.replace(trace, nodes=nodes)))
    assert [node.id for node in graph.nodes if node.order == 2] == ["n1"]
