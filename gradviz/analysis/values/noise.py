"""Values of Jacobians without the noise of central differences, for cells that people read."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gradviz.catalogue.numbers import MEASURED

_NOISE: Final = 10.0**-MEASURED


def without_noise_in_cells(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values, of which those that differ from an integer by noise only become that integer.

    A central difference of float64 with torch's eps has noise of about 1e-10: 1 instead of
    1.0000000001, but 0.99999 stays. A complex matrix without imaginary parts becomes real.
    """
    if values.dtype.kind == "c":
        real, imaginary = _settled(values.real), _settled(values.imag)
        return real + 1j * imaginary if np.any(imaginary) else real
    return _settled(values)


def _settled(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    with np.errstate(invalid="ignore"):
        whole = np.rint(values)
        near = np.abs(values - whole) <= _NOISE * np.maximum(1.0, np.abs(values))
    # Adding 0.0 turns a negative zero into a positive one.
    return np.where(near, whole + 0.0, values)
