"""Derivative orders of nodes and passes, computed from what created them."""

from __future__ import annotations

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.validation.trace_rules import validate
from gradviz.text.narration import describe_position
from tests.builders import linear_trace
from tests.second_order_builder import CUBE, SUM, TWICE, cube_index, cube_trace


def test_a_run_that_is_differentiated_once_is_of_the_first_order() -> None:
    index = index_trace(linear_trace())
    assert index.orders.of_pass(1) == 1
    assert {index.orders.of_node(node.id) for node in index.trace.nodes} == {1}
    assert index.orders.passes == {}


def test_what_a_backward_makes_is_one_higher_and_so_is_its_pass() -> None:
    assert validate(cube_trace()) == []
    orders = cube_index().orders
    assert [orders.of_node(node) for node in (CUBE, TWICE, SUM)] == [1, 2, 2]
    assert [orders.of_pass(each) for each in (1, 2)] == [1, 2]
    assert orders.sources == {2: (1,)}


def test_an_older_trace_knows_only_the_producer() -> None:
    trace = cube_trace()
    nodes = tuple([replace(node, made_in=None) for node in trace.nodes])
    orders = index_trace(replace(trace, nodes=nodes)).orders
    assert [orders.of_node(node) for node in (CUBE, TWICE, SUM)] == [1, 2, 2]
    assert orders.of_pass(2) == 2


def test_the_beginning_of_a_pass_says_what_it_differentiates() -> None:
    index = cube_index()
    assert "derivative" not in describe_position(index, TracePosition(step=3), "node")
    expected = (
        "It differentiates the gradients from backward pass 1, which gives a second derivative."
    )
    assert expected in describe_position(index, TracePosition(step=7), "node")
    assert expected in describe_position(index, TracePosition(step=7), "pass")


def test_the_cut_and_its_effect_are_described() -> None:
    index = cube_index()
    assert describe_position(index, TracePosition(step=5), "node").endswith(
        "Part of the gradient for x has no history because forward saved dx, which "
        "autograd treats as constant, so that part will be missing from a second derivative."
    )
    assert describe_position(index, TracePosition(step=10), "node").endswith(
        "Part of the result is missing: part of the gradient for x was cut off from its "
        "history at step 5."
    )
    assert "missing" not in describe_position(index, TracePosition(step=6), "node")
