"""Types of NumPy arrays that several layers use, and the indices of their elements."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def index_at(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index of the element at a row-major position; empty for a scalar."""
    return tuple(int(each) for each in np.unravel_index(position, shape)) if shape else ()
