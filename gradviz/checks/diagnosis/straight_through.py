"""Forward is piecewise constant, and backward passes the gradient on all the same."""

from __future__ import annotations

import torch
from torch import Tensor

from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis


def straight_through(pair: Pair) -> Diagnosis | None:
    """Numerically nothing, analytically element by element: rounding, sign and their like."""
    same_shape = pair.input_shape == pair.output_shape
    if pair.order != 1 or not same_shape or not pair.numerical_is_zero:
        return None
    if pair.analytical_is_zero or not _is_diagonal(pair.analytical):
        return None
    if pair.looks is not None and not pair.looks.uses(pair.block.input):
        return None  # Not a step that forward takes: it does not use the input at all.
    ones = torch.ones_like(pair.analytical.diagonal())
    how = "unchanged" if torch.equal(pair.analytical.diagonal(), ones) else "element by element"
    jacobian = "the identity" if how == "unchanged" else "diagonal"
    which = f"any of the {len(ones)} elements" if len(ones) > 1 else "the only element"
    return pair.diagnosis(
        "straight_through",
        f"A straight-through gradient: moving {which} of"
        f" {pair.input_name} by eps does not change {pair.output_name} at all, as where forward"
        " rounds, takes the sign or compares, so the numerical Jacobian is zero; backward passes"
        f" the gradient on {how} (analytically {jacobian}). If that is meant, the two differ on"
        " purpose, and gradcheck cannot say True.",
    )


def _is_diagonal(matrix: Tensor) -> bool:
    return bool(matrix.count_nonzero() == matrix.diagonal().count_nonzero())
