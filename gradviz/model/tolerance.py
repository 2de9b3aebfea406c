"""Distance of values from a tolerance, by the rule of ``torch.allclose``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def tolerance_excess(
    value: npt.ArrayLike, reference: npt.ArrayLike, *, atol: float, rtol: float
) -> npt.NDArray[np.float64]:
    """Compute ``|a - n| / (atol + rtol * |n|)`` of each element; more than 1 is outside.

    It is computed in double precision. Equal values give 0, also equal infinities and with a
    tolerance of zero. NaN gives inf, and so does an infinity without an equal one.

    Args:
        value: ``a``, such as the analytical Jacobian; real or complex, of any shape.
        reference: ``n``, such as the numerical Jacobian, of the same shape.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the magnitude of ``reference``.
    """
    a, n = _wide(value), _wide(reference)
    with np.errstate(all="ignore"):
        excess: npt.NDArray[np.float64] = np.atleast_1d(np.abs(a - n))
        allowed = np.atleast_1d(np.abs(n))
        allowed *= rtol
        allowed += atol
        excess /= allowed
        has_nan = np.isnan(excess.max(initial=0.0))
    if has_nan:
        undefined = np.isnan(excess)
        equal = np.atleast_1d(a == n)[undefined]
        excess[undefined] = np.where(equal, 0.0, np.inf)
    return excess.reshape(np.shape(a))


def _wide(values: npt.ArrayLike) -> npt.NDArray[Any]:
    array = np.asarray(values)
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64, copy=False)
