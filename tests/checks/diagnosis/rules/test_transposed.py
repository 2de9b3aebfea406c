"""A missing or extra transpose is diagnosed exactly where there is one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.scenes.linear_wrong import LinearFunction
from tests.checks.sample_functions import checked, randn
from tests.sweeps import generated

FAULTS = ("weight", "input", "grad", "arriving", "none")


class Product(Function):
    """``x @ w``, whose gradients lack a transpose or have one too many."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, fault: str) -> Tensor:
        ctx.save_for_backward(x, w)
        ctx.fault = fault
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        (g,) = gradients
        grad_x, grad_w = g @ w.t(), x.t() @ g
        if ctx.fault == "weight":
            grad_w = x @ g
        elif ctx.fault == "input":
            grad_x = g @ w
        elif ctx.fault == "grad":
            grad_x = grad_x.t()
        elif ctx.fault == "arriving":
            grad_x = g.t() @ w.t()
        return grad_x, grad_w, None


def test_linear_wrong_is_reported() -> None:
    x = torch.arange(4, dtype=torch.float64).view(2, 2).requires_grad_()
    w = torch.arange(6, dtype=torch.float64).view(2, 3).requires_grad_()
    report, _ = checked(LinearFunction, (x, w, None))
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.output, diagnosis.input, diagnosis.part) == (
        "transposed",
        0,
        1,
        "",
    )
    assert "The gradient of weight lacks a transpose, or has one too many" in diagnosis.message
    assert "all 36 analytical values" in diagnosis.message
    assert "dimension 0 of weight and dimension 0 of output swapped" in diagnosis.message
    block = next(each for each in report.blocks if each.wrong)
    assert block.worst is not None
    assert (block.wrong, block.count) == (6, 36)
    assert (block.worst.input_index, block.worst.output_index) == ((1, 0), (0, 0))
    assert block.worst.analytical == 2
    assert block.worst.numerical.real == pytest.approx(1)


EXPECTED = {
    "weight": (1, "The gradient of w lacks a transpose"),
    "input": (0, "The gradient of x lacks a transpose"),
    "grad": (0, "The gradient of x is returned transposed"),
    "arriving": (0, "The gradient of output is used transposed for x"),
}


@pytest.mark.parametrize("fault", EXPECTED)
def test_each_place_of_the_transpose(fault: str) -> None:
    report, _ = checked(Product, (randn(4, 4), randn(4, 4, seed=1), fault))
    (diagnosis,) = report.diagnoses
    assert diagnosis.code == "transposed"
    assert diagnosis.input == EXPECTED[fault][0]
    assert EXPECTED[fault][1] in diagnosis.message


@generated(
    batch=st.integers(2, 4),
    width=st.integers(2, 4),
    seed=st.integers(0, 99),
    data=st.data(),
    few=12,
    many=40,
    derandomize=True,
)
def test_random_sizes(batch: int, width: int, seed: int, data: st.DataObject) -> None:
    """The weight's fault runs for a square ``x``, the input's for a square ``w``."""
    fault = data.draw(st.sampled_from(("weight", "input")))
    x = randn(width, width, seed=seed) if fault == "weight" else randn(batch, width, seed=seed)
    w = randn(width, batch if fault == "weight" else width, seed=seed + 1)
    report, _ = checked(Product, (x, w, fault))
    assert [diagnosis.code for diagnosis in report.diagnoses] == ["transposed"]


class RunningSum(Function):
    """Its backward runs in the direction of forward, so that it is the same map, not transposed."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.cumsum(0)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].cumsum(0)


@pytest.mark.parametrize("shape", [(4,), (3, 3), (2, 5)])
def test_any_linear_map_has_its_transpose(shape: tuple[int, ...]) -> None:
    report, _ = checked(RunningSum, (randn(*shape),))
    (diagnosis,) = report.diagnoses
    assert diagnosis.code == "transposed"
    assert "the cumulative sum in test_transposed.py, line" in diagnosis.message
    assert "runs in the wrong direction" in diagnosis.message
    assert ".t()" not in diagnosis.message


class Distorted(Function):
    """A mistake other than a transpose: a factor, a sign, a shift, noise, a lost row."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, fault: str) -> Tensor:
        ctx.save_for_backward(x, w)
        ctx.fault = fault
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        (g,) = gradients
        faulty = {
            "factor": lambda: 2 * x.t() @ g,
            "sign": lambda: -(x.t() @ g),
            "shift": lambda: (x.t() @ g).roll(1, 0),
            "lost row": lambda: torch.cat([(x.t() @ g)[:-1], torch.zeros_like(w[:1])]),
            "nearly transposed": lambda: 1.01 * (x @ g),
            "values": lambda: x.t() @ g * torch.arange(1, w.numel() + 1).view(w.shape),
        }
        return g @ w.t(), faulty[ctx.fault](), None


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("fault", ["lost row", "nearly transposed", "shift", "values"])
def test_it_is_never_claimed_where_it_does_not_hold(fault: str, size: int) -> None:
    report, _ = checked(Distorted, (randn(size, size), randn(size, size, seed=1), fault))
    expected = "wrong_some_indices" if fault in ("lost row", "shift") else "unknown"
    assert [diagnosis.code for diagnosis in report.diagnoses] == [expected]


class FreshlyRandom(Function):
    """A matrix unrelated to the true one."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, right: Tensor, wrong: Tensor) -> Tensor:
        ctx.save_for_backward(wrong)
        return (right @ x.reshape(-1)).reshape(x.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (wrong,) = ctx.saved_tensors
        return (wrong.t() @ gradients[0].reshape(-1)).reshape(gradients[0].shape), None, None


@generated(seed=st.integers(0, 999), size=st.integers(2, 3), few=12, many=40, derandomize=True)
def test_random_matrices_are_no_transposes(seed: int, size: int) -> None:
    right, wrong = (randn(size**2, size**2, seed=seed + k).detach() for k in (0, 1000))
    report, _ = checked(FreshlyRandom, (randn(size, size, seed=seed), right, wrong))
    assert [diagnosis.code for diagnosis in report.diagnoses] == ["unknown"]


def test_what_is_right_has_no_diagnosis() -> None:
    report, _ = checked(Product, (randn(3, 3), randn(3, 3, seed=1), "none"))
    assert (report.verdict, [each.code for each in report.diagnoses]) == ("match", ["none"])
