"""The patch of elements around one element stays inside the tensor and contains it."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.analysis.dependence.tensor_patch import tensor_patch


@pytest.mark.parametrize("shape", [(), (1,), (9,), (2, 3), (7, 8), (3, 6, 2), (2, 1, 5, 5)])
def test_each_element_is_in_its_own_patch(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape)
    for element in np.ndindex(shape):
        patch = tensor_patch(1, "x", array, [element])
        assert patch is not None
        cells = [cell for line in patch.cells for cell in line]
        assert [cell.element for cell in cells if cell.marked] == [element]
        assert all(array[cell.element] == cell.value for cell in cells)
        assert len(patch.cells) == max(1, len(patch.rows)) <= 5
        assert all(len(line) == max(1, len(patch.columns)) for line in patch.cells)
        assert patch.before == element[:-2]


def test_others_that_are_near_are_marked_too() -> None:
    array = np.zeros((4, 4))
    patch = tensor_patch(1, "x", array, [(0, 0), (0, 3), (3, 3)])
    assert patch is not None
    marked = [cell.element for line in patch.cells for cell in line if cell.marked]
    assert marked == [(0, 0), (0, 3), (3, 3)]


def test_without_elements_there_is_no_patch() -> None:
    assert tensor_patch(1, "x", np.zeros((0, 3)), []) is None
    assert tensor_patch(1, "x", np.zeros(3), []) is None
