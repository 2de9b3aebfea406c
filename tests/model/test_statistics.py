"""Statistics compared with NumPy's, and cases where NumPy would be misleading."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from gradviz.model.statistics import statistics_of


def test_finite_array_against_numpy() -> None:
    array = np.random.default_rng(0).normal(size=(7, 11))
    found = statistics_of(array)
    assert (found.minimum, found.maximum) == (array.min(), array.max())
    assert found.total == pytest.approx(array.sum(), rel=1e-13)
    assert found.std == pytest.approx(array.std(), rel=1e-12)
    assert found.norm == pytest.approx(np.linalg.norm(array), rel=1e-13)
    assert found.all_finite


def test_nan_and_infinities_are_counted_and_left_out() -> None:
    array = np.array([math.nan, math.inf, -math.inf, -math.inf, 0.0, -0.0, 3.0], dtype=np.float32)
    found = statistics_of(array)
    assert (found.nans, found.positive_infinities, found.negative_infinities) == (1, 1, 2)
    assert (found.count, found.zeros, found.total, found.maximum) == (7, 2, 3.0, 3.0)
    assert not found.all_finite


@pytest.mark.parametrize("array", [np.zeros((0, 3)), np.array([math.nan]), np.array(math.inf)])
def test_nothing_finite_gives_no_numbers(array: npt.NDArray[np.float64]) -> None:
    found = statistics_of(array)
    assert (found.minimum, found.mean, found.std, found.norm) == (None, None, None, None)


@pytest.mark.parametrize(
    ("values", "std"),
    [
        ([1e9, 1e9 + 1], 0.5),
        ([1e200, -1e200], 1e200),
        ([1e-200, 3e-200], 1e-200),
        ([0.1] * 10, 0.0),
        ([0.0, 0.0], 0.0),
    ],
)
def test_deviation_is_right_far_from_zero(values: list[float], std: float) -> None:
    assert statistics_of(np.array(values)).std == pytest.approx(std, rel=1e-12, abs=0)


def test_other_kinds_of_numbers() -> None:
    flags = statistics_of(np.array([True, False, True]))
    assert (flags.minimum, flags.total, flags.zeros) == (0.0, 2.0, 1)
    imaginary = statistics_of(np.array([3 + 4j, complex(0, math.inf), complex(math.nan, 0)]))
    assert (imaginary.maximum, imaginary.nans, imaginary.positive_infinities) == (5.0, 1, 1)
    small = statistics_of(np.array([255, 255], dtype=np.uint8))
    assert small.total == 510.0
    wide = statistics_of(np.array([65504.0, 65504.0], dtype=np.float16))
    assert wide.norm == pytest.approx(65504.0 * math.sqrt(2))
