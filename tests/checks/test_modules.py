"""A module's parameters are checked like inputs, under their own names."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd import Function

import gradviz
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianReport
from tests.checks.sample_functions import checked, codes, randn, verdict_of_torch


class Product(Function):
    """A product whose gradient of the weight can be wrong."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, factor: float) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.factor = factor
        return x @ weight.t()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, weight = ctx.saved_tensors
        return gradients[0] @ weight, gradients[0].t() @ x * ctx.factor, None


class Layer(nn.Module):
    """A layer with a parameter called like an argument, and one that is frozen."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.x = nn.Parameter(randn(2, 3, seed=5).detach())
        self.shift = nn.Parameter(randn(2, seed=6).detach(), requires_grad=False)
        self.factor = factor

    def forward(self, x: Tensor, *, scale: float = 1.0) -> Any:
        return Product.apply(x, self.x, self.factor) * scale + self.shift


def inputs_of(report: JacobianReport) -> list[str]:
    return [block.input_name for block in report.blocks]


@pytest.mark.parametrize("order", [1, 2])
def test_an_input_without_a_gradient_leaves_the_parameters_to_check(order: int) -> None:
    layer, x = nn.Linear(3, 2).double(), randn(4, 3).detach()
    result = gradviz.check(layer, x, order=order)
    assert (result.verdict, result.passed) == ("match", True)
    given = {block.input_name: block.input for block in result.report.blocks}
    assert {"weight": 1, "bias": 2}.items() <= given.items()
    assert str(result).splitlines()[1].startswith("float64 on cpu, eps 1e-06")


def test_a_jacobian_is_gradchecks_for_the_functional_call() -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Tanh()).double()
    before = {name: each.clone() for name, each in net.named_parameters()}
    report, sink = checked(net, (randn(4, 3),))
    assert inputs_of(report) == ["input", *before]
    names = list(before)

    def function(x: Tensor, *parameters: Tensor) -> Any:
        return torch.func.functional_call(net, dict(zip(names, parameters, strict=True)), (x,))

    assert report.verdict == verdict_of_torch(function, (randn(4, 3), *net.parameters()))
    rows = torch.autograd.functional.jacobian(function, (randn(4, 3), *net.parameters()))
    for block, matrix in zip(report.blocks, rows, strict=True):
        expected = matrix.reshape(8, -1).T
        assert torch.allclose(sink.tensor(block.analytical), expected)
    assert all(torch.equal(before[name], each) for name, each in net.named_parameters())
    assert all(each.grad is None for each in net.parameters())


def test_a_wrong_gradient_of_a_parameter_is_found_and_named() -> None:
    report, _ = checked(Layer(2.0), (randn(4, 3),), names=["x"])
    assert report.verdict == "mismatch"
    assert [(each.input_name, each.wrong > 0) for each in report.blocks] == [
        ("x", False),
        ("self.x", True),
    ]
    (found,) = report.diagnoses
    assert (found.code, found.input) == ("factor_constant", 1)
    assert "The gradient of self.x is 2 times" in found.message


def test_frozen_parameters_and_sizes_stay_as_they_are() -> None:
    report, _ = checked(Layer(1.0), (randn(4, 3),), settings=CheckSettings(variations=True))
    assert report.passed
    assert inputs_of(report) == ["x", "self.x"]
    assert not any("self.x (" in each.name for each in report.trials)


def test_a_cast_reaches_the_parameters_of_a_copy() -> None:
    layer = nn.Linear(3, 2)
    report, _ = checked(layer, (torch.ones(4, 3),), settings=CheckSettings(cast=True))
    assert (report.verdict, report.cast_from, report.dtype) == ("match", "float32", "float64")
    assert layer.weight.dtype == torch.float32


def test_many_parameters_are_left_to_fast_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.checks.run.jacobian_check.MOST_ELEMENTS", 4)
    layer = nn.Linear(3, 2).double()
    report, _ = checked(layer, (randn(1, 3),))
    assert (inputs_of(report), codes(report)) == (["input"], ["parameters_left_out"])
    assert "parameters have 8 elements" in report.problems[0].message
    report, _ = checked(layer, (randn(1, 3),), settings=CheckSettings(fast=True))
    assert (report.verdict, codes(report)) == ("match", [])
    report, _ = checked(layer, (randn(1, 3).detach(),))
    assert inputs_of(report) == ["weight", "bias"]


def test_a_reference_takes_the_modules_own_arguments() -> None:
    layer = nn.Linear(3, 2).double()
    result = gradviz.check(layer, randn(4, 3), reference=lambda x: x @ layer.weight.T + layer.bias)
    assert [block.reference_wrong for block in result.report.blocks] == [0, 0, 0]
    assert all(block.reference is not None for block in result.report.blocks)


def test_a_lazy_module_is_called_once_to_create_its_parameters() -> None:
    layer = nn.LazyLinear(2, dtype=torch.float64)
    x = torch.ones(1, 3, dtype=torch.float64, requires_grad=True)
    before = torch.random.get_rng_state()
    result = gradviz.check(layer, (x,))
    assert result.verdict == "match"
    assert [each.input_name for each in result.report.blocks] == ["input", "weight", "bias"]
    assert torch.equal(torch.random.get_rng_state(), before)
    # It stays as the failed call leaves it.
    refused = gradviz.check(nn.LazyConv2d(2, 3), (x,))
    assert refused.verdict == "error"
    assert "Expected 3D (unbatched) or 4D (batched) input" in str(refused)


@pytest.mark.filterwarnings("ignore:.*torch.jit.*")
def test_a_script_module_is_checked_with_its_parameters() -> None:
    script = torch.jit.script(nn.Linear(3, 1).double())
    x = torch.ones(1, 3, dtype=torch.float64, requires_grad=True)
    result = gradviz.check(script, (x,))
    assert (result.verdict, len(result.report.blocks)) == ("match", 3)
