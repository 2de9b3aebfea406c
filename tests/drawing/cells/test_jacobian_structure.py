"""Statements about a whole matrix hold for every element."""

import numpy as np
import pytest

from gradviz.drawing.cells.pair_matrices import structure_of
from gradviz.viewer.jacobians.report.element_text import structure_text, zero_share

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
