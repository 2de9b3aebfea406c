"""The distance between two tensors, compared with NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from msgspec import structs

from gradviz.analysis.compare.tensor_difference import TensorDifference, compare_tensors
from tests.builders import tensor

FLOATS = hnp.arrays(
    np.float64, (2, 3), elements=st.floats(allow_nan=True, allow_infinity=True, width=64)
)


def apart(left: object, right: object) -> TensorDifference:
    """Compare two arrays as stored."""
    one, other = tensor(1, np.asarray(left)), tensor(2, np.asarray(right))
    return compare_tensors(one[0], other[0], one[1], other[1])


@given(FLOATS)
def test_every_tensor_equals_itself(values: np.ndarray) -> None:
    assert apart(values, values).verdict == "equal"


@given(FLOATS, FLOATS)
def test_it_is_numpys_difference_either_way(one: np.ndarray, other: np.ndarray) -> None:
    found = apart(one, other)
    assert replace(found, relative=None) == replace(apart(other, one), relative=None)
    with np.errstate(all="ignore"):
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        sizes = np.where(same, 0, np.nan_to_num(np.abs(one - other), nan=np.inf, posinf=np.inf))
    assert found.differing == (~same).sum()
    if found.differing:
        assert found.largest == sizes.max()
        assert found.where is not None
        assert sizes[found.where] == sizes.max()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_dtypes_are_compared_in_float64(dtype: str) -> None:
    wide = np.array([0.1, 1.0, 3.0])
    narrow = wide.astype(dtype)
    one, other = tensor(1, wide), tensor(2, wide)
    record = structs.replace(other[0], dtype=dtype)
    value = structs.replace(other[1], dtype=dtype, data=narrow.tobytes())
    found = compare_tensors(one[0], record, one[1], value)
    assert found.verdict == "rounding"
    assert found.largest == abs(wide[0] - np.float64(narrow[0]))
    assert (found.where, found.differing, found.count) == ((0,), 1, 3)


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        ([0.0, 1.0], [-0.0, 1.0], "same_value"),
        ([1.0], [1.0 + 1e-12], "rounding"),
        ([1.0], [1.001], "differs"),
        ([np.inf], [1.0], "differs"),
        ([np.nan], [1.0], "differs"),
        ([1.0, 2.0], [[1.0, 2.0]], "shapes"),
        ([True], [False], "differs"),
        ([2**62], [-(2**62)], "differs"),
        ([], [], "equal"),
    ],
)
def test_verdicts(left: object, right: object, verdict: str) -> None:
    assert apart(left, right).verdict == verdict


def test_integers_are_compared_exactly() -> None:
    assert apart([2**53], [2**53 + 1]).largest == 1.0
    assert apart([2**62], [-(2**62)]).largest == 2.0**63


def test_what_was_not_kept_is_not_called_equal() -> None:
    record, value = tensor(1, [1.0, 2.0])
    bare = structs.replace(record, content="statistics", kept_shape=(), kept_steps=(), note="large")
    found = compare_tensors(bare, record, None, value)
    assert (found.verdict, found.whole) == ("unknown", False)


def test_the_place_in_a_sample_is_that_in_the_whole() -> None:
    one, other = tensor(1, [1.0, 2.0, 3.0]), tensor(2, [1.0, 2.0, 4.0])
    records = [
        structs.replace(each[0], content="preview", shape=(9,), kept_steps=(4,), note="large")
        for each in (one, other)
    ]
    found = compare_tensors(records[0], records[1], one[1], other[1])
    assert (found.where, found.whole, found.verdict) == ((8,), False, "differs")
