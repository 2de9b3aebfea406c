"""The matrices of a pair: their structure, and how gradcheck compares them, against NumPy."""

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.cells.cell_marks import CellMarks
from gradviz.drawing.cells.pair_matrices import (
    MOST_WORST,
    PairMatrices,
    compare_matrices,
    matrices_of,
    structure_of,
)
from gradviz.export.check.verdict import outcome_sentence
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.report.element_text import structure_text, values_of, zero_share
from tests.builders import tensor
from tests.viewer.traces import ANALYTICAL, NUMERICAL, wrong_report

RNG = np.random.default_rng(0)


def test_a_batch_makes_blocks() -> None:
    # x of 3x2 times a matrix of 2x4: each example acts on its own row of the output.
    jacobian = np.kron(np.eye(3), RNG.normal(size=(2, 4)))
    found = structure_of(jacobian, (3, 2), (3, 4))
    assert (found.kind, found.blocks) == ("blocks", (3, 2, 4))
    assert found.zeros == (jacobian == 0).sum()
    text = structure_text("analytical", found)
    assert text == (
        "analytical: block-diagonal, 3 blocks of 2×4; 66.7% of the elements are exactly zero"
    )


def test_two_common_dimensions_make_the_finest_blocks() -> None:
    jacobian = np.kron(np.eye(6), RNG.normal(size=(2, 4)))
    assert structure_of(jacobian, (2, 3, 2), (2, 3, 4)).blocks == (6, 2, 4)


def test_one_element_between_blocks_makes_them_none() -> None:
    jacobian = np.kron(np.eye(3), RNG.normal(size=(2, 4)))
    jacobian[0, 11] = 1e-300
    assert structure_of(jacobian, (3, 2), (3, 4)).kind == "sparse"


@pytest.mark.parametrize(
    ("jacobian", "kind"),
    [
        (np.zeros((4, 4)), "zero"),
        (np.eye(4), "identity"),
        (np.diag([1.0, 2.0, 0.0]), "diagonal"),
        (np.ones((4, 4)), "dense"),
        (np.eye(4)[::-1], "sparse"),
        (np.eye(12) + np.eye(12, k=1), "banded"),
        (np.eye(12) + np.eye(12, k=9), "sparse"),
        (np.array([[np.nan, 0.0], [0.0, 1.0]]), "diagonal"),
    ],
)
def test_kinds(jacobian: np.ndarray, kind: str) -> None:
    rows, columns = jacobian.shape
    assert structure_of(jacobian, (rows,), (columns,)).kind == kind


def test_the_band_is_as_wide_as_its_furthest_element() -> None:
    jacobian = np.eye(20) + np.eye(20, k=-2)
    assert structure_of(jacobian, (20,), (20,)).band == 2


def test_a_share_is_never_rounded_to_all_or_nothing() -> None:
    almost = np.zeros((100, 100))
    almost[3, 4] = 1
    assert zero_share(structure_of(almost, (100,), (100,))) == "99.9%"
    few = np.ones((100, 100))
    few[3, 4] = 0
    assert zero_share(structure_of(few, (100,), (100,))) == "0.1%"


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1)])
def test_empty_and_single(shape: tuple[int, int]) -> None:
    found = structure_of(np.zeros(shape), (shape[0],), (shape[1],))
    assert found.kind == "zero"
    assert found.zeros == shape[0] * shape[1]


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


def made(numerical: np.ndarray, analytical: np.ndarray) -> PairMatrices:
    report = wrong_report()
    pairs = tensor(1, numerical)[1], tensor(2, analytical)[1]
    return matrices_of(report, report.blocks[1], *pairs)


def test_difference_is_analytical_minus_numerical_on_its_own_scale() -> None:
    matrices = made(NUMERICAL, ANALYTICAL)
    assert (matrices.layers[2].values == ANALYTICAL - NUMERICAL).all()
    assert [each.colors.limit for each in matrices.layers] == [3.0, 3.0, 1.0]


def test_noise_below_the_tolerance_is_not_painted_strongly() -> None:
    matrices = made(NUMERICAL, NUMERICAL + 1e-9)
    assert matrices.layers[2].colors.limit == 1e-5


def test_wrong_elements_are_those_of_gradcheck_s_rule() -> None:
    numerical = np.array([[1.0, 1.0, 0.0, 1.0, np.inf]])
    analytical = np.array([[1.00101, 1.00102, 1.1e-5, np.nan, np.inf]])
    inside = np.isclose(analytical, numerical, rtol=1e-3, atol=1e-5)[0]
    found = {int(column) for _, column in made(numerical, analytical).wrong.cells}
    assert found == {1, 2, 3}
    assert np.flatnonzero(~inside).tolist() == [1, 2, 3]


def test_elements_are_named_by_argument_and_index() -> None:
    matrices = made(NUMERICAL, ANALYTICAL)
    assert check_text.element_name(matrices, 3, 0) == "∂ output[0, 0] / ∂ weight[1, 0]"
    assert check_text.element_name(matrices, 5, 4) == "∂ output[1, 1] / ∂ weight[1, 2]"
    assert values_of(matrices, 3, 0) == [
        ("numerical", "1.0"),
        ("analytical", "2.0"),
        ("difference", "1.0"),
    ]
    assert (
        check_text.element_judgement(matrices, 3, 0) == "worst element, 990.1 times the tolerance"
    )
    assert check_text.element_judgement(matrices, 4, 1) == "990.1 times the tolerance"
    assert check_text.element_judgement(matrices, 0, 0) == "within the tolerance"


def test_a_complex_matrix_without_imaginary_parts_is_colored_by_sign() -> None:
    layers = made(np.array([[-1 + 0j, 2]]), np.array([[-1 + 0j, 2]])).layers
    assert (layers[0].heat == [[-1.0, 2.0]]).all()
    assert (made(np.array([[3 + 4j]]), np.array([[0j]])).layers[0].heat == [[5.0]]).all()


def test_the_noise_of_the_central_difference_is_left_out_in_cells_only() -> None:
    values = np.array([[1.0000000001, -1e-10, 0.99999, 2.5, np.inf, np.nan]])
    matrices = made(values, values)
    shown = without_noise_in_cells(values)
    assert [number_text(value, 5) for value in shown[0]] == [
        "1",
        "0",
        "0.99999",
        "2.5",
        "inf",
        "nan",
    ]
    assert "1.0000000001" in values_of(matrices, 0, 0)[0][1]


def test_verdicts_have_sentences() -> None:
    report = wrong_report()
    assert "6 of 36 outside the tolerance" in check_text.headline(report)
    assert "1e-05 + 0.001" in check_text.rule(report)
    right = replace(report, verdict="match", blocks=report.blocks[:1])
    assert check_text.headline(right) == outcome_sentence(right)
