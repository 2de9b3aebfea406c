"""Wrong factors, shapes and operations are named."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.diagnosis.investigations.factor import factor_name
from gradviz.model.diagnosis import Diagnosis
from tests.checks.broken.corpus import made
from tests.checks.sample_functions import checked, randn

# A wrong factor is named by its value and tested against the sizes of the inputs.


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


ABSOLUTE = made(lambda x: x.abs(), lambda g, x: g[0])
"""Right for positive numbers only."""


def test_a_sign_that_depends_on_the_values_is_no_wrong_sign() -> None:
    negative = (-randn(3).detach().abs() - 1).requires_grad_()
    assert first(ABSOLUTE, negative).code != "factor_sign"


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


OF_SIX_ONLY = made(lambda x: x.view(6).mean(), lambda g, x: g[0].expand(6))
"""Runs for no other size."""


def test_what_cannot_be_tried_is_only_likely() -> None:
    diagnosis = first(OF_SIX_ONLY, randn(6))
    assert (diagnosis.code, diagnosis.confidence) == ("factor_batch_size", "likely")


def scaled_back(g: Any, x: Tensor, y: Tensor) -> Any:
    one, other = g
    return 3 * (one + other), 3 * (one - other)


SCALED = made(lambda x, y: (x + y, x - y), scaled_back)


def test_one_cause_is_reported_once() -> None:
    report, _ = checked(SCALED, (randn(2), randn(2, seed=1)))
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


# Gradients that lack a function of a saved value as a factor, and near misses.


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


# A gradient whose shape the engine refuses is diagnosed from its values only.


class Doubled(Function):
    """Returns its gradient in the given form."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, form: str) -> Tensor:
        ctx.form = form
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        g = 2 * gradients[0]
        forms = {
            "transposed": g.t,
            "summed": lambda: g.sum(0),
            "averaged": lambda: g.mean(0),
            "repeated": lambda: torch.stack([g / 3] * 3, -1),
            "flat": g.flatten,
            "something": lambda: torch.ones(5, dtype=g.dtype),
            "cube": lambda: g.t() ** 3 + 1,
        }
        return forms[ctx.form](), None


EXPECTED = {
    "transposed": (
        "transposed",
        "backward returns a gradient of shape [3, 2], but x has shape [2, 3]",
    ),
    "summed": ("extra_sum", "summed over dimension 0"),
    "averaged": ("extra_sum", "averaged over dimension 0"),
    "repeated": ("missing_sum", "not summed over dimension 2"),
    "flat": ("wrong_gradient_shape", "the correct values in the wrong shape"),
    "something": ("ignores_grad_output", "the same gradient for x whatever grad_output is"),
    "cube": ("unknown", "match no mistake"),
}


@pytest.mark.parametrize("form", EXPECTED)
def test_each_form(form: str) -> None:
    report, _ = checked(Doubled, (randn(2, 3), form))
    assert report.verdict == "error"
    code, text = EXPECTED[form]
    assert report.diagnoses[0].code == code
    assert text in report.diagnoses[0].message


TOTAL = made(lambda x: x.sum(1), lambda g, x: g[0])


def test_what_is_not_spread_out_is_no_sum() -> None:
    report, _ = checked(TOTAL, (randn(3, 2),))
    (diagnosis,) = report.diagnoses
    assert diagnosis.code == "not_expanded"
    assert "not expanded over dimension 1" in diagnosis.message


ILL_SIZED = made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ w, x.t() @ g[0]))

NEVER_FITS = made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ torch.ones(7, 8), None))


def test_sizes_that_do_not_fit_are_tried_as_squares() -> None:
    report, _ = checked(ILL_SIZED, (randn(4, 3), randn(3, 2, seed=1)))
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.input, diagnosis.confidence) == ("transposed", 0, "likely")
    report, _ = checked(NEVER_FITS, (randn(4, 3), randn(3, 2, seed=1)))
    assert [each.code for each in report.diagnoses] == ["unknown"]


# What is said about single operations of backward is true, and names the line.


def found(
    forward: Callable[..., Any], backward: Callable[..., Any], *inputs: Any
) -> tuple[Diagnosis, ...]:
    return checked(made(forward, backward), inputs)[0].diagnoses


def test_the_repair_leaves_nothing_wrong() -> None:
    def back(g: Any, x: Tensor) -> Tensor:
        y = x.softmax(-1)
        return y * (g[0] - (g[0] * y).sum(-2, keepdim=True))

    (diagnosis,) = found(lambda x: x.softmax(-1), back, randn(4, 4))
    assert (diagnosis.code, diagnosis.confidence) == ("missing_sum", "certain")
    assert "reduces the wrong dimensions: it should reduce dimension 1" in diagnosis.message
    assert diagnosis.repair is not None
    assert diagnosis.repair.wrong == 0
    assert "Use dim=1 in test_wrong_results.py, line" in diagnosis.repair.message


def test_a_surplus_term_is_no_wrong_sum() -> None:
    def back(g: Any, x: Tensor) -> Tensor:
        y = x.softmax(-1)
        d = y * (g[0] - (g[0] * y).sum(-1, keepdim=True))
        return d + d.sum(0)  # Over all dimensions, this sum would be zero too.

    (diagnosis,) = found(lambda x: x.softmax(-1), back, randn(3, 4))
    assert diagnosis.code == "surplus_term"
    assert "(`d.sum(0)`)" in diagnosis.message


def test_a_factor_is_named_as_the_input_that_it_is() -> None:
    def norm(x: Tensor, w: Tensor) -> Tensor:
        return x * x.square().mean(-1, keepdim=True).rsqrt() * w

    def unweighted(g: Any, x: Tensor, w: Tensor) -> Any:
        scale = x.square().mean(-1, keepdim=True).rsqrt()
        normal = x * scale
        inner = (g[0] * normal).mean(-1, keepdim=True)
        return scale * (g[0] * w - normal * inner), (g[0] * normal).sum(0)

    (diagnosis,) = found(norm, unweighted, randn(3, 4), randn(4, seed=1))
    assert (diagnosis.code, diagnosis.confidence) == ("wrong_operation", "certain")
    assert "(`g[0] * normal`) lacks a factor: w." in diagnosis.message


def test_two_changes_are_told_apart() -> None:
    def back(g: Any, x: Tensor) -> Tensor:
        return g[0].cumsum(0) + 2 * g[0] * x.exp()

    diagnoses = found(lambda x: x.cumsum(0) + x.exp(), back, randn(4, 3))
    assert [each.code for each in diagnoses] == ["transposed", "factor_constant"]
    for each in diagnoses:
        assert "Only with both changes, 0 of 144 elements are wrong" in each.evidence[0]
        assert each.repair is not None
        assert each.repair.wrong == 0


def test_nan_does_not_hide_another_mistake() -> None:
    x = torch.tensor([1.0, 0, -2, 3], dtype=torch.float64, requires_grad=True)
    diagnoses = found(lambda x: x**2 + x, lambda g, x: 2 * g[0] * (2 * x + 1) * (x / x), x)
    assert [each.code for each in diagnoses] == ["nonfinite_gradient", "factor_constant"]
    assert "Where all values are finite" in diagnoses[1].message
    assert "2 times what it should be" in diagnoses[1].message
    assert diagnoses[1].repair is None
    (only,) = found(lambda x: x**2 + x, lambda g, x: g[0] * (2 * x + 1) * (x / x), x)
    assert only.code == "nonfinite_gradient"


def test_an_error_for_strides_is_not_called_another_gradient() -> None:
    def back(g: Any, x: Tensor) -> Tensor:
        return 3 * g[0].view(-1).view(x.shape)

    *_, last = found(lambda x: 2 * x, back, randn(3, 4))
    assert last.code == "stride_blind"
    assert "raises an error for some memory layouts of the incoming gradient" in last.message
