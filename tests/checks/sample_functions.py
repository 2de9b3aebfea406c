"""Correct and wrong Functions to check, and what torch's gradcheck says about them."""

from __future__ import annotations

import contextlib
import importlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.run.jacobian_check import check
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValue

# `torch.autograd.gradcheck` names the function; its module has to be asked for.
reference = importlib.import_module("torch.autograd.gradcheck")


def inside(name: str) -> Any:
    """One of the reference's inner functions, which have no other name."""
    return getattr(reference, name)


class Kept:
    """A sink in memory."""

    def __init__(self) -> None:
        self.values: list[TensorValue] = []

    def store(self, value: TensorValue) -> int:
        self.values.append(value)
        return len(self.values)

    def tensor(self, number: int) -> Tensor:
        return torch.from_numpy(self.values[number - 1].array().copy())


def checked(
    function: Callable[..., Any], arguments: Sequence[Any], **options: Any
) -> tuple[JacobianReport, Kept]:
    sink = Kept()
    report = check(function, arguments, sink=sink, **options)
    # Faults of ours are told, not raised, so that they cost no verdict; here they fail the test.
    assert not {"bug", "examination_failed"} & {*codes(report)}, report.problems
    return report, sink


def verdict_of_torch(
    function: Callable[..., Any], arguments: Sequence[Any], settings: CheckSettings | None = None
) -> str:
    """The verdict of torch's gradcheck: ``match``, ``mismatch`` or ``error``."""
    chosen = settings or CheckSettings()
    return judged(
        reference.gradcheck,
        (function, tuple(arguments)),
        chosen,
        check_forward_ad=chosen.forward_mode == "on",
        check_backward_ad=chosen.backward_mode,
        check_undefined_grad=chosen.undefined,
        check_batched_forward_grad=chosen.batched_forward,
    )


def judged(
    judge: Callable[..., bool], arguments: tuple[Any, ...], settings: CheckSettings, **options: bool
) -> str:
    """The verdict of gradcheck or gradgradcheck."""
    with warnings.catch_warnings(), speechless():
        warnings.simplefilter("ignore")
        with contextlib.suppress(Exception):
            agrees = judge(
                *arguments,
                eps=settings.eps,
                atol=settings.atol,
                rtol=settings.rtol,
                nondet_tol=settings.nondet_tol,
                check_batched_grad=settings.batched,
                fast_mode=settings.fast,
                masked=settings.masked,
                raise_exception=False,
                **options,
            )
            return "match" if agrees else "mismatch"
    return "error"


def as_gradcheck(verdict: str) -> str:
    """The verdict of gradcheck, ignoring differences that are only rounding."""
    return "mismatch" if verdict == "inconclusive" else verdict


@contextlib.contextmanager
def speechless() -> Iterator[None]:
    """Gradcheck without fast mode's mismatch message, whose creation may raise.

    It counts inputs and outputs wrongly there, and compares float32 with float64.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "_run_slow_mode_and_get_error", lambda *_: "")
        yield


def matrices_of_torch(
    function: Callable[..., Any], arguments: Sequence[Any], part: str, eps: float
) -> tuple[list[tuple[Tensor, ...]], list[tuple[Tensor, ...]]]:
    """Torch's own matrices: numerical ``[input][output]``, analytical ``[output][input]``."""
    real, imag = inside("_real_and_imag_output")(function)
    chosen = imag if part == "imag" else real
    outputs = inside("_as_tuple")(chosen(*arguments))
    numerical = inside("_get_numerical_jacobian")(chosen, tuple(arguments), outputs, eps=eps)
    analytical = [
        inside("_check_analytical_jacobian_attributes")(
            tuple(arguments), output, float("inf"), check_grad_dtypes=False
        )
        for output in outputs
        if output.requires_grad
    ]
    return numerical, analytical


def assert_equal_to_torch(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    report: JacobianReport,
    sink: Kept,
) -> None:
    """Assert that every block equals torch's bit for bit and none is missing.

    Every output must be a tensor of a floating-point or complex type that requires a gradient.
    """
    positions = [i for i, each in enumerate(arguments) if wants_gradient(each)]
    for part in sorted({block.part for block in report.blocks}):
        numerical, analytical = matrices_of_torch(function, arguments, part, report.eps)
        for block in (each for each in report.blocks if each.part == part):
            i = positions.index(block.input)
            assert_same_bits(sink.tensor(block.numerical), numerical[i][block.output])
            assert_same_bits(sink.tensor(block.analytical), analytical[block.output][i])
    outputs = inside("_as_tuple")(function(*arguments))
    parts = sum(2 if output.is_complex() else 1 for output in outputs)
    assert len(report.blocks) == parts * len(positions)


def wants_gradient(argument: Any) -> bool:
    return isinstance(argument, Tensor) and argument.requires_grad


def assert_same_bits(ours: Tensor, theirs: Tensor) -> None:
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    theirs = theirs.detach().contiguous().resolve_conj()
    assert torch.equal(ours.view(-1).view(torch.uint8), theirs.view(-1).view(torch.uint8))


def block_of(report: JacobianReport, output: int, argument: int, part: str = "") -> JacobianBlock:
    (found,) = (
        block
        for block in report.blocks
        if (block.output, block.input, block.part) == (output, argument, part)
    )
    return found


def codes(report: JacobianReport) -> list[str]:
    return [problem.code for problem in report.problems]


def randn(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=dtype, generator=generator).requires_grad_()


class Scale(Function):
    """Multiplies by a number, and its gradient by another: correct if both are equal."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float, wrong_factor: float) -> Tensor:
        ctx.factor = wrong_factor
        return x * factor

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.factor, None, None


class Multiply(Function):
    """Two inputs and an arbitrary third argument."""

    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor, comment: object = None) -> Tensor:
        ctx.save_for_backward(left, right)
        return left * right

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        left, right = ctx.saved_tensors
        return gradients[0] * right, gradients[0] * left, None


class SinAndCube(Function):
    """Two outputs of different shapes from one input."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x)
        return x.sin(), (x**3).sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.cos() + gradients[1] * 3 * x**2


class Sort(Function):
    """Indices, which are integers, come before the values."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        values, order = x.sort()
        ctx.mark_non_differentiable(order)
        ctx.save_for_backward(order)
        return order, values

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (order,) = ctx.saved_tensors
        return torch.zeros_like(gradients[1]).index_copy(0, order, gradients[1])


class Noisy(Function):
    """Its gradient varies by up to one millionth."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 1

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * (1 + 1e-6 * torch.rand((), dtype=torch.float64))


class Unscaled(Function):
    """Correct only where grad_output is 1, because it ignores it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return torch.ones(3, dtype=torch.float64)


class Unmaterialized(Function):
    """Receives None for undefined gradients; if both are undefined, does as requested."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, reaction: str) -> tuple[Tensor, Tensor]:
        ctx.set_materialize_grads(False)
        ctx.reaction = reaction
        return x * 2, x * 3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        first, second = gradients
        if first is None and second is None:
            if ctx.reaction == "refuse":
                raise RuntimeError("no gradient")
            if ctx.reaction == "break":
                return first * 2, None
            return (torch.ones(3, dtype=torch.float64) if ctx.reaction == "ones" else None), None
        if first is None or second is None:
            return (second * 3 if first is None else first * 2), None
        return first * 2 + second * 3, None


class WrongAndBreaking(Function):
    """A wrong gradient, and a TypeError for an undefined one."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 3


class Raises(Function):
    """Raises at the given place."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, where: str) -> Tensor:
        ctx.where = where
        if where == "forward" or (where == "moved" and float(x.detach()[0]) != 1.0):
            raise KeyError("forward is broken")
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        if ctx.where == "backward":
            raise ValueError("backward is broken")
        return gradients[0] * 2, None


class WrongShape(Function):
    """The engine refuses its gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].new_ones(7)
