"""The rule that compares elements, and the selection of the worst element."""

from __future__ import annotations

import math
import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from gradviz.checks.jacobians import matrices as module
from gradviz.checks.jacobians.matrices import MatrixComparison, compare
from gradviz.model.tolerance import tolerance_excess

INF, NAN = math.inf, math.nan


def compared(analytical: list[list[complex]], numerical: list[list[complex]]) -> MatrixComparison:
    return of_tensors(torch.tensor(analytical), torch.tensor(numerical))


def of_tensors(
    analytical: Tensor, numerical: Tensor, atol: float = 1e-5, rtol: float = 1e-3
) -> MatrixComparison:
    rows, columns = analytical.shape
    return compare(analytical, numerical, (atol, rtol), (rows,), (columns,))


def place(comparison: MatrixComparison) -> tuple[int, int]:
    assert comparison.worst is not None
    return comparison.worst.row, comparison.worst.column


def test_ties_go_to_the_least_row_then_column() -> None:
    found = compared([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], [[0.0] * 3, [0.0] * 3])
    assert (place(found), found.wrong) == ((0, 1), 3)


def test_rows_compared_one_after_the_other_have_one_worst_element(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_CHUNK_ELEMENTS", 2)
    rows = [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [1.0, 0.0]]
    found = compared(rows, [[0.0, 0.0]] * 4)
    assert (place(found), found.wrong) == ((1, 1), 3)


def test_the_measure_is_relative_to_the_tolerance() -> None:
    found = compared([[1000.0, 0.0]], [[1002.0, 0.1]])
    assert (place(found), found.wrong) == ((0, 1), 2)


@pytest.mark.parametrize("pair", [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (INF, -INF), (INF, 1.0)])
def test_nan_and_infinities_that_differ_are_infinitely_wrong(pair: tuple[float, float]) -> None:
    found = compared([[5.0, pair[0]]], [[0.0, pair[1]]])
    assert (place(found), found.wrong) == ((0, 1), 2)
    assert found.worst is not None
    assert found.worst.excess == INF


def test_equal_infinities_are_equal() -> None:
    found = compared([[INF, -INF]], [[INF, -INF]])
    assert found.wrong == 0
    assert found.worst is not None
    assert found.worst.excess == 0


def test_empty_matrices_have_no_worst_element() -> None:
    assert of_tensors(torch.zeros(0, 3), torch.zeros(0, 3)) == MatrixComparison(0, None)


def test_indices_are_those_of_the_shapes() -> None:
    analytical = torch.zeros(6, 4)
    analytical[4, 3] = 1
    found = compare(analytical, torch.zeros(6, 4), (1e-5, 1e-3), (2, 3), (2, 1, 2))
    assert found.worst is not None
    assert (found.worst.input_index, found.worst.output_index) == ((1, 1), (1, 0, 1))


def test_values_without_dimensions_have_an_empty_index() -> None:
    found = compare(torch.ones(1, 1), torch.ones(1, 1), (0, 0), (), ())
    assert found.worst is not None
    assert (found.worst.input_index, found.worst.output_index) == ((), ())


def test_different_types_are_compared_in_their_common_one() -> None:
    found = of_tensors(torch.full((1, 1), 0.1), torch.full((1, 1), 0.1, dtype=torch.float64))
    assert found.wrong == 0
    assert found.worst is not None
    assert 0 < abs(found.worst.analytical - found.worst.numerical) < 1e-8


@given(
    values=st.lists(
        st.tuples(*[st.sampled_from([0.0, 1e-6, 1.0, 1.001, 1.0011, -1.0, INF, -INF, NAN])] * 2),
        min_size=1,
        max_size=12,
    ),
    atol=st.sampled_from([0.0, 1e-6, 1e-5, 1.0]),
    rtol=st.sampled_from([0.0, 1e-3, 1.0]),
)
def test_nothing_is_wrong_exactly_where_allclose_agrees(
    values: list[tuple[float, float]], atol: float, rtol: float
) -> None:
    pairs = torch.tensor(values, dtype=torch.float64)
    analytical, numerical = pairs[:, :1], pairs[:, 1:]
    found = of_tensors(analytical, numerical, atol, rtol)
    assert (found.wrong == 0) == torch.allclose(analytical, numerical, rtol, atol)
    assert found.worst is not None
    if found.wrong:
        assert found.worst.excess >= 1


@given(
    values=st.lists(
        st.tuples(*[st.sampled_from([0.0, -0.0, 5e-324, 1.0, 1.001, INF, NAN])] * 2), max_size=6
    ),
    padding=st.sampled_from([(0.0, 0.0), (2.0, 2.0), (INF, INF), (0.0, -0.0)]),
    tolerance=st.sampled_from([(1e-5, 1e-3), (0.0, 0.0), (INF, 0.0), (0.0, INF)]),
    shuffled=st.randoms(use_true_random=False),
)
def test_few_differences_have_the_worst_element_of_all(
    values: list[tuple[float, float]],
    padding: tuple[float, float],
    tolerance: tuple[float, float],
    shuffled: random.Random,
) -> None:
    pairs = [*values, *[padding] * 58] + [padding] * (6 - len(values))
    shuffled.shuffle(pairs)
    analytical, numerical = torch.tensor(pairs, dtype=torch.float64).t().reshape(2, 16, 4)
    atol, rtol = tolerance
    found = of_tensors(analytical, numerical, atol, rtol)
    excess = tolerance_excess(analytical.numpy(), numerical.numpy(), atol=atol, rtol=rtol)
    assert found.worst is not None
    assert place(found) == divmod(int(excess.argmax()), 4)
    assert found.worst.excess == excess.max()
