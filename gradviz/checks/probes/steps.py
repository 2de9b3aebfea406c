"""Steps at which an element is measured: from pure rounding to pure truncation."""

from __future__ import annotations

import math

_DECADES = {"float64": (-12, -1), "float32": (-7, 0), "float16": (-4, 0), "bfloat16": (-3, 0)}
_MIDDLE = {"float64": (-8, -3), "float32": (-5, -1)}
_MOST = 24


def steps(dtype: str, at: float, eps: float) -> tuple[float, ...]:
    """Steps for one element, ascending.

    Args:
        dtype: Dtype of the input, without an imaginary part.
        at: Value of the element; if it is above 1, larger steps are included.
        eps: The step that was used; always included.
    """
    low, high = _DECADES.get(dtype, _DECADES["float64"])
    size = abs(at) if math.isfinite(at) else 0.0
    if size > 1:
        high += min(6, math.floor(math.log10(size)))
    found = {10.0**k for k in range(low, high + 1)}
    first, last = _MIDDLE.get(dtype, (0, -1))
    found |= {3 * 10.0**k for k in range(first, last + 1)}
    apart = {each for each in found if abs(math.log10(each / eps)) > 0.1}
    return tuple(sorted(apart | {eps}))[-_MOST:]
