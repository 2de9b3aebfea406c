"""Distance between two results of the same computation, with an allowance for rounding."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from gradviz.checks.jacobians.matrices import byte_view

_ROUNDINGS = 1e3
"""Up to this many roundings of the largest value may come from another order of the same sums."""

OptionalTensors = Sequence[Tensor | None]


def same_bits(one: Tensor, other: Tensor) -> bool:
    """Whether two dense tensors have the same shape, dtype and bits."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.is_meta or other.is_meta:
        return one.device == other.device  # Neither has bits.
    if one.is_quantized:
        # Torch crashes when it compares a view of these as bytes.
        one, other = one.int_repr(), other.int_repr()
    return torch.equal(byte_view(one), byte_view(other))


def differences(ones: OptionalTensors, others: OptionalTensors) -> list[float]:
    """Largest difference per pair of tensors; Inf if count, shapes or dtypes differ."""
    if len(ones) != len(others):
        return [float("inf")]
    return [_difference(*pair) for pair in zip(ones, others, strict=True)]


def distance_beyond_rounding(
    ones: OptionalTensors, others: OptionalTensors, allowed: float = 0.0
) -> float:
    """Largest difference that exceeds both rounding and ``allowed``; 0 if there is none."""
    found = differences(ones, others)
    if len(ones) != len(others):
        return found[0]
    pairs = zip(found, ones, strict=True)
    return max((by for by, value in pairs if by > max(allowed, _noise(value))), default=0.0)


def _difference(one: Tensor | None, other: Tensor | None) -> float:
    if one is None or other is None:
        present = one if other is None else other
        # None counts as zeros.
        return 0.0 if present is None else _largest(present)
    if one.shape != other.shape or one.dtype != other.dtype:
        return float("inf")
    one, other = _wide(one), _wide(other)
    if one.numel() == 0 or torch.equal(one, other):
        return 0.0
    gap = torch.where(_alike(one, other), torch.zeros_like(one), one - other)
    return _largest(torch.where(gap.isnan(), torch.full_like(gap, float("inf")), gap))


def _wide(value: Tensor) -> Tensor:
    """Copy to the CPU, where every dtype has one that torch can compare."""
    return value.cpu().to(torch.complex128 if value.is_complex() else torch.float64)


def _alike(one: Tensor, other: Tensor) -> Tensor:
    return (one == other) | (one.isnan() & other.isnan())


def _largest(value: Tensor) -> float:
    return float(_wide(value).abs().max()) if value.numel() else 0.0


def _noise(value: Tensor | None) -> float:
    if value is None or value.numel() == 0 or not (value.is_floating_point() or value.is_complex()):
        return 0.0
    finite = _wide(value).abs().nan_to_num(0.0, 0.0, 0.0)
    return _ROUNDINGS * torch.finfo(value.dtype).eps * float(finite.max())
