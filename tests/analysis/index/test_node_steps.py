"""Steps and gradients of individual nodes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.node_steps import (
    execution_step,
    next_step_of,
    received_gradients,
    sending_steps,
)
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from tests.builders import linear_trace


@pytest.fixture(scope="module")
def index() -> TraceIndex:
    return index_trace(linear_trace())


@pytest.mark.parametrize(
    ("node", "number", "wanted"),
    [(1, 1, 5), (1, 5, 1), (1, 8, 1), (3, 1, 6), (3, 6, 6), (2, 0, 2)],
)
def test_the_next_step(index: TraceIndex, node: int, number: int, wanted: int) -> None:
    assert next_step_of(index, node, number) == wanted


def test_a_node_that_no_step_is_about(index: TraceIndex) -> None:
    alone = index_trace(replace(index.trace, steps=()))
    assert next_step_of(alone, 1, 0) is None
    assert execution_step(alone, 1, 1) is None
    assert received_gradients(alone, 1, 1) == ()
    assert sending_steps(alone, 1, 1) == ()


@pytest.mark.parametrize(
    ("node", "number", "names"),
    [
        (1, 4, ()),
        (1, 5, ("grad_output",)),
        (1, 8, ("grad_output",)),
        (1, 1, ()),
        (3, 6, ("input",)),
    ],
)
def test_what_was_received(
    index: TraceIndex, node: int, number: int, names: tuple[str, ...]
) -> None:
    assert tuple(item.name for item in received_gradients(index, node, number)) == names


@pytest.mark.parametrize(("node", "wanted"), [(2, (3,)), (1, (4,)), (3, (5,)), (4, (5,))])
@pytest.mark.parametrize("number", [1, 8])
def test_who_sent_it(index: TraceIndex, node: int, wanted: tuple[int, ...], number: int) -> None:
    assert sending_steps(index, node, number) == wanted
