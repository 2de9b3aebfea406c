"""A mistake that several inputs share is reported once and names all of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.checks.broken.corpus import made
from tests.checks.sample_functions import checked, randn


def lost_column(g: Any, a: Tensor, b: Tensor) -> Any:
    d = g[0].clone()
    d[:, -1] = 0
    return d * b, d * a


def lost_columns(g: Any, a: Tensor, b: Tensor) -> Any:
    grad_a, grad_b = g[0] * b, g[0] * a
    grad_a[:, -1], grad_b[:, 0] = 0, 0
    return grad_a, grad_b


def no_slope(g: Any, a: Tensor, b: Tensor) -> Any:
    return g[0] @ b.t(), a.t() @ g[0]


@pytest.mark.parametrize(
    ("function", "diagnosis"),
    [
        (
            made(lambda a, b: a * b, lost_column),
            "inputs[0][:, -1] and inputs[1][:, -1]",
        ),
        (
            made(lambda a, b: a + b, lambda g, a, b: (g[0].t(), g[0].t())),
            "The gradient of inputs[0] and inputs[1] is returned transposed",
        ),
        (
            made(lambda a, b: (a @ b).tanh(), no_slope),
            "multiply the gradient of output by (1 - output**2)",
        ),
    ],
    ids=["indices", "transposed", "slope"],
)
def test_it_is_reported_once(function: type[torch.autograd.Function], diagnosis: str) -> None:
    given = [0.5 * randn(3, 3, seed=seed).detach() for seed in (0, 1)]
    report, _ = checked(function, tuple(each.requires_grad_() for each in given))
    (found,) = report.diagnoses
    assert (found.output, found.input) == (0, None)
    assert diagnosis in found.message


def test_different_mistakes_are_not_put_together() -> None:
    report, _ = checked(made(lambda a, b: a * b, lost_columns), (randn(3, 4), randn(3, 4, seed=1)))
    assert [each.input for each in report.diagnoses] == [0, 1]
    assert "inputs[0][:, -1]" in report.diagnoses[0].message
    assert "inputs[1][:, 0]" in report.diagnoses[1].message
