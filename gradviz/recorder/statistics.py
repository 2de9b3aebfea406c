"""Statistics of large tensors, computed where they are, equal to those of ``model.statistics``."""

from __future__ import annotations

import math

import torch

from gradviz.model.statistics import Statistics, moments_from_sums

_NO_MOMENTS: dict[str, float | None] = dict.fromkeys(
    ("minimum", "maximum", "total", "mean", "std", "norm")
)


def statistics_of_tensor(tensor: torch.Tensor) -> Statistics:
    """Computes `Statistics` in as few passes as the values allow.

    Args:
        tensor: Strided, of any shape, device, and numeric or bool dtype.
    """
    count = tensor.numel()
    if count == 0:
        return _statistics(0, 0, (0, 0, 0), _NO_MOMENTS)
    if tensor.is_floating_point() and tensor.element_size() < 4:
        tensor = tensor.to(torch.float32)
    values = _real(tensor)
    fast = _all_finite_moments(values, count)
    if fast is not None:
        zeros = count - int(torch.count_nonzero(tensor if tensor.is_complex() else values))
        return _statistics(count, zeros, (0, 0, 0), fast)
    return _with_gaps(tensor, count)


def _real(tensor: torch.Tensor) -> torch.Tensor:
    """What the sums are taken over, in a type that has sums."""
    if tensor.is_complex():
        return tensor.abs()
    if tensor.dtype == torch.bool:
        return tensor.to(torch.uint8)
    if tensor.dtype in (torch.uint16, torch.uint32, torch.uint64):
        # Torch has few operations for these.
        return tensor.to(torch.float64)
    return tensor


def _wide(tensor: torch.Tensor) -> torch.dtype:
    return torch.float32 if tensor.device.type == "mps" else torch.float64


def _all_finite_moments(values: torch.Tensor, count: int) -> dict[str, float | None] | None:
    """The six numbers, or None where an element is not finite."""
    wide = _wide(values)
    total = values.sum(dtype=wide).item()
    if not math.isfinite(total):
        return None
    low, high = torch.aminmax(values)
    minimum, maximum = float(low), float(high)
    if not math.isfinite(minimum) or not math.isfinite(maximum):
        return None
    if values.is_floating_point():
        norm = float(torch.linalg.vector_norm(values, dtype=wide))
        square_sum = norm * norm
    else:
        exact = values.to(wide).reshape(-1)
        square_sum = float(torch.dot(exact, exact))
    return moments_from_sums(
        finite=count, minimum=minimum, maximum=maximum, total=total, square_sum=square_sum
    )


def _with_gaps(tensor: torch.Tensor, count: int) -> Statistics:
    """Statistics where NaN or infinities may be among the elements."""
    nan = torch.isnan(tensor)
    infinite = torch.isinf(tensor) & ~nan
    negative = torch.zeros_like(nan) if tensor.is_complex() else infinite & (tensor < 0)
    gaps = (int(nan.sum()), int(infinite.sum()), int(negative.sum()))
    finite = tensor[~(nan | infinite)]
    zeros = finite.numel() - int(torch.count_nonzero(finite))
    wide = _real(finite).to(_wide(finite))
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
