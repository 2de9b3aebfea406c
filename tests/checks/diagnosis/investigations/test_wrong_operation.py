"""What is said about single operations of backward is true, and names the line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from gradviz.model.diagnosis import Diagnosis
from tests.checks.broken.corpus import made
from tests.checks.sample_functions import checked, randn


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
    assert "Use dim=1 in test_wrong_operation.py, line" in diagnosis.repair.message


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
    assert "(`g[0] * normal`) lacks a factor: inputs[1]." in diagnosis.message


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
    assert "raises an error if the incoming gradient is not contiguous" in last.message
