"""Analytical Jacobians of more passes than fit into one block."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from gradviz.checks.jacobians.analytical import analytical_columns, analytical_jacobians
from gradviz.checks.run.progress import MatrixProgress
from tests.checks.sample_functions import randn

COUNT = 150
SIDE = randn(COUNT, 6).detach()


class Passes:
    """Backward passes of ``SIDE @ x``, with something added to the first element in some.

    Args:
        added: The number to add, by the number of the pass, from 0 to ``2 * COUNT - 1``.
    """

    def __init__(self, added: dict[int, float] | None = None) -> None:
        self.begun = 0
        self._added = added or {}

    def __call__(self, gradient: Tensor) -> Sequence[Tensor | None]:
        found = SIDE.t() @ gradient
        found[0] += self._added.get(self.begun, 0.0)
        self.begun += 1
        return found.view(2, 3), None


def inputs() -> list[Tensor]:
    return [randn(2, 3), randn(4)]


def test_every_column_is_the_gradient_of_its_pass() -> None:
    found = analytical_jacobians(Passes(), randn(COUNT), inputs())
    assert torch.equal(found.matrices[0], SIDE.t())
    assert torch.equal(found.matrices[1], torch.zeros(4, COUNT, dtype=torch.float64))
    assert (found.spreads, found.misfits) == ((0.0, 0.0), ())


def test_chosen_columns_are_those_of_all() -> None:
    chosen = range(5, COUNT, 2)
    found, _ = analytical_columns(Passes(), randn(COUNT), inputs(), chosen)
    assert torch.equal(found, SIDE.t()[:, 5::2])


@pytest.mark.parametrize("place", [0, 63, 64, 140, COUNT - 1])
def test_a_pass_that_differs_is_found_in_every_block(place: int) -> None:
    passes = Passes({COUNT + place: 0.25, COUNT + 30: 0.125})
    found = analytical_jacobians(passes, randn(COUNT), inputs())
    assert found.spreads[0] == pytest.approx(0.25)
    assert torch.equal(found.matrices[0], SIDE.t())


def test_a_nan_makes_the_spread_nan_for_good() -> None:
    passes = Passes({COUNT + 3: math.nan, COUNT + 100: 5.0})
    assert math.isnan(analytical_jacobians(passes, randn(COUNT), inputs()).spreads[0])


def test_equal_infinities_do_not_differ() -> None:
    passes = Passes({3: math.inf, COUNT + 3: math.inf, COUNT + 4: 0.5})
    found = analytical_jacobians(passes, randn(COUNT), inputs())
    assert found.spreads[0] == pytest.approx(0.5)


def test_unfinished_columns_can_be_read_at_any_time() -> None:
    growth = MatrixProgress()
    passes = Passes()

    def backward(gradient: Tensor) -> Sequence[Tensor | None]:
        if passes.begun in (10, 70, 71):
            count = passes.begun
            assert torch.equal(growth.columns(0), SIDE.t()[:, :count])
        return passes(gradient)

    found = analytical_jacobians(backward, randn(COUNT), inputs(), growth)
    assert passes.begun == 2 * COUNT
    assert torch.equal(found.matrices[0], SIDE.t())
