"""The distance from the tolerance, compared with the rule of ``torch.allclose``."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.model.tolerance import tolerance_excess

INF, NAN = math.inf, math.nan
CASES = [
    (2.0, 1.0, 1 / 1.5),
    (1.0, 2.0, 1 / 2.0),
    (0.0, 0.0, 0.0),
    (-0.0, 0.0, 0.0),
    (INF, INF, 0.0),
    (-INF, -INF, 0.0),
    (INF, -INF, INF),
    (INF, 1.0, INF),
    (1.0, INF, INF),
    (NAN, 1.0, INF),
    (1.0, NAN, INF),
    (NAN, NAN, INF),
    (NAN, INF, INF),
    (complex(INF, 1), complex(INF, 1), 0.0),
    (complex(INF, 1), complex(INF, 2), INF),
    (complex(3, 4), 0j, 5 / 1.0),
]


@pytest.mark.parametrize(("value", "reference", "excess"), CASES)
def test_excess_of_one_element(value: complex, reference: complex, excess: float) -> None:
    assert float(tolerance_excess(value, reference, atol=1.0, rtol=0.5)) == excess


def test_without_a_tolerance_only_equal_values_are_within() -> None:
    value = np.array([[0.0, 1e-30, 7.0, INF, INF, 1.0]])
    reference = np.array([[0.0, 0.0, 7.0, INF, 1.0, INF]])
    found = tolerance_excess(value, reference, atol=0.0, rtol=0.0)
    assert found.tolist() == [[0.0, INF, 0.0, 0.0, INF, INF]]


NUMBERS = st.floats(width=32) | st.sampled_from([0.0, 1.0, INF, -INF, NAN])


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8), st.sampled_from([0.0, 1e-3]))
def test_more_than_one_is_what_allclose_rejects(
    pairs: Sequence[tuple[float, float]], rtol: float
) -> None:
    values = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    found = tolerance_excess(values[:, 0], values[:, 1], atol=1e-5, rtol=rtol)
    close = np.isclose(values[:, 0], values[:, 1], atol=1e-5, rtol=rtol)
    assert ((found > 1) == ~close).all()


def test_narrow_matrices_are_compared_in_double_precision() -> None:
    value, reference = np.float32([[3e38]]), np.float32([[-3e38]])
    found = tolerance_excess(value, reference, atol=0.0, rtol=1.0)
    assert found.tolist() == [[2.0]]
    assert tolerance_excess(np.zeros((0, 3)), np.zeros((0, 3)), atol=0, rtol=0).shape == (0, 3)
