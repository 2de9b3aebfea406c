"""Sentences that were untrue for some functions are true for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

import gradviz
from gradviz.model.diagnosis import Diagnosis
from tests.checks.sample_functions import checked, randn


class Custom(Function):
    """A Function of one input that is given as two callables."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, function: Any, back: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.back = back
        return function(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return ctx.back(gradients[0], *ctx.saved_tensors), None, None


def only(x: Tensor, function: Callable[..., Any], back: Callable[..., Any]) -> Diagnosis:
    report, _ = checked(Custom, (x, function, back))
    (diagnosis,) = report.diagnoses
    return diagnosis


def root_of_negative(g: Tensor, x: Tensor) -> Tensor:
    return g * 0.5 / x.sqrt()


@pytest.mark.parametrize("rows", [(), (2,)])
def test_a_nan_is_called_so_with_the_op_that_made_it(rows: tuple[int, ...]) -> None:
    x = torch.tensor([2.0, -1.0], dtype=torch.float64).expand(*rows, 2).clone().requires_grad_()
    report, _ = checked(Custom, (x, lambda v: v.clamp(min=0).sqrt(), root_of_negative))
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.confidence) == ("nonfinite_gradient", "certain")
    place = "x[0, 1]" if rows else "x[1]"
    assert f"is NaN at {place}, where the derivative is finite" in diagnosis.message
    assert "In backward, sqrt in test_true_sentences.py, line" in diagnosis.message
    messages = [each.message for each in report.problems]
    assert not any("multiply by grad_output" in each for each in messages)
    assert any("returns NaN or Inf for" in each for each in messages)


def test_an_infinity_names_the_division() -> None:
    diagnosis = only(randn(3), lambda x: x.clone(), lambda g, x: g / (x - x + 0.0))
    assert diagnosis.code == "nonfinite_gradient"
    assert "div in test_true_sentences.py" in diagnosis.message


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_one_term_without_grad_output_is_not_all_of_them(shape: tuple[int, ...]) -> None:
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    diagnosis = only(x, lambda x: x * x + x.sin(), lambda g, x: g * 2 * x + x.cos())
    assert diagnosis.code == "ignores_grad_output"
    assert diagnosis.message.startswith(
        "A term of the gradient of x is not multiplied by grad_output"
    )


def test_a_term_that_vanishes_here_is_still_a_term() -> None:
    x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    diagnosis = only(x, lambda x: x * x + x.sin(), lambda g, x: g * 2 * x + x.cos())
    assert "A term of the gradient" in diagnosis.message
    diagnosis = only(x, torch.sin, lambda g, x: x.cos())
    assert "the same gradient for x whatever grad_output is" in diagnosis.message


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rounding_in_half_precision_is_no_ignored_gradient(dtype: torch.dtype) -> None:
    def scaled(value: Tensor, *_: Tensor) -> Tensor:
        return (value.to(dtype) * 3.3).to(value.dtype)

    report, _ = checked(Custom, (randn(5), scaled, scaled))
    assert {each.code for each in report.diagnoses} == {"float32_noise"}
    assert all(each.outcome != "fails" for each in report.trials)
    clipped, _ = checked(Custom, (randn(5), scaled, lambda g, x: scaled(g).clamp(-1, 1)))
    assert "ignores_grad_output" in {each.code for each in clipped.diagnoses}


SHARES = {
    "(n - 1) / n": (lambda n: (n - 1) / n, True),
    "n / (n - 1)": (lambda n: n / (n - 1), True),
    "2 / n": (lambda n: 2 / n, False),
    "1 / n": (lambda n: 1 / n, False),
}


@pytest.mark.parametrize("name", SHARES)
def test_a_variance_is_named_only_if_three_sizes_agree(name: str) -> None:
    share, named = SHARES[name]
    diagnosis = only(
        randn(3, 2), lambda x: x.square().mean(0), lambda g, x: g * 2 * x / len(x) * share(len(x))
    )
    if name == "2 / n":  # The same number as (n - 1) / n for n = 3.
        assert "2/3 times" in diagnosis.message
    assert ("divided by n in one place and by n - 1 in another" in diagnosis.message) == named


def test_a_variance_over_several_dimensions_is_named() -> None:
    def back(g: Tensor, x: Tensor) -> Tensor:
        count = x[:, 0].numel()
        return g * ((count - 1) / count) ** 0.5

    diagnosis = only(randn(3, 2, 4), lambda x: x * 1, back)
    assert diagnosis.code == "factor_batch_size"
    assert "divided by n in one place and by n - 1 in another" in diagnosis.message
    diagnosis = only(randn(3, 4), lambda x: x * 1, lambda g, x: g * (len(x) + 5))
    assert "The factor changes with the size 3" in diagnosis.message
    assert "mean" not in diagnosis.message


def test_without_a_matrix_product_no_transpose_is_looked_for() -> None:
    turned = torch.tensor([0.3, 1.1], dtype=torch.float64)

    def rotated(v: Tensor, *_: Any) -> Tensor:
        left, right = v.chunk(2, -1)
        cos, sin = turned.cos(), turned.sin()
        return torch.cat([left * cos - right * sin, right * cos + left * sin], -1)

    for function, shape, words in (
        (lambda v, *_: v.cumsum(0), (4,), "the cumulative sum"),
        (lambda v, *_: v.roll(1, 0), (4,), "shifts in the wrong direction"),
        (lambda v, *_: v[[2, 0, 3, 1]], (4, 2), "applies a permutation"),
        (rotated, (3, 4), "applies a linear map to the gradient of output"),
    ):
        diagnosis = only(randn(*shape), function, function)
        assert diagnosis.code == "transposed"
        assert ".t()" not in diagnosis.message
        assert words in diagnosis.message


def test_wrong_for_dense_gradients_is_not_called_correct_for_them() -> None:
    def reads_memory(g: Tensor, x: Tensor) -> Tensor:
        return torch.as_strided(g, x.shape, x.stride(), 0) * 2

    report, _ = checked(Custom, (randn(3, 2), lambda x: x * 3, reads_memory))
    (diagnosis,) = [each for each in report.diagnoses if each.code == "stride_blind"]
    assert "is correct" not in diagnosis.message
    right, _ = checked(Custom, (randn(3, 2), lambda x: x * 2, reads_memory))
    (diagnosis,) = [each for each in right.diagnoses if each.code == "stride_blind"]
    assert "is correct if the incoming gradient is contiguous" in diagnosis.message


def test_a_bound_at_a_shifted_point_names_that_point() -> None:
    values = [-0.72, 0.0, 0.3, -0.5, -1.4, 0.9, 1.2, -0.1, 0.8, -2.0]
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)

    def back(g: Tensor, x: Tensor) -> Tensor:
        slope = torch.where(x > 0, 2 * x + 1, -x.exp())
        return g * torch.where(x.abs() <= 0.725, slope * (1.3 + x), slope)

    def function(x: Tensor) -> Tensor:
        return torch.where(x > 0, x * x + x, 1 - x.exp())

    diagnosis = only(x, function, back)
    assert "|x| is" in diagnosis.message
    assert any("hold for the moved values" in each for each in diagnosis.evidence)
    away = torch.where(x.detach() == 0, 0.2, x.detach()).requires_grad_()
    diagnosis = only(away, function, back)
    assert "|x| is" in diagnosis.message
    assert not any("moved values" in each for each in diagnosis.evidence)


class LowerTriangle(Function):
    """Reads one triangle, but shares the gradient between both, as for a symmetric matrix."""

    @staticmethod
    def forward(ctx: Any, a: Tensor) -> Any:
        ctx.save_for_backward(a)
        return (a.tril() ** 2).sum(1)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (a,) = ctx.saved_tensors
        lower = 2 * a.tril() * g[:, None]
        return (lower + lower.mT) / 2


def test_a_bound_that_few_elements_fit_by_chance_is_not_certain() -> None:
    a = (randn(3, 3).detach().abs() / 4 + 4 * torch.eye(3, dtype=torch.float64)).requires_grad_()
    report, _ = checked(LowerTriangle, (a,))
    assert report.verdict == "mismatch"
    bounded = [each for each in report.diagnoses if "or less" in each.message]
    assert [each.confidence for each in bounded if each.confidence == "certain"] == []


HALF = 0.5


def scaled(x: Tensor) -> Tensor:
    factor: Any = -HALF
    factor *= x
    return factor


@pytest.mark.parametrize(
    ("function", "back", "named"),
    [
        (lambda x: x**3 / 6, lambda g, x: g * (HALF * x), "second operand of `HALF * x`"),
        (lambda x: x**3 / 6, lambda g, x: g * (x * HALF), "first operand of `x * HALF`"),
        (lambda x: x**3 / 6, lambda g, x: g * (0.5 * x), "second operand of `0.5 * x`"),
        (lambda x: x**3 / -6, lambda g, x: g * (-HALF * x), "second operand of `-HALF * x`"),
        (
            lambda x: math.pi * x**3 / 3,
            lambda g, x: g * (math.pi * x),
            "second operand of `math.pi",
        ),
        (lambda x: x**3, lambda g, x: g * (len(x) * x), "second operand of `len(x) * x`"),
        (lambda x: x + x**3 / 3, lambda g, x: g * (1 + x), "second operand of `1 + x`"),
        (lambda x: x - x**3 / 3, lambda g, x: g * (1 - x), "second operand of `1 - x`"),
        (lambda x: x**3 / 3 - HALF * x, lambda g, x: g * (x - HALF), "first operand of `x - HALF`"),
        (lambda x: -(x**3) / 6, lambda g, x: g * scaled(x), "second operand of `factor *= x`"),
        (lambda x: -HALF / x, lambda g, x: g * (HALF / x), "second operand of `HALF / x`"),
    ],
)
def test_operands_are_counted_as_the_source_writes_them(
    function: Callable[[Tensor], Tensor], back: Callable[..., Tensor], named: str
) -> None:
    diagnosis = only(randn(3), function, back)
    assert diagnosis.code == "wrong_operation"
    assert named in diagnosis.message
    assert "lacks a square" in diagnosis.message


class Powers(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.save_for_backward(x, y)
        return 2**x * y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        x, y = ctx.saved_tensors
        return g * y * 2**x * math.log(2), g * 2**y


def test_an_exponent_is_the_second_operand() -> None:
    report, _ = checked(Powers, (randn(4), (randn(4) + 1).detach().requires_grad_()))
    (diagnosis,) = report.diagnoses
    assert "the second operand of `2 ** y`" in diagnosis.message


@pytest.mark.parametrize(
    ("function", "back"),
    [
        (lambda x: (x**2).sum(), lambda g, x: 2 / x * g),
        (lambda x: 1 / x, lambda g, x: -1 / x**4 * g),
    ],
)
def test_the_reciprocal_in_a_quotient_is_no_operand(
    function: Callable[[Tensor], Tensor], back: Callable[..., Tensor]
) -> None:
    diagnosis = only(randn(4).abs().detach().requires_grad_(), function, back)
    assert "wrong value" not in diagnosis.message
    assert "rsqrt" not in diagnosis.message


class Swish(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, beta: float) -> Tensor:
        s = 1 / (1 + torch.exp(-beta * x))
        ctx.save_for_backward(s)
        return x * s

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        (s,) = ctx.saved_tensors
        return g * s, None


def test_a_number_is_not_said_to_depend_on_the_input() -> None:
    report, _ = checked(Swish, (randn(5), 1.7))
    (diagnosis,) = report.diagnoses
    assert "treats `x` in `-beta * x`" in diagnosis.message


class Affine(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, g: Tensor, b: Tensor) -> Tensor:
        h = x.tanh()
        ctx.save_for_backward(h, g)
        return h * g + b

    @staticmethod
    def backward(ctx: Any, go: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h, g = ctx.saved_tensors
        # Torch adds up the second; it should be the sum of go * h.
        return go * g * (1 - h * h), go, go.sum(0)


def test_no_line_of_gradviz_is_blamed() -> None:
    x, g, b = randn(3, 4), randn(4), randn(4)
    report = gradviz.check(Affine, (x, g, b))
    (diagnosis,) = report.diagnoses
    assert ".py" not in diagnosis.message
    zeros = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    report = gradviz.check(torch.sqrt, (zeros,))
    (diagnosis,) = report.diagnoses
    assert "from output[1] is NaN at" in diagnosis.message
    assert ".py" not in diagnosis.message
