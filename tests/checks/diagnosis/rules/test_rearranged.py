"""Gradients that are passed on, shifted, reordered or transposed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.scenes.linear_wrong import LinearFunction
from tests.checks.broken.corpus import made
from tests.checks.sample_functions import checked, randn
from tests.sweeps import generated

# Gradients that pass where forward is constant, and gradients at the wrong index.


CLAMP = made(lambda x: x.clamp(-0.5, 0.5), lambda g, x: g[0])
"""A clamp that passes every gradient."""

NUMPY_CLAMP = made(
    lambda x: torch.from_numpy(x.detach().numpy().clip(-0.5, 0.5)), lambda g, x: g[0]
)


@pytest.mark.parametrize("function", [CLAMP, NUMPY_CLAMP])
@pytest.mark.parametrize("seed", range(5))
def test_a_clamp_is_straight_through_or_lacks_a_mask(function: type[Function], seed: int) -> None:
    values = torch.randn(6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    report, _ = checked(function, (values.requires_grad_(),))
    (found,) = report.diagnoses
    assert found.code == "straight_through"
    assert "straight-through gradient if it is intended" in found.message
    assert "a mask is missing" in found.message


def quantized_back(g: Any, x: Tensor, s: Tensor) -> Any:
    """Learned step size: the gradient of ``s`` needs the derivative of round."""
    r = x / s
    inside = ((r >= -2) & (r <= 1)).to(g[0].dtype)
    steps = inside * (r.round() - r) + (r < -2) * -2.0 + (r > 1) * 1.0
    return g[0] * inside, (g[0] * steps).sum()


QUANTIZED = made(lambda x, s: (x / s).round().clamp(-2, 1) * s, quantized_back)


@pytest.mark.parametrize("seed", range(4))
def test_a_learned_scale_follows_from_straight_through(seed: int) -> None:
    source = torch.Generator().manual_seed(seed)
    x = (torch.randn(6, generator=source, dtype=torch.float64) * 2).requires_grad_()
    s = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    report, _ = checked(QUANTIZED, (x, s))
    assert {each.code for each in report.diagnoses} == {"straight_through"}
    assert all(each.repair is None for each in report.diagnoses)


TINY = made(
    lambda x: x * x.new_tensor([1e-06, 1, 1]), lambda g, x: g[0] * g[0].new_tensor([5e-06, 1, 1])
)
"""A gradient five times too large at one element, where it is below atol."""


def test_values_below_the_tolerance_are_not_certain() -> None:
    report, _ = checked(TINY, (torch.ones(3, dtype=torch.float64, requires_grad=True),))
    (found,) = report.diagnoses
    assert (found.code, found.confidence) == ("none", "likely")
    assert "5e-06" in found.message
    assert "atol" in found.message


# Right gradients in the wrong order along a dimension of the input, and near misses.


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


# A missing or extra transpose is diagnosed exactly where there is one.


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


RUNNING_SUM = made(lambda x: x.cumsum(0), lambda g, x: g[0].cumsum(0))
"""Its backward runs in the direction of forward, so that it is the same map, not transposed."""


@pytest.mark.parametrize("shape", [(4,), (3, 3), (2, 5)])
def test_any_linear_map_has_its_transpose(shape: tuple[int, ...]) -> None:
    report, _ = checked(RUNNING_SUM, (randn(*shape),))
    (diagnosis,) = report.diagnoses
    assert diagnosis.code == "transposed"
    assert "the cumulative sum in test_rearranged.py, line" in diagnosis.message
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


FRESHLY_RANDOM = made(
    lambda x, right, wrong: (right @ x.reshape(-1)).reshape(x.shape),
    lambda g, x, right, wrong: (wrong.t() @ g[0].reshape(-1)).reshape(g[0].shape),
)
"""A matrix unrelated to the true one."""


@generated(seed=st.integers(0, 999), size=st.integers(2, 3), few=12, many=40, derandomize=True)
def test_random_matrices_are_no_transposes(seed: int, size: int) -> None:
    right, wrong = (randn(size**2, size**2, seed=seed + k).detach() for k in (0, 1000))
    report, _ = checked(FRESHLY_RANDOM, (randn(size, size, seed=seed), right, wrong))
    assert [diagnosis.code for diagnosis in report.diagnoses] == ["unknown"]


def test_what_is_right_has_no_diagnosis() -> None:
    report, _ = checked(Product, (randn(3, 3), randn(3, 3, seed=1), "none"))
    assert (report.verdict, [each.code for each in report.diagnoses]) == ("match", ["none"])
