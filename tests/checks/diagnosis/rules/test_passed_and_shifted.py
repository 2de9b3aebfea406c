"""Gradients that pass where forward is constant, and gradients at the wrong index."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.sample_functions import checked


class Clamp(Function):
    """A clamp that passes every gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clamp(-0.5, 0.5)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0]


class NumpyClamp(Clamp):
    """The same outside of torch."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return torch.from_numpy(x.detach().numpy().clip(-0.5, 0.5))


@pytest.mark.parametrize("function", [Clamp, NumpyClamp])
@pytest.mark.parametrize("seed", range(5))
def test_a_clamp_is_straight_through_or_lacks_a_mask(function: type[Function], seed: int) -> None:
    values = torch.randn(6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    report, _ = checked(function, (values.requires_grad_(),))
    (found,) = report.diagnoses
    assert found.code == "straight_through"
    assert "straight-through gradient if it is intended" in found.message
    assert "a mask is missing" in found.message


class Quantized(Function):
    """Learned step size: the gradient of ``s`` needs the derivative of round."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, s: Tensor) -> Tensor:
        ctx.save_for_backward(x, s)
        return (x / s).round().clamp(-2, 1) * s

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (g,) = gradients
        x, s = ctx.saved_tensors
        r = x / s
        inside = ((r >= -2) & (r <= 1)).to(g.dtype)
        steps = inside * (r.round() - r) + (r < -2) * -2.0 + (r > 1) * 1.0
        return g * inside, (g * steps).sum()


@pytest.mark.parametrize("seed", range(4))
def test_a_learned_scale_follows_from_straight_through(seed: int) -> None:
    source = torch.Generator().manual_seed(seed)
    x = (torch.randn(6, generator=source, dtype=torch.float64) * 2).requires_grad_()
    s = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    report, _ = checked(Quantized, (x, s))
    assert {each.code for each in report.diagnoses} == {"straight_through"}
    assert all(each.repair is None for each in report.diagnoses)


class Tiny(Function):
    """A gradient five times too large at one element, where it is below atol."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * x.new_tensor([1e-6, 1, 1])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * gradients[0].new_tensor([5e-6, 1, 1])


def test_values_below_the_tolerance_are_not_certain() -> None:
    report, _ = checked(Tiny, (torch.ones(3, dtype=torch.float64, requires_grad=True),))
    (found,) = report.diagnoses
    assert (found.code, found.confidence) == ("none", "likely")
    assert "5e-06" in found.message
    assert "atol" in found.message
