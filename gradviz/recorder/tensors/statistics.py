"""Statistics of tensors too large to store, equal to those of ``model.statistics``.

Notes when the first NaN or Inf of a recording appears.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from msgspec.structs import replace

from gradviz.model.statistics import Statistics, moments_from_sums, statistics_of
from gradviz.model.tensor import NUMPY_DTYPES
from gradviz.model.tensor_memory import statistics_of_memory
from gradviz.recorder.accelerators import has_float64
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.memory_elements import memory_array, memory_elements, numpy_values
from gradviz.recorder.tensors.tensor_elements import dtype_name, is_dense


class NonFiniteWatch:
    """Looks for one kind of elements in tensors.

    Attributes:
        has_seen_one: Whether a tensor had such an element.
    """

    def __init__(self, kind: Literal["nan", "inf"]) -> None:
        self.has_seen_one = False
        self._test = torch.isnan if kind == "nan" else torch.isinf

    def look(self, tensor: torch.Tensor) -> None:
        """Search a readable tensor for NaN or Inf. Call inside `disabled_torch_modes`."""
        if self.has_seen_one or not (tensor.is_floating_point() or tensor.is_complex()):
            return
        self.has_seen_one = bool(self._test(tensor).any())


_NO_MOMENTS: dict[str, float | None] = dict.fromkeys(
    ("minimum", "maximum", "total", "mean", "std", "norm")
)


def statistics_of_tensor(tensor: torch.Tensor) -> Statistics:
    """Compute `Statistics` in as few passes over the data as the values allow.

    Each element in memory is read once, even if the tensor shows it many times. If it shows
    ``x[i]`` ``c[i]`` times, the total is ``sum(c * x)``, and the mean ``sum(c * x) / sum(c)``.

    Args:
        tensor: A strided tensor of any shape and device, with a numeric or bool dtype.
    """
    if tensor.numel() == 0:
        return _statistics(0, 0, (0, 0, 0), _NO_MOMENTS)
    if tensor_compat.is_ordinary(tensor) and is_dense(tensor):
        kind = NUMPY_DTYPES.get(dtype_name(tensor.dtype))
        if kind is not None:
            return statistics_of_memory(memory_array(tensor, kind))
    held = memory_elements(tensor)
    values = held.values
    # NumPy has no bfloat16 and no float8; float32 holds their values exactly.
    if values.is_floating_point() and values.element_size() < 4:
        values = values.to(torch.float32)
    if held.weights is not None:
        return _repeated(_weighted(numpy_values(values), held.weights), held.repeats)
    if values.device.type == "cpu" or not has_float64(values.device):
        return _repeated(statistics_of_memory(numpy_values(values)), held.repeats)
    return _repeated(_on_device(values), held.repeats)


def _repeated(once: Statistics, repeats: int) -> Statistics:
    """Statistics of elements that all occur several times instead of once."""
    if repeats == 1:
        return once
    return replace(
        once,
        count=once.count * repeats,
        zeros=once.zeros * repeats,
        nans=once.nans * repeats,
        positive_infinities=once.positive_infinities * repeats,
        negative_infinities=once.negative_infinities * repeats,
        total=None if once.total is None else once.total * repeats,
        norm=None if once.norm is None else once.norm * math.sqrt(repeats),
    )


def _weighted(array: npt.NDArray[Any], weights: npt.NDArray[np.int64]) -> Statistics:
    """Statistics of elements that occur several times, each a number of times of its own."""
    once = statistics_of(array)
    finite = np.isfinite(array)
    values, counts = array[finite], weights[finite]
    wide = (np.abs(values) if values.dtype.kind == "c" else values).astype(np.float64)
    moments = _NO_MOMENTS
    if wide.size and once.minimum is not None and once.maximum is not None:
        moments = moments_from_sums(
            finite=int(counts.sum()),
            minimum=once.minimum,
            maximum=once.maximum,
            total=float((counts * wide).sum()),
            square_sum=float((counts * wide * wide).sum()),
        )
    nan = np.isnan(array)
    infinite = ~finite & ~nan
    negative = infinite & (array < 0) if array.dtype.kind == "f" else np.zeros_like(infinite)
    gaps = tuple([int(weights[each].sum()) for each in (nan, infinite, negative)])
    zeros = int(counts[wide == 0].sum())
    return _statistics(int(weights.sum()), zeros, (gaps[0], gaps[1], gaps[2]), moments)


def _on_device(tensor: torch.Tensor) -> Statistics:
    count = tensor.numel()
    values = _real(tensor)
    fast = _all_finite_moments(values, count)
    if fast is not None:
        zeros = count - int(torch.count_nonzero(tensor if tensor.is_complex() else values))
        return _statistics(count, zeros, (0, 0, 0), fast)
    return _with_gaps(tensor, count)


def _real(tensor: torch.Tensor) -> torch.Tensor:
    """The values to sum, in a dtype that can be summed."""
    if tensor.is_complex():
        return tensor.abs()
    if tensor.dtype == torch.bool:
        return tensor.to(torch.uint8)
    if tensor.dtype in (torch.uint16, torch.uint32, torch.uint64):
        # Torch implements few operations for these dtypes.
        return tensor.to(torch.float64)
    return tensor


def _all_finite_moments(values: torch.Tensor, count: int) -> dict[str, float | None] | None:
    """The six numbers, or None if an element is not finite."""
    low, high = torch.aminmax(values)
    total = values.sum(dtype=torch.float64)
    if values.is_floating_point():
        norm = torch.linalg.vector_norm(values, dtype=torch.float64)
        square_sum = norm * norm
    else:
        exact = values.to(torch.float64).reshape(-1)
        square_sum = torch.dot(exact, exact)
    # One transfer instead of four, because each waits for the device.
    parts = torch.stack([each.to(torch.float64) for each in (low, high, total, square_sum)])
    minimum, maximum, summed, squares = parts.tolist()
    if not all(map(math.isfinite, (minimum, maximum, summed))):
        return None
    return moments_from_sums(
        finite=count, minimum=minimum, maximum=maximum, total=summed, square_sum=squares
    )


def _with_gaps(tensor: torch.Tensor, count: int) -> Statistics:
    """Statistics of a tensor that may contain NaN or Inf."""
    nan = torch.isnan(tensor)
    infinite = torch.isinf(tensor) & ~nan
    negative = torch.zeros_like(nan) if tensor.is_complex() else infinite & (tensor < 0)
    gaps = (int(nan.sum()), int(infinite.sum()), int(negative.sum()))
    finite = tensor[~(nan | infinite)]
    zeros = finite.numel() - int(torch.count_nonzero(finite))
    wide = _real(finite).to(torch.float64)
    if wide.numel() == 0:
        return _statistics(count, zeros, gaps, _NO_MOMENTS)
    moments = moments_from_sums(
        finite=wide.numel(),
        minimum=float(wide.min()),
        maximum=float(wide.max()),
        total=float(wide.sum()),
        square_sum=float(torch.dot(wide, wide)),
    )
    return _statistics(count, zeros, gaps, moments)


def _statistics(
    count: int, zeros: int, gaps: tuple[int, int, int], moments: dict[str, float | None]
) -> Statistics:
    nans, infinities, negative = gaps
    return Statistics(
        count=count,
        zeros=zeros,
        nans=nans,
        positive_infinities=infinities - negative,
        negative_infinities=negative,
        **moments,
    )
