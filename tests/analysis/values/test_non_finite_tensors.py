"""Non-finite values are found once, where they first appear."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.values.non_finite_tensors import NonFiniteTensor, find_non_finite
from gradviz.model.inside import Inside, Op
from gradviz.model.item import Item, tensor_item
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.inside_builder import op, part
from tests.viewer.traces import MemoryReader


def reader_with(*pairs: tuple[object, object]) -> MemoryReader:
    changed = {record.id: (record, value) for record, value in (*LINEAR_TENSORS, *pairs)}  # type: ignore[attr-defined]
    return MemoryReader(linear_trace(), tuple(changed.values()))


def test_a_finite_run_has_none() -> None:
    reader = reader_with()
    assert find_non_finite(index_trace(reader.trace(), reader.value)) == ()


def test_each_is_reported_where_the_run_first_has_it() -> None:
    reader = reader_with(
        tensor(6, [[1.0, np.inf, 1.0], [1.0, 1.0, -np.inf]]), tensor(8, [[np.nan] * 3, [0.0] * 3])
    )
    assert find_non_finite(index_trace(reader.trace(), reader.value)) == (
        # Tensor 6 is passed on in step 4 and arrives in step 5; 8 is returned in 5, added in 7.
        NonFiniteTensor(step=4, name="self", tensor=6, nans=0, infinities=2, reaches=7),
        NonFiniteTensor(step=5, name="weight", tensor=8, nans=3, infinities=0, reaches=7),
    )


def with_ops(*ops: Op) -> MemoryReader:
    """The first step has ops that belong to no step."""
    inside = Inside(id=1, parts=(part("forward", ops=ops),))
    trace = replace(linear_trace(), insides=(inside,))
    extra = (tensor(11, [np.nan, 2.0]), tensor(12, [np.nan, 4.0]))
    return MemoryReader(trace, (*LINEAR_TENSORS, *extra))


def outputs(number: int) -> tuple[Item, ...]:
    return (tensor_item("output", number),)


def test_a_masked_value_is_reported_at_the_op_that_created_it() -> None:
    reader = with_ops(
        op("aten::sqrt", outputs(1), outputs(11)),
        op("aten::mul", outputs(11), outputs(12)),
        op("aten::nan_to_num", outputs(12), outputs(2)),
    )
    assert find_non_finite(index_trace(reader.trace(), reader.value)) == (
        NonFiniteTensor(
            step=1,
            name="the output of aten::sqrt",
            tensor=11,
            nans=1,
            infinities=0,
            reaches=None,
        ),
    )


def test_a_masked_infinity_is_reported_next_to_a_nan_of_the_step() -> None:
    """``log([-0.5, 0])`` has both; ``exp`` of it passes on only the NaN."""
    inside = Inside(
        id=1,
        parts=(
            part(
                "forward",
                ops=(
                    op("aten::log", outputs(1), outputs(11)),
                    op("aten::exp", outputs(11), outputs(3)),
                ),
            ),
        ),
    )
    trace = replace(linear_trace(), insides=(inside,))
    changed = {record.id: (record, value) for record, value in LINEAR_TENSORS}
    for record, value in (tensor(11, [np.nan, -np.inf]), tensor(3, [np.nan, 0.0])):
        changed[record.id] = (record, value)
    reader = MemoryReader(trace, tuple(changed.values()))
    found = find_non_finite(index_trace(reader.trace(), reader.value))
    first = [each for each in found if each.step == 1]
    assert (
        NonFiniteTensor(step=1, name="output", tensor=3, nans=1, infinities=0, reaches=None)
        in first
    )
    log = NonFiniteTensor(
        step=1, name="the output of aten::log", tensor=11, nans=0, infinities=1, reaches=None
    )
    assert log in first
    assert len(first) == 2


def test_an_op_that_hands_it_on_is_not_reported() -> None:
    reader = with_ops(op("aten::mul", outputs(11), outputs(12)))
    assert find_non_finite(index_trace(reader.trace(), reader.value)) == ()


def test_a_cancelled_search_ends() -> None:
    reader = reader_with(tensor(8, [[np.nan] * 3, [0.0] * 3]))
    index = index_trace(reader.trace(), reader.value)
    assert find_non_finite(index, lambda: True) == ()
    assert len(find_non_finite(index)) == 1


def test_what_is_too_large_to_count_is_reported_without_a_number() -> None:
    record, value = tensor(8, [[np.nan] * 3, [0.0] * 3])
    reader = reader_with((replace(record, statistics=None), value))
    index = index_trace(reader.trace(), reader.value)
    index.tensor.set_compute_limit(8)
    assert find_non_finite(index) == (
        NonFiniteTensor(step=5, name="weight", tensor=8, nans=None, infinities=0, reaches=7),
    )
