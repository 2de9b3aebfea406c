"""Derivatives below atol are compared with the outputs scaled, and nothing is certain without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import Function

from gradviz.model.check_settings import CheckSettings
from tests.checks.sample_functions import checked, randn, verdict_of_torch


class Small(Function):
    """``size sin(x)``, with its gradient multiplied by a number."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, size: float, factor: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.factors = size, factor
        return size * x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        size, factor = ctx.factors
        return gradients[0] * size * factor * x.cos(), None, None


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    size=st.floats(-12, 0).map(lambda power: 10**power),
    factor=st.sampled_from([1.0, 1.0, 5.0, -1.0, 0.0, 3.0]),
    seed=st.integers(0, 9),
    fast=st.booleans(),
)
def test_a_factor_is_found_at_every_size(size: float, factor: float, seed: int, fast: bool) -> None:
    arguments, mode = (randn(3, seed=seed), size, factor), CheckSettings(fast=fast)
    report, _ = checked(Small, arguments, settings=mode)
    assert report.verdict == verdict_of_torch(Small.apply, arguments, mode)
    assert report.passed == (factor == 1)
    assert (
        report.diagnoses[0].code
        == {
            5.0: "factor_constant",
            3.0: "factor_constant",
            -1.0: "factor_sign",
            0.0: "dropped_zero",
            1.0: "none",
        }[factor]
    )


def test_five_times_too_large_but_below_atol() -> None:
    report, _ = checked(Small, (randn(3), 1e-6, 5.0))
    (found,) = report.diagnoses
    assert (report.verdict, report.passed, found.code) == ("match", False, "factor_constant")
    assert found.evidence[0].startswith(
        "At this tolerance nothing could be compared: the derivatives of output with respect to x"
    )
    assert found.evidence[0].endswith("So output was multiplied by 1e+06.")
    assert found.repair is None  # Of which the matrix would be the scaled function's.


def test_it_says_how_small_derivatives_were_compared() -> None:
    (found,) = checked(Small, (randn(3), 1e-8, 1.0))[0].diagnoses
    assert (found.code, found.confidence) == ("none", "certain")
    assert "they were compared with the output multiplied by 1e+" in found.message


@pytest.mark.parametrize("order", [1, 2])
def test_nothing_is_certain_if_nothing_was_compared(order: int) -> None:
    settings = CheckSettings(battery=False)
    for factor in (1.0, 5.0):
        given = (randn(3), 1e-8, factor)
        report, _ = checked(Small, given, settings=settings, order=order)
        (found,) = report.diagnoses
        assert (found.code, found.confidence) == ("none", "likely")
        assert "nothing could be compared at this tolerance" in found.message


RIGHT: dict[str, tuple[Callable[[Tensor], Any], list[float]]] = {
    "rounding in forward": (lambda x: torch.log(1 + torch.exp(x)), [-20.0, -25.0, -18.0]),
    "cancellation": (lambda x: 1 - x.cos(), [1e-7, 2e-7, 1e-6]),
    "a difference that vanishes": (
        lambda x: (x + 1e3) ** 2 - x**2 - 2e3 * x - 1e6,
        [1.0, 2.0, 3.0],
    ),
    "saturated": (torch.sigmoid, [-30.0, 40.0, -20.0]),
    "curved at zero": (lambda x: x**3, [1e-4, 1e-5, 0.0]),
    "a kink": (lambda x: 1e-7 * x.abs(), [0.0, 1.0, -1.0]),
    "two sizes": (lambda x: (1e-7 * x, x.sin()), [1.0, 2.0, 3.0]),
    "one size for two inputs": (lambda x: x.sin() * 1e-9 * x, [1.0, 2.0, 3.0]),
    "constant": (lambda x: x * 0 + 1, [1.0, 2.0, 3.0]),
    "complex": (lambda x: torch.complex(x, x * x) * 1e-8, [1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_is_not_accused(name: str) -> None:
    function, values = RIGHT[name]
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    report, _ = checked(function, (x,))
    assert report.passed, report.diagnoses
