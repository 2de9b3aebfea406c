"""Values of tensors: histograms, and what is not finite."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.values.histogram import MOST_BINS, histogram_of
from gradviz.analysis.values.non_finite_tensors import NonFiniteTensor, find_non_finite
from gradviz.model.inside import Inside, Op
from gradviz.model.item import Item, tensor_item
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.inside_builder import op, part
from tests.viewer.traces import MemoryReader

# Histograms count every element once, like NumPy's.


_LARGEST = float(np.finfo(np.float64).max)

FLOATS = arrays(
    st.sampled_from([np.float64, np.float32, np.float16]),
    array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7),
)


@given(FLOATS)
def test_every_element_is_counted_once(values: np.ndarray) -> None:
    found = histogram_of(values)
    assert found.total == values.size
    finite = values[np.isfinite(values)].astype(np.float64)
    assert sum(found.counts) == finite.size
    assert found.nans == np.isnan(values).sum()
    assert len(found.edges) == (len(found.counts) + 1 if finite.size else 0)
    assert list(found.edges) == sorted(found.edges)


@pytest.mark.parametrize("low", [0.0, -1.0, -_LARGEST, 5e-324, _LARGEST / 2])
def test_bins_reach_the_largest_float(low: float) -> None:
    found = histogram_of(np.array([low] + [_LARGEST] * 90))
    assert (found.edges[0], found.edges[-1]) == (low, _LARGEST)
    assert (found.counts[0], found.counts[-1]) == (1, 90)


def test_counts_are_those_of_numpy() -> None:
    values = np.random.default_rng(0).normal(size=(40, 25))
    found = histogram_of(values)
    counts, edges = np.histogram(values, bins=len(found.counts))
    assert found.counts == tuple(counts)
    assert found.edges == tuple(edges)
    assert len(found.counts) <= MOST_BINS


def test_infinities_and_nan_are_counted_apart() -> None:
    found = histogram_of(np.array([1.0, 2.0, np.nan, np.inf, np.inf, -np.inf]))
    assert (found.nans, found.positive_infinities, found.negative_infinities) == (1, 2, 1)
    assert sum(found.counts) == 2


@pytest.mark.parametrize(
    ("values", "edges", "counts"),
    [
        (np.array([3, 5, 5]), (2.5, 3.5, 4.5, 5.5), (1, 0, 2)),
        (np.array([True, False, True]), (-0.5, 0.5, 1.5), (1, 2)),
        (np.array(7), (6.5, 7.5), (1,)),
    ],
)
def test_few_integers_have_a_bin_each(
    values: np.ndarray, edges: tuple[float, ...], counts: tuple[int, ...]
) -> None:
    found = histogram_of(values)
    assert (found.edges, found.counts, found.whole) == (edges, counts, True)


def test_many_integers_share_bins() -> None:
    found = histogram_of(np.arange(1000))
    assert not found.whole
    assert sum(found.counts) == 1000


def test_the_largest_floats_fit() -> None:
    most = np.finfo(np.float64).max
    found = histogram_of(np.array([-most, 0.0, most]))
    assert sum(found.counts) == 3
    assert found.edges[0] == -most
    assert found.edges[-1] == most


def test_a_value_finds_its_bin() -> None:
    found = histogram_of(np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    for value in (0.0, 0.6, 2.0, 4.0):
        place = found.bin_of(value)
        assert place is not None
        assert found.edges[place] <= value <= found.edges[place + 1]
    assert found.bin_of(5.0) is None
    assert found.bin_of(float("nan")) is None
    assert histogram_of(np.empty(0)).bin_of(0.0) is None


# Non-finite values are found once, where they first appear.


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
