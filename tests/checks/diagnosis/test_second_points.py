"""What is said about indices was tried with other values; damage hides no other mistake."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.sample_functions import checked


class Sine(Function):
    """The derivative at sin(x) instead of x: wrong everywhere, but hardly so near 0."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return torch.sin(x) * w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return gradients[0] * torch.cos(torch.sin(x)) * w, gradients[0] * torch.sin(x)


class Euler(Function):
    """The derivative after the step instead of before."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x - 0.2 * x**3
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        return gradients[0] * (1 - 0.6 * y**2)


class Softplus(Function):
    """Wrong for negative values, which shows only where they are not very small."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.nn.functional.softplus(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        negative = x.exp() / (1 + 2 * x.exp())
        return gradients[0] * torch.where(x > 0, 1 - 1 / (1 + x.exp()), negative)


def values(*given: float) -> Tensor:
    return torch.tensor(given, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (Sine, (values(0.01, 1.2, -0.02, 0.9), values(1, 2, 3, 4))),
        (Euler, (values(-1.7, 0.016, -0.014, 0.02),)),
        (Softplus, (values(1, 2, -15, -14, -1),)),
    ],
)
def test_errors_below_the_noise_are_no_matter_of_indices(
    function: type[Function], inputs: tuple[Any, ...]
) -> None:
    report, _ = checked(function, inputs)
    assert "x[" not in report.diagnoses[0].message


class Damaged(Function):
    """Changes what it saved on ctx, and takes a mean over the batch where a sum is right."""

    @staticmethod
    def forward(ctx: Any, s: Tensor, b: Tensor) -> Tensor:
        x = b / s
        ctx.save_for_backward(s, x)
        ctx.scale = torch.ones_like(s)
        return x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        s, x = ctx.saved_tensors
        gb = gradients[0] / s * ctx.scale
        ctx.scale.mul_(1.5)
        return (-gb * x).mean(0), gb


def test_damage_hides_no_mean() -> None:
    source = torch.Generator().manual_seed(0)
    s = (torch.rand(3, generator=source, dtype=torch.float64) + 1).requires_grad_()
    b = torch.randn(5, 3, generator=source, dtype=torch.float64).requires_grad_()
    report, _ = checked(Damaged, (s, b))
    codes = {each.code: each for each in report.diagnoses}
    assert codes.keys() == {"inplace_damage", "factor_batch_size"}
    assert "1/5" in codes["factor_batch_size"].message
    assert codes["factor_batch_size"].input == 0


class ClearsTail(Function):
    """Clears a part of its own output in backward, which no second backward notices."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x * 2
        ctx.tail = y.detach()[1:]
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        ctx.tail.zero_()
        return gradients[0] * 2


def test_a_view_of_an_output_is_seen_from_outside() -> None:
    report, _ = checked(ClearsTail, (values(1, 2, 3),))
    assert [each.code for each in report.diagnoses] == ["inplace_damage"]


class Odd(Function):
    """A constant that is wrong by an amount that nobody forgets."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x + x * x / 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * (x + 1.0173)


class Raises(Function):
    """Fails in backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise ValueError("no table")


def test_an_absurd_amount_is_no_repair() -> None:
    report, _ = checked(Odd, (values(1, 2.5, -3),))
    assert not any(each.repair and "0.0173" in each.repair.message for each in report.diagnoses)


def test_a_reported_problem_is_the_cause() -> None:
    report, _ = checked(Raises, (values(1, 2),))
    (found,) = report.diagnoses
    assert (found.code, found.confidence) == ("unknown", "likely")
    assert "no table" in found.message
