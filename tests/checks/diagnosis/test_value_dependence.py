"""A gradient that is wrong for certain values is claimed only with enough values."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.sample_functions import checked


class LeakyTwice(Function):
    """The slope of negative values is twice what it should be."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.where(x > 0, x, 0.25 * x) * x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * torch.where(x > 0, 2 * x, x)


@pytest.mark.parametrize(("repeats", "confidence"), [(1, "likely"), (4, "certain")])
def test_few_elements_are_not_enough_to_be_sure(repeats: int, confidence: str) -> None:
    some = torch.tensor([0.5, -1.2, 0.7, 1.1, -0.4, 2.0], dtype=torch.float64)
    grown = torch.cat([some * (1 + 0.1 * k) for k in range(repeats)])
    report, _ = checked(LeakyTwice, (grown.requires_grad_(),))
    (diagnosis,) = report.diagnoses
    assert diagnosis.code == "wrong_some_indices"
    assert "x is negative" in diagnosis.message
    assert diagnosis.confidence == confidence
