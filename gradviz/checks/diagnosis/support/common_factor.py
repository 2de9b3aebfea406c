"""Test whether two matrices differ by a factor, and by which."""

from __future__ import annotations

import torch
from torch import Tensor

from gradviz.checks.diagnosis.support.chunks import largest
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair

_NOTHING = 1e-7
"""A numerical Jacobian is only noise if its largest value is not above this."""

_NO_FACTOR = 1e-6
_EXACT, _ROUGH = 1e-4, 1e-2


def factor_of(pair: JacobianPair) -> complex | None:
    """The common factor between numerical and analytical values; None if there is none."""
    wide = torch.complex128 if pair.numerical.is_complex() else torch.float64
    analytical, numerical = pair.analytical.to(wide), pair.numerical.to(wide)
    size = float(torch.linalg.vector_norm(numerical)) ** 2
    if not largest(numerical) > _NOTHING or not size < float("inf"):
        return None
    # The factor with the least squared error.
    factor = complex(torch.vdot(numerical.ravel(), analytical.ravel()).item()) / size
    if abs(factor) < _NO_FACTOR or abs(factor - 1) <= pair.rtol:
        return None
    row = pair.worst.row  # Most pairs have no common factor, which one row already shows.
    if not pair.agree(divided(analytical[row], factor), numerical[row]):
        return None
    return factor if pair.is_same(divided(analytical, factor), numerical) else None


def is_close(pair: JacobianPair, one: complex, other: complex) -> bool:
    """Whether two factors are equal, within the precision of a pair's values."""
    exact = pair.numerical.dtype in (torch.float64, torch.complex128)
    return abs(one - other) <= (_EXACT if exact else _ROUGH) * abs(other)


def divided(matrix: Tensor, factor: complex) -> Tensor:
    """A matrix divided by a factor; if the matrix is real, so is the factor."""
    return matrix / (factor if matrix.is_complex() else factor.real)
