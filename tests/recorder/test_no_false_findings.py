"""Correct code of many kinds gets no warning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.utils.checkpoint import checkpoint

import gradviz
from tests.recorder.programs import Scale
from tests.recorder.recorded_run import record_run


class _Untyped(Function):
    """Called by an `apply` that has no types."""

    apply: Any


class Dropout(_Untyped):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        mask = (torch.rand_like(x) > 0.5).to(x.dtype) * 2
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (mask,) = ctx.saved_tensors
        return grad_output * mask


class Product(_Untyped):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return grad_output @ b.t(), a.t() @ grad_output


class ReversesGradient(_Untyped):
    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:
        ctx.factor, ctx.shape, ctx.about = factor, x.shape, {"axes": [0, 1]}
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return -grad_output * ctx.factor, None


class TwoByTwo(_Untyped):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2, y * 3

    @staticmethod
    def backward(ctx: Any, grad_x: Tensor | None, grad_y: Tensor | None) -> Any:
        return None if grad_x is None else grad_x * 2, None if grad_y is None else grad_y * 3


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.ones(2))
        self.inner = Adds([self])

    def encode(self, x: Tensor) -> Tensor:
        return self.inner(x)


class Adds(nn.Module):
    def __init__(self, outer: list[Any]) -> None:
        super().__init__()
        self.outer = outer

    def forward(self, x: Tensor) -> Tensor:
        return x + self.outer[0].place


class Negative(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return -x


def leaf(*sizes: int) -> Tensor:
    return torch.ones(*sizes, requires_grad=True)


def dropout() -> None:
    Dropout.apply(leaf(4)).sum().backward()


def dropout_twice() -> None:
    x = leaf(4)
    (first,) = torch.autograd.grad(Dropout.apply(x).pow(2).sum(), x, create_graph=True)
    first.sum().backward()


def autocast() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = Product.apply(leaf(2, 3), leaf(3, 2))
    output.sum().backward()


def reversed_gradient() -> None:
    ReversesGradient.apply(leaf(3) * 2, 0.5).sum().backward()


def one_output_unused() -> None:
    TwoByTwo.apply(leaf(3), leaf(3))[1].sum().backward()


def method_of_a_module() -> None:
    Model().encode(leaf(2)).sum().backward()


def parameter_as_argument() -> None:
    Negative()(nn.Parameter(torch.ones(2))).sum().backward()


def transformer() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    optimizer = torch.optim.AdamW(layer.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        layer(torch.ones(2, 3, 8)).sum().backward()
        optimizer.step()


def checkpointed() -> None:
    x = leaf(4)
    output: Any = checkpoint(lambda x: Dropout.apply(x).exp(), x, use_reentrant=False)
    output.sum().backward()


def checked() -> None:
    """A check, which calls backward in ways that the program does not."""
    x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    assert gradviz.check(Scale, x).verdict == "match"


@pytest.mark.parametrize("level", ["nodes", "all"])
@pytest.mark.parametrize(
    "code",
    [
        *(dropout, dropout_twice, autocast, reversed_gradient, one_output_unused),
        *(method_of_a_module, parameter_as_argument, transformer, checkpointed, checked),
    ],
    ids=lambda code: code.__name__,
)
def test_nothing_warns(code: Callable[[], None], level: str, tmp_path: Path) -> None:
    recording = record_run(tmp_path, code, level=level)
    assert [each.message for each in recording.trace.findings if each.severity != "info"] == []


def test_a_loss_that_a_complex_number_multiplies(tmp_path: Path) -> None:
    """It is no scale, and the rules on training can all be applied."""

    def run() -> None:
        weight = torch.ones(2, dtype=torch.complex64, requires_grad=True)
        loss = weight.sum() * torch.tensor(2j)
        loss.backward(torch.ones_like(loss))

    assert record_run(tmp_path, run).trace.findings == ()
