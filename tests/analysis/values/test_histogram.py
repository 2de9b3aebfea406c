"""Histograms count every element once, like NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from gradviz.analysis.values.histogram import MOST_BINS, histogram_of

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
