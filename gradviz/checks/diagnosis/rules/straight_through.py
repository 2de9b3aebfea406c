"""Rule for a piecewise constant forward whose backward still passes the gradient through."""

from __future__ import annotations

import torch
from torch import Tensor

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.model.diagnosis import Diagnosis


def straight_through(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a numerical Jacobian of zeros with a diagonal analytical one."""
    same_shape = pair.input_shape == pair.output_shape
    if pair.order != 1 or not same_shape or not pair.numerical_is_zero:
        return None
    if pair.analytical_is_zero or not _is_diagonal(pair.analytical):
        return None
    if pair.looks is not None and not pair.looks.uses(pair.block.input):
        return None  # Forward does not use the input at all, so this is no rounding.
    ones = torch.ones_like(pair.analytical.diagonal())
    how = (
        "unchanged"
        if torch.equal(pair.analytical.diagonal(), ones)
        else ("scaled element by element")
    )
    jacobian = "the identity" if how == "unchanged" else "diagonal"
    which = f"any of the {len(ones)} elements" if len(ones) > 1 else "the only element"
    return pair.diagnosis(
        "straight_through",
        f"This is a straight-through gradient. Moving {which} of {pair.input_name} by eps "
        f"does not change {pair.output_name} at all, as when forward rounds, takes the "
        "sign or compares, so the numerical Jacobian is zero. Backward passes the "
        f"gradient through {how} (the analytical Jacobian is {jacobian}). If this is "
        "intended, the two differ on purpose, and gradcheck cannot return True.",
    )


def _is_diagonal(matrix: Tensor) -> bool:
    return bool(matrix.count_nonzero() == matrix.diagonal().count_nonzero())
