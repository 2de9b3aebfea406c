"""Wrong sums and swaps are diagnosed only where nothing else explains the numbers."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.sample_functions import checked, randn


def codes(function: Any, *arguments: Any) -> list[str]:
    report, _ = checked(function, arguments)
    return [each.code for each in report.diagnoses]


class Bias(Function):
    """The rows whose gradient arrives are chosen."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, b: Tensor, rows: slice) -> Tensor:
        ctx.rows = rows
        return x + b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], gradients[0][ctx.rows].sum(0), None


@pytest.mark.parametrize("size", [2, 3, 4])
def test_one_of_many_is_distinguished_from_all_but_one(size: int) -> None:
    """Both use one of two rows."""
    x, b = randn(size, 3), randn(3, seed=1)
    assert codes(Bias, x, b, slice(0, 1)) == ["missing_sum"]
    assert codes(Bias, x, b, slice(-1, None)) == ["missing_sum"]
    assert "missing_sum" not in codes(Bias, x, b, slice(0, -1))


class Elementwise(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        found = torch.zeros_like(gradients[0])
        found[0] = 2 * gradients[0][0]
        return found


def test_where_nothing_is_summed_no_sum_is_missing() -> None:
    assert "missing_sum" not in codes(Elementwise, randn(4))
    assert "missing_sum" not in codes(Elementwise, randn(2, 3))


class Constant(Function):
    """Ignores grad_output: for a single 1 that equals its sum."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return 2 * ctx.saved_tensors[0]


def test_what_ignores_its_gradient_sums_nothing() -> None:
    assert codes(Constant, randn(3, 2))[0] == "ignores_grad_output"


class Product(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, fault: str) -> Tensor:
        ctx.save_for_backward(x, y)
        ctx.fault = fault
        return x * y**2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        first, second = gradients[0] * y**2, gradients[0] * 2 * x * y
        if ctx.fault == "exchanged":
            return second, first, None
        return (first, first, None) if ctx.fault == "same for both" else (second, second, None)


@pytest.mark.parametrize("fault", ["exchanged", "same for both", "second for both"])
def test_only_an_exchange_is_one(fault: str) -> None:
    report, _ = checked(Product, (randn(3), randn(3, seed=1), fault))
    diagnosis = report.diagnoses[0]
    assert (diagnosis.code == "swapped_gradients") == (fault == "exchanged")
    if fault == "exchanged":
        assert (len(report.diagnoses), diagnosis.input, diagnosis.confidence) == (
            1,
            None,
            "certain",
        )
        assert "The gradients of x and y are swapped" in diagnosis.message


def test_equal_inputs_do_not_make_an_exchange() -> None:
    """If both are ones, their gradients are equal, and one error in both looks like a swap."""
    ones = [torch.ones(2, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    assert codes(Product, *ones, "same for both") != ["swapped_gradients"]
    assert codes(Product, *ones, "exchanged") == ["swapped_gradients"]
