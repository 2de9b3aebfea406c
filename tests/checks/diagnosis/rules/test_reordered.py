"""Right gradients in the wrong order along a dimension of the input, and near misses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.sample_functions import checked

Edit = Callable[[Tensor], Tensor]


def edited(edit: Edit) -> type[Function]:
    """A Function of a matrix whose gradient is edited."""

    class Product(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            return x.sin().cumsum(0) + x.square()

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            (g,) = gradients
            (x,) = ctx.saved_tensors
            right = g.flip(0).cumsum(0).flip(0) * x.cos() + 2 * g * x
            # NumPy's, so that no change of an operation of torch explains it.
            return torch.from_numpy(edit(right).detach().numpy())

    return Product


def halves(g: Tensor) -> Tensor:
    first, second = g.chunk(2, dim=1)
    return torch.cat((second, first), dim=1)


def told(edit: Edit) -> list[tuple[str, str, str]]:
    source = torch.Generator().manual_seed(0)
    x = torch.rand(3, 4, generator=source, dtype=torch.float64) + 0.5
    report, _ = checked(edited(edit), (x.requires_grad_(),))
    return [(each.code, each.confidence, each.message) for each in report.diagnoses]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (halves, "its two halves along dimension 1 of x are exchanged"),
        (lambda g: g[[1, 0, 2]], "in the wrong order along dimension 0 of x: index 0 has"),
        (lambda g: g[:, [2, 0, 1, 3]], "along dimension 1 of x: index 0 has the values of index 2"),
    ],
)
def test_right_values_in_the_wrong_order(edit: Edit, words: str) -> None:
    ((code, _, message),) = told(edit)
    assert code == "wrong_some_indices"
    assert words in message
    assert "has the right values" in message


@pytest.mark.parametrize(
    "edit",
    [
        lambda g: 1.01 * halves(g),
        lambda g: torch.cat((g[:, 2:], g[:, :2] * 0.9), dim=1),
        lambda g: g[[1, 0, 0]],
        lambda g: torch.roll(g, 1, 1),
    ],
)
def test_other_values_or_a_clearer_cause(edit: Edit) -> None:
    diagnoses = told(edit)
    assert diagnoses
    assert all("has the right values" not in message for _, _, message in diagnoses)


def test_equal_parts_have_no_order() -> None:
    class Triple(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return 3 * x.sum(0)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            return 3 * gradients[0].expand(2, -1) * torch.tensor([[1.0], [2.0]])

    report, _ = checked(Triple, (torch.ones(2, 3, dtype=torch.float64, requires_grad=True),))
    assert all("right values" not in each.message for each in report.diagnoses)
    assert report.diagnoses
