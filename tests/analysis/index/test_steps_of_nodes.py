"""What the index knows of nodes: steps, orders of derivatives, values that are not finite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index import non_finite_flags
from gradviz.analysis.index.node_steps import (
    execution_step,
    next_step_of,
    received_gradients,
    sending_steps,
)
from gradviz.analysis.index.non_finite_flags import NonFiniteFlags, blobs_of
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.columns import INFINITIES, NANS, tensor_columns
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.validation.trace_rules import validate
from gradviz.text.narration import describe_position
from tests.builders import linear_trace, tensor
from tests.second_order_builder import CUBE, SUM, TWICE, cube_index, cube_trace

# Steps and gradients of individual nodes.


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


# Derivative orders of nodes and passes, computed from what created them.


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


# Checking many tensors at once gives the same result as checking each one.


NAN, INF = float("nan"), float("inf")
ARRAYS: list[Any] = [
    [1.0, 2.0],
    [NAN, 1.0],
    [],
    3,
    [[INF, -INF], [0.0, NAN]],
    True,
    -INF,
    [0.0],
    1e308,
]
EXPECTED = {2: NANS, 5: NANS | INFINITIES, 7: INFINITIES}


def whole(number: int, value: Any) -> tuple[TensorRecord, TensorValue]:
    """A tensor as recorded: statistics are left to the reader."""
    record, kept = tensor(number, value)
    return replace(record, statistics=None), kept


PAIRS = [whole(number, array) for number, array in enumerate(ARRAYS, 1)]


class Asked:
    """Reads tensors and logs the requested ids."""

    def __init__(self, pairs: Sequence[tuple[TensorRecord, TensorValue]]) -> None:
        self._values = {record.id: value for record, value in pairs}
        self.numbers: list[int] = []

    def value(self, number: int) -> TensorValue | None:
        self.numbers.append(number)
        return self._values.get(number)

    def blobs(self, numbers: Sequence[int]) -> Iterable[tuple[int, bytes]]:
        """Like the reader, it also returns the tensors between the requested ones."""
        for number in range(numbers[0], numbers[-1] + 1):
            if number in self._values:
                self.numbers.append(number)
                yield number, self._values[number].data


def finite_of(pairs: Sequence[tuple[TensorRecord, TensorValue]], asked: Asked) -> NonFiniteFlags:
    return NonFiniteFlags(tensor_columns([record for record, _ in pairs]), asked.blobs)


@pytest.mark.parametrize("at_once", [1, 2, 3, 1000])
def test_what_is_not_finite_is_found(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(non_finite_flags, "_AT_ONCE", at_once)
    found = finite_of(PAIRS, Asked(PAIRS))
    assert found.not_finite() == {}
    assert found.look()
    assert found.not_finite() == EXPECTED
    assert found.look()
    each = {
        record.id: statistics_of(value.array())
        for record, value in PAIRS
        if not statistics_of(value.array()).all_finite
    }
    assert found.not_finite() == {
        number: (NANS if known.nans else 0) | (INFINITIES if known.infinities else 0)
        for number, known in each.items()
    }


def test_tensors_with_statistics_are_not_read() -> None:
    pairs = [tensor(number, array) for number, array in enumerate(ARRAYS, 1)]
    asked = Asked(pairs)
    found = finite_of(pairs, asked)
    assert found.not_finite() == EXPECTED
    assert found.look()
    assert asked.numbers == []


def test_values_are_read_one_by_one_where_need_be() -> None:
    asked = Asked(PAIRS)
    found = NonFiniteFlags(tensor_columns([record for record, _ in PAIRS]), blobs_of(asked.value))
    assert found.look()
    assert found.not_finite() == EXPECTED
    assert asked.numbers == [1, 2, 3, 5, 7, 8, 9]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "complex64", "complex128"])
def test_each_dtype_is_looked_into(dtype: str) -> None:
    values = {1: [0.0, 1.0], 2: [NAN, 1.0], 3: [1.0, INF]}
    pairs = []
    for number, value in values.items():
        array = np.array(value, dtype)
        record, _ = whole(number, value)
        record = replace(record, dtype=dtype)
        pairs.append((record, TensorValue(dtype=dtype, shape=(2,), data=array.tobytes())))
    found = finite_of(pairs, Asked(pairs))
    found.look()
    assert found.not_finite() == {2: NANS, 3: INFINITIES}


def test_it_stops_after_enough_bytes_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(non_finite_flags, "_MOST_BYTES", 20)
    asked = Asked(PAIRS)
    found = finite_of(PAIRS, asked)
    assert not found.look(most=1)
    assert found.not_finite() == {2: NANS}
    assert asked.numbers == [1, 2]
    assert found.look()
    assert found.not_finite() == EXPECTED


def test_it_stops_when_cancelled() -> None:
    found = finite_of(PAIRS, Asked(PAIRS))
    assert not found.look(cancelled=lambda: True)
    assert found.not_finite() == {}


def test_damaged_elements_are_reported_by_their_view() -> None:
    asked = Asked(PAIRS)
    damaged = [(record, replace(value, data=value.data[:-1])) for record, value in PAIRS[:2]]
    found = finite_of(PAIRS, Asked([*damaged, *PAIRS[4:]]))
    assert found.look()
    assert found.not_finite() == {number: flags for number, flags in EXPECTED.items() if number > 2}
    assert asked.numbers == []
