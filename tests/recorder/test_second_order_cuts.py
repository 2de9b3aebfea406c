"""Cuts in second-order graphs are found where a derivative is wrong, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from gradviz.analysis.history_cuts import HistoryCut, history_cuts
from tests.recorder.recorded_run import record_run

Tensor = torch.Tensor


class Recomputed(Function):
    """The correct way: values that depend on the input are computed in backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


class SavesIntermediate(Recomputed):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        dx = 3 * x**2
        ctx.save_for_backward(dx)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (dx,) = ctx.saved_tensors
        return grad_output * dx


class SavesMask(Recomputed):
    """A mask is an intermediate too, but its derivative is zero, and autograd is right."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        mask = (x > 0).to(x.dtype)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (mask,) = ctx.saved_tensors
        return grad_output * mask


class SavesNoise(SavesMask):
    """Noise of the shape of the input depends on no value of it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        noise = torch.rand_like(x) + 1
        ctx.save_for_backward(noise)
        return x * noise


class SavesView(Recomputed):
    """A view that forward makes has no history, though it shares the input's memory."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x.view_as(x))
        return x**3


class SavesOutput(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        return grad_output * y


class OnContext(Recomputed):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.dx = 3 * x**2
        return x**3

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        return grad_output * ctx.dx


class InputOnContext(Recomputed):
    """A leak but not a cut: the input keeps its history."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.x = x
        return x**3

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        return grad_output * 3 * ctx.x**2


class Detaches(Recomputed):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad_output.detach() * 3 * x**2


class DetachesAll(Recomputed):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return (grad_output * 3 * x**2).detach()


class UsesData(Recomputed):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x.data**2


class WithoutGrad(Recomputed):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            dx = torch.empty_like(x)
            dx.copy_(3 * x**2)
        return grad_output * dx


class ThroughNumpy(Recomputed):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        array = grad_output.detach().numpy() * 3 * x.detach().numpy() ** 2
        return torch.from_numpy(np.asarray(array))


class LooksFirst(Recomputed):
    """Reading a detached copy changes nothing."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        if not bool(grad_output.detach().isfinite().all()):
            raise ValueError
        return grad_output * 3 * x**2


class Doubles(Function):
    """Linear: its gradient depends on nothing but grad_output."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        return 2 * grad_output


class Split(Function):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x**3

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(3 * inputs[0] ** 2)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (dx,) = ctx.saved_tensors
        return grad_output * dx


class Once(Recomputed):
    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


def derivatives(function: Callable[[Tensor], Tensor], *, alone: bool = False) -> float | None:
    """The second derivative of ``function(x) * x**2`` at 2; None if torch returns None."""
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    y = function(x) if alone else function(x) * x**2
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    if not first.requires_grad:
        return None
    (second,) = torch.autograd.grad(first, x, allow_unused=True)
    return None if second is None else float(second)


def found(path: Path, function: type[Function], *, alone: bool = False) -> list[HistoryCut]:
    recording = record_run(path, lambda: derivatives(function.apply, alone=alone))
    assert recording.result == derivatives(function.apply, alone=alone) or function is SavesNoise
    return list(history_cuts(recording.index))


CUT = [
    (SavesIntermediate, "saved", False, "dx"),
    (SavesView, "saved", False, "x.view_as(x)"),
    (Split, "saved", False, "3 * inputs[0] ** 2"),
    (OnContext, "context", False, "ctx.dx"),
    (Detaches, "lost", False, ""),
    (DetachesAll, "lost", True, ""),
    (UsesData, "lost", False, ""),
    (WithoutGrad, "lost", False, ""),
    (ThroughNumpy, "unseen", True, ""),
]


@pytest.mark.parametrize(("function", "kind", "whole", "value"), CUT)
def test_a_cut_is_found_where_the_second_derivative_is_wrong(
    tmp_path: Path, function: type[Function], kind: str, whole: bool, value: str
) -> None:
    assert derivatives(function.apply) != 160
    (cut,) = found(tmp_path, function)
    assert (cut.kind, cut.whole, cut.value, cut.gradient) == (kind, whole, value, "x")
    assert (cut.location is not None) == (kind in ("saved", "context", "lost"))


@pytest.mark.parametrize("function", [Recomputed, InputOnContext, LooksFirst])
def test_nothing_is_found_where_it_is_right(tmp_path: Path, function: type[Function]) -> None:
    assert derivatives(function.apply) == 160
    assert found(tmp_path, function) == []


@pytest.mark.parametrize("function", [SavesMask, SavesNoise, SavesOutput, Doubles])
@pytest.mark.parametrize("alone", [False, True])
def test_a_constant_is_no_cut(tmp_path: Path, function: type[Function], alone: bool) -> None:
    assert found(tmp_path, function, alone=alone) == []


def test_without_a_graph_of_gradients_nothing_is_cut(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.tensor(2.0, requires_grad=True)
        SavesIntermediate.apply(x).backward()

    assert history_cuts(record_run(tmp_path, run).index) == ()


def test_an_error_node_that_is_never_executed_is_reported(tmp_path: Path) -> None:
    assert derivatives(Once.apply) == 64  # 2 * x**3 * 2 of 20 * x**3: silently too small.
    (cut,) = found(tmp_path, Once)
    assert cut.kind == "skipped"
    assert "Once" in cut.message


def test_a_declared_gradient_without_an_error_node_is_reported(tmp_path: Path) -> None:
    (cut,) = found(tmp_path, Once, alone=True)
    assert (cut.kind, cut.whole) == ("once", True)


def test_only_the_line_of_the_loss_is_reported(tmp_path: Path) -> None:
    (cut,) = found(tmp_path, Detaches)
    assert cut.location is not None
    text = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert text[cut.location.line - 1].strip() == "return grad_output.detach() * 3 * x**2"


FAULTS = ("none", "saved", "detached", "context")


def power(exponent: int, fault: str) -> type[Function]:
    class Power(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            slope = exponent * x ** (exponent - 1)
            if fault == "context":
                ctx.slope = slope
            ctx.save_for_backward(slope if fault == "saved" else x)
            return x**exponent

        @staticmethod
        def backward(ctx: Any, grad_output: Tensor) -> Tensor:
            (kept,) = ctx.saved_tensors
            if fault == "saved":
                return grad_output * kept
            if fault == "context":
                return grad_output * ctx.slope
            slope = exponent * kept ** (exponent - 1)
            return grad_output * (slope.detach() if fault == "detached" else slope)

    return Power


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(2, 4), st.sampled_from(FAULTS)), min_size=1, max_size=3))
def test_a_polynomial_is_wrong_exactly_where_a_cut_is_found(
    tmp_path_factory: pytest.TempPathFactory, terms: list[tuple[int, str]]
) -> None:
    functions = [power(*term) for term in terms]

    def polynomial(x: Tensor) -> Tensor:
        return torch.stack([function.apply(x) for function in functions]).sum()

    def plain(x: Tensor) -> Tensor:
        return torch.stack([x**exponent for exponent, _ in terms]).sum()

    recording = record_run(tmp_path_factory.mktemp("cut"), lambda: derivatives(polynomial))
    faults = sorted(fault for _, fault in terms if fault != "none")
    kinds = {"detached": "lost"}
    assert sorted(kinds.get(f, f) for f in faults) == sorted(
        cut.kind for cut in history_cuts(recording.index)
    )
    assert recording.result == derivatives(polynomial)
    right = derivatives(plain)
    assert right is not None
    assert (recording.result == pytest.approx(right)) == (not faults)
