"""How many extra evaluations a check needs for its diagnosis."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from gradviz.checks.run.jacobian_check import check
from gradviz.checks.run.progress import DiscardingSink

_FEW = 600
"""What is tried of every function, however small."""


class Product(torch.autograd.Function):
    """With a gradient of the weight that lacks a transpose."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, weight = ctx.saved_tensors
        return gradients[0] @ weight.t(), x @ gradients[0]


class Doubled(torch.autograd.Function):
    """With twice the gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 6 * gradients[0] * x**2


class Forgotten(Doubled):
    """With an arbitrary gradient."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0].flip(0).cos() * x + gradients[0]


def _values(*shape: int) -> Tensor:
    drawn = torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    return (drawn + 0.5).requires_grad_()


@pytest.mark.parametrize(
    ("function", "arguments", "code", "matrices"),
    [
        (Product, (_values(16, 16), _values(16, 16)), "transposed", 6 * 256),
        (Doubled, (_values(900),), "factor_constant", 4 * 900),
        (Doubled, (_values(2100),), "factor_constant", 4 * 2100),
        (Forgotten, (_values(900),), None, 4 * 900),
    ],
    ids=["product", "elements", "many elements", "unlike anything"],
)
def test_a_diagnosis_needs_a_few_times_as_many_evaluations(
    function: Any, arguments: tuple[Tensor, ...], code: str | None, matrices: int
) -> None:
    done = 0

    def count(begun: int, _expected: int) -> None:
        nonlocal done
        done = begun

    report = check(function, arguments, sink=DiscardingSink(), progress=count)

    assert report.verdict == "mismatch"
    assert code is None or report.diagnoses[0].code == code
    looks = min(3 * matrices, 8_000)
    assert done <= matrices + looks + _FEW
