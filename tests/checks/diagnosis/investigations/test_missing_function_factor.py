"""Gradients that lack a function of a saved value as a factor, and near misses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.sample_functions import checked

Factor = Callable[[Tensor, Tensor, Tensor], Tensor]


def diagnoses(factor: Factor) -> list[tuple[str, str, str]]:
    """What is said of a power whose exponent has the gradient ``g * y``, times a factor."""

    class Power(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, p: Tensor) -> Tensor:
            y = x**p
            ctx.save_for_backward(x, p, y)
            return y

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            (g,) = gradients
            x, p, y = ctx.saved_tensors
            return g * p * x ** (p - 1), g * y * factor(x, p, y)

    source = torch.Generator().manual_seed(0)
    x, p = torch.rand(2, 4, generator=source, dtype=torch.float64) + 0.5
    report, _ = checked(Power, (x.requires_grad_(), p.requires_grad_()))
    return [(each.code, each.confidence, each.message) for each in report.diagnoses]


def test_the_logarithm_of_an_exponents_gradient() -> None:
    ((code, confidence, message),) = diagnoses(lambda x, p, y: torch.ones_like(y))
    assert (code, confidence) == ("wrong_operation", "certain")
    assert "lacks a factor: log(x)" in message


@pytest.mark.parametrize(
    "factor",
    [
        lambda x, p, y: x.log(),
        lambda x, p, y: (x + 1).log(),
        lambda x, p, y: 1.01 * x.log(),
        lambda x, p, y: p.log(),
    ],
)
def test_no_function_is_missing(factor: Factor) -> None:
    assert all("log(x)" not in message for _, _, message in diagnoses(factor))
