"""A missing conjugate is reported once for the whole function."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import made
from tests.checks.sample_functions import checked


class Product(Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        a, b = ctx.saved_tensors
        return gradients[0] @ b.t(), a.t() @ gradients[0]


class HalfRight(Product):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        a, b = ctx.saved_tensors
        return gradients[0] @ b.mH, a.t() @ gradients[0]


POWER = made(lambda a, b: (a * a.conj()).real, lambda g, a, b: 2 * g[0] * a.conj())
"""A real output of a complex input."""


class Doubled(Product):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        a, b = ctx.saved_tensors
        return 2 * gradients[0] @ b.mH, a.mH @ gradients[0]


def complex_ones(*shape: int, seed: int, differentiable: bool = True) -> Tensor:
    source = torch.Generator().manual_seed(seed)
    drawn = torch.randn(shape, generator=source, dtype=torch.complex128)
    return drawn.requires_grad_(differentiable)


@pytest.mark.parametrize(
    ("function", "about"), [(Product, None), (HalfRight, 1)], ids=["both", "one"]
)
def test_it_is_reported_once(function: type[Function], about: int | None) -> None:
    given = complex_ones(2, 3, seed=0), complex_ones(3, 2, seed=1)
    report, _ = checked(function, given)
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.output, diagnosis.input) == ("missing_conjugate", None, about)
    assert "conjugate seems to be missing" in diagnosis.message
    assert diagnosis.evidence


def test_a_real_output_shows_it_too() -> None:
    given = complex_ones(3, seed=0), complex_ones(3, seed=1, differentiable=False)
    report, _ = checked(POWER, given)
    (diagnosis,) = report.diagnoses
    assert "conjugate seems to be missing" in diagnosis.message


def test_another_mistake_is_not_taken_for_it() -> None:
    given = complex_ones(2, 3, seed=0), complex_ones(3, 2, seed=1)
    report, _ = checked(Doubled, given)
    assert report.diagnoses[0].code == "factor_constant"
