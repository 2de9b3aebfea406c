"""Comparing by gradcheck's rule, and marks outside the tolerance, against NumPy."""

import numpy as np
import pytest

from gradviz.drawing.cells.cell_marks import CellMarks
from gradviz.drawing.cells.pair_matrices import MOST_WORST, compare_matrices

ATOL, RTOL = 1e-5, 1e-3


def test_the_excess_is_the_quotient_of_the_rule() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=(30, 40))
    other = base + rng.normal(size=base.shape) * 1e-3
    found = compare_matrices(base, other, ATOL, RTOL)
    quotient = np.abs(other - base) / (ATOL + RTOL * np.abs(base))
    assert np.allclose(found.excess, quotient, rtol=1e-6)
    outside = np.abs(other - base) > ATOL + RTOL * np.abs(base)
    assert found.wrong.count == outside.sum()
    assert ((found.excess > 1) == outside).all()


def test_the_worst_are_the_worst_in_order() -> None:
    rng = np.random.default_rng(1)
    base = np.zeros((50, 50))
    other = rng.exponential(size=base.shape)
    found = compare_matrices(base, other, ATOL, RTOL).worst
    order = np.argsort(-other, axis=None)[:MOST_WORST]
    assert [each.row * 50 + each.column for each in found] == order.tolist()


def test_ties_are_in_the_order_of_the_rows() -> None:
    other = np.ones((9, 9))
    found = compare_matrices(np.zeros((9, 9)), other, ATOL, RTOL).worst
    assert [(each.row, each.column) for each in found[:2]] == [(0, 0), (0, 1)]
    assert len(found) == MOST_WORST


def test_where_all_are_inside_the_nearest_to_the_edge_are_listed() -> None:
    other = np.zeros((3, 3))
    other[1, 2] = 5e-6
    (only,) = compare_matrices(np.zeros((3, 3)), other, ATOL, RTOL).worst
    assert (only.row, only.column) == (1, 2)
    assert only.excess == pytest.approx(0.5)


def test_what_is_not_finite_is_furthest_outside() -> None:
    base = np.array([[0.0, 0.0, np.nan, 1.0]])
    other = np.array([[np.nan, np.inf, np.nan, 9.0]])
    found = compare_matrices(base, other, ATOL, RTOL)
    assert np.isinf(found.excess[0, :3]).all()
    assert [each.column for each in found.worst] == [0, 1, 2, 3]


def test_equal_infinities_are_inside() -> None:
    base = np.array([[np.inf, np.inf, 1.0]])
    found = compare_matrices(base, np.array([[np.inf, -np.inf, np.inf]]), ATOL, RTOL)
    assert found.excess.tolist() == [[0.0, np.inf, np.inf]]
    assert found.wrong.count == 2


def test_without_a_tolerance_nothing_of_nothing_is_inside() -> None:
    found = compare_matrices(np.zeros((1, 2)), np.array([[0.0, 1e-30]]), 0.0, 0.0)
    assert found.excess.tolist() == [[0.0, np.inf]]


@pytest.mark.parametrize("share", [0.0001, 0.3, 1.0])
@pytest.mark.parametrize("apart", [(1, 1), (8, 8), (3, 40), (25, 1)])
def test_each_block_with_a_mark_shows_one(share: float, apart: tuple[int, int]) -> None:
    mask = np.random.default_rng(2).random((120, 200)) < share
    marks = CellMarks(mask)
    assert marks.count == mask.sum()
    rows, columns = range(7, 112), range(16, 188)
    found = marks.within(rows, columns, apart)
    assert all(mask[row, column] for row, column in found)
    assert all(row in rows and column in columns for row, column in found)
    seen = np.argwhere(mask[rows.start : rows.stop, columns.start : columns.stop])
    seen += [rows.start, columns.start]
    for row, column in seen[:: max(1, len(seen) // 300)]:
        near = (np.abs(found - [row, column]) <= np.multiply(2, apart)).all(axis=1)
        assert near.any()
    blocks = np.ceil(120 / apart[0]) * np.ceil(200 / apart[1])
    assert len(found) <= min(len(seen), 4 * blocks)
