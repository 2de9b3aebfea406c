"""Quick test of first derivatives along one random direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.backward_rules import differentiable
from gradviz.checks.chance import Drawn

_STEP = 1e-5
_ALLOWED = 1e-5


def first_order_is_right(call: Callable[[], tuple[Any, ...]], inputs: Sequence[Tensor]) -> bool:
    """Whether one directional derivative agrees with its central difference.

    Args:
        call: Returns the outputs for the current inputs; moved inputs are restored afterwards.
        inputs: Leaves of dtype float64; for any other dtype the answer is False.
    """
    if any(each.dtype is not torch.float64 for each in inputs):
        return False
    drawn = Drawn(3)
    outputs = [value for _, value in differentiable(call())]
    if any(each.dtype is not torch.float64 for each in outputs):
        return False
    weights = [drawn.like(each) for each in outputs]
    along = [drawn.like(each) for each in inputs]
    gradients: Sequence[Tensor | None] = torch.autograd.grad(
        outputs, inputs, weights, allow_unused=True
    )
    pairs = zip(gradients, along, strict=True)
    expected = sum(float((g * u).sum()) for g, u in pairs if g is not None)

    def moved(step: float) -> float:
        for each, direction in zip(inputs, along, strict=True):
            each.data.add_(direction, alpha=step)
        values = [value for _, value in differentiable(call())]
        found = sum(float((v.detach() * w).sum()) for v, w in zip(values, weights, strict=True))
        for each, direction in zip(inputs, along, strict=True):
            each.data.add_(direction, alpha=-step)
        return found

    slope = (moved(_STEP) - moved(-_STEP)) / (2 * _STEP)
    return abs(slope - expected) <= _ALLOWED * max(1.0, abs(slope))
