"""What a trace keeps of a tensor, read straight from its memory.

The run does this, and the process that writes its trace, with memory that the run shares.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.model.statistics import Statistics, moments_from_sums, statistics_of
from gradviz.model.tensor import ITEM_SIZES, TensorRecord

_CHUNK = 1 << 16
"""Elements processed at once, so that their float64 copy stays in the cache."""


def sampler(record: TensorRecord) -> Callable[[Any], bytes]:
    """What reads the elements that are kept of such tensors, row-major.

    Args:
        record: Describes the tensors.

    Returns:
        A function of the memory that begins with a tensor's first element.
    """
    width = ITEM_SIZES[record.dtype]
    word = "c16" if width == 16 else f"u{width}"
    strides = tuple([stride * width for stride in record.strides or ()])
    shape = record.shape
    slices = tuple([slice(None, None, step) for step in record.kept_steps])

    def sample(memory: Any) -> bytes:
        # NumPy copies elements that are apart in less time than torch does.
        return np.ndarray(shape, word, memory, 0, strides)[slices].tobytes()

    return sample


def statistics_of_memory(elements: npt.NDArray[Any]) -> Statistics:
    """The statistics of many elements, in one pass; in two if they are complex or not all finite.

    Args:
        elements: An array of any shape and numeric or bool dtype, which is not empty.
    """
    if elements.dtype.kind == "c":
        return statistics_of(elements)
    # In memory order, which avoids a copy; no statistic depends on the order.
    flat = elements.ravel(order="K")
    total = square_sum = 0.0
    low, high, zeros = math.inf, -math.inf, 0
    space = np.empty(min(flat.size, _CHUNK))
    # NaN and Inf are expected here, and the run may have told NumPy to raise for them.
    with np.errstate(all="ignore"):
        for start in range(0, flat.size, _CHUNK):
            chunk = flat[start : start + _CHUNK]
            wide = space[: chunk.size]
            np.copyto(wide, chunk)
            # The functions behind `sum`, `min` and `max`, which take as long again for small ones.
            total += float(np.add.reduce(wide))
            # Not `dot`, because the threads of its library and torch's would wait for each other.
            square_sum += float(np.add.reduce(np.multiply(wide, wide, out=wide)))
            least, most = float(np.minimum.reduce(chunk)), float(np.maximum.reduce(chunk))
            low, high = min(low, least), max(high, most)
            # Only a chunk whose range contains 0 can have zeros.
            if not (least > 0 or most < 0):
                zeros += int(np.count_nonzero(chunk == 0))
    if not (math.isfinite(total) and math.isfinite(low) and math.isfinite(high)):
        return statistics_of(elements)
    moments = moments_from_sums(
        finite=flat.size, minimum=low, maximum=high, total=total, square_sum=square_sum
    )
    return Statistics(
        count=flat.size,
        zeros=zeros,
        nans=0,
        positive_infinities=0,
        negative_infinities=0,
        **moments,
    )
