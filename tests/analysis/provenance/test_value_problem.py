"""Which values count as a problem, compared with NumPy and plain Python."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from gradviz.analysis.provenance.value_problem import ValueProblem, problem_of_value
from gradviz.model.statistics import statistics_of

VALUES = [0.0, -0.0, 1.0, -2e7, 1e6, math.nan, math.inf, -math.inf]
COMPLEX = [0j, 1 + 1j, complex(math.nan, 0), complex(0, math.inf), complex(math.nan, math.inf)]


@pytest.mark.parametrize("values", [VALUES, COMPLEX], ids=["float", "complex"])
def test_each_kind(values: list[complex]) -> None:
    array = np.array(values)
    nan = [cmath.isnan(each) for each in values]
    assert ValueProblem(kind="nan").mask(array).tolist() == nan
    infinite = [cmath.isinf(each) and not cmath.isnan(each) for each in values]
    assert ValueProblem(kind="infinity").mask(array).tolist() == infinite
    assert ValueProblem(kind="zero").mask(array).tolist() == [each == 0 for each in values]


def test_large_is_beyond_the_limit() -> None:
    array = np.array(VALUES)
    large = [False, False, False, True, False, False, True, True]
    assert ValueProblem(kind="large").mask(array).tolist() == large
    assert ValueProblem(kind="large", limit=0.5).mask(np.array([-1, 0, 1])).tolist() == [
        *(True, False, True)
    ]


def test_integers_and_booleans_never_have_a_problem() -> None:
    for array in (np.array([0, 1]), np.array([False, True])):
        assert not ValueProblem(kind="nan").mask(array).any()
        assert not ValueProblem(kind="infinity").mask(array).any()
        assert ValueProblem(kind="zero").mask(array).tolist() == [True, False]


@pytest.mark.parametrize("kind", ["nan", "infinity", "zero", "large"])
@pytest.mark.parametrize("value", VALUES)
def test_statistics_give_the_same_result(kind: str, value: float) -> None:
    problem = ValueProblem(kind=kind)  # type: ignore[arg-type]
    array = np.array([1.0, value])
    assert problem.counted(statistics_of(array)) == bool(problem.mask(array).any())


def test_what_is_wrong_with_one_element() -> None:
    kinds = [problem_of_value(np.float64(value)) for value in VALUES]
    assert [None if each is None else each.kind for each in kinds] == [
        *("zero", "zero", None, None, None, "nan", "infinity", "infinity")
    ]
