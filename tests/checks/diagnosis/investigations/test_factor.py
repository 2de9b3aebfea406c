"""A wrong factor is named by its value and tested against the sizes of the inputs."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.diagnosis.investigations.factor import factor_name
from gradviz.model.diagnosis import Diagnosis
from tests.checks.sample_functions import checked, randn


def first(function: Any, *arguments: Any) -> Diagnosis:
    report, _ = checked(function, arguments)
    return report.diagnoses[0]


class Power(Function):
    """Its gradient is a wrong constant times a power of x that may be wrong as well."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, constant: float, power: int) -> Tensor:
        ctx.save_for_backward(x)
        ctx.known = constant, power
        return x**3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        constant, power = ctx.known
        return gradients[0] * constant * x**power, None, None


@pytest.mark.parametrize("value", [1.0, 2.0, -3.0])
def test_one_number_is_no_proof(value: float) -> None:
    """For x ** 3 at one point, a wrong power looks like a factor."""
    x = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    assert first(Power, x, 7.0, 1).code == "unknown"
    assert first(Power, x, 7.0, 2).code == "factor_constant"


def test_equal_numbers_are_no_proof() -> None:
    ones = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    assert first(Power, ones, 6.0, 1).code == "unknown"
    diagnosis = first(Power, ones, 6.0, 2)
    assert (diagnosis.code, diagnosis.confidence) == ("factor_constant", "certain")
    assert "2 times what it should be, in all 16 elements" in diagnosis.message


class Absolute(Function):
    """Right for positive numbers only."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.abs()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0]


def test_a_sign_that_depends_on_the_values_is_no_wrong_sign() -> None:
    negative = (-randn(3).detach().abs() - 1).requires_grad_()
    assert first(Absolute, negative).code != "factor_sign"


class Mean(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, divides: bool) -> Tensor:
        ctx.shape = x.shape
        return x.mean(0) if divides else x.sum(0) / 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].expand(ctx.shape), None


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_size_is_recognized_by_changing_it(size: int) -> None:
    diagnosis = first(Mean, randn(size, 4), True)
    assert (diagnosis.code, diagnosis.confidence) == ("factor_batch_size", "certain")
    assert f"changes with the size {size} (dimension 0 of x)" in diagnosis.message
    assert (
        f"With size {size + 1} instead of {size}, the factor is {size + 1}." in diagnosis.evidence
    )
    assert diagnosis.repair is not None
    assert diagnosis.repair.wrong == 0


def test_a_constant_that_equals_a_size_is_a_constant() -> None:
    diagnosis = first(Mean, randn(2, 4), False)
    assert (diagnosis.code, diagnosis.confidence) == ("factor_constant", "certain")
    assert "With size 3 instead of 2, the factor is 2." in diagnosis.evidence


class OfSixOnly(Function):
    """Runs for no other size."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view(6).mean()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].expand(6)


def test_what_cannot_be_tried_is_only_likely() -> None:
    diagnosis = first(OfSixOnly, randn(6))
    assert (diagnosis.code, diagnosis.confidence) == ("factor_batch_size", "likely")


class Scaled(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x + y, x - y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        one, other = gradients
        return 3 * (one + other), 3 * (one - other)


def test_one_cause_is_reported_once() -> None:
    report, _ = checked(Scaled, (randn(2), randn(2, seed=1)))
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.output, diagnosis.input) == ("factor_constant", None, None)
    pairs = [each for each in diagnosis.evidence if "0 of 4 elements are wrong" in each]
    assert len(pairs) == 4


def test_random_numbers_of_the_checked_code_are_left_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    first(Power, randn(2), 1.0, 2)
    assert torch.equal(torch.rand(2), expected)


@pytest.mark.parametrize(
    ("factor", "name"),
    [
        (2, "2"),
        (-1, "-1"),
        (0.5, "1/2"),
        (1 / 3, "1/3"),
        (math.pi, "pi"),
        (1 / math.sqrt(2), "1 / sqrt(2)"),
        (1 / math.sqrt(2 * math.pi), "1 / sqrt(2 pi)"),
        (-math.log(2), "-ln 2"),
        (0.1234567, "0.123457"),
        (1 + 2j, "(1+2j)"),
    ],
)
def test_names(factor: complex, name: str) -> None:
    assert factor_name(factor) == name
