"""Gradients of a reference, given as an expression or as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.reference.changed_derivative import ChangedDerivativeMode
from gradviz.checks.reference.forward_replay import replay_of
from gradviz.checks.reference.reference_jacobians import Reference
from tests.checks.sample_functions import Kept, block_of, checked, codes, randn

# Reference Jacobians: from a given plain implementation, or from a replayed forward.


class Scaled(Function):
    """``x * w``, whose gradient of w is wrong."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        _, w = ctx.saved_tensors
        return gradient * w, gradient * w


class Outside(Function):
    """Leaves torch in forward, so that autograd cannot follow."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.from_numpy(x.detach().numpy() ** 2) + 0 * x

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return gradient * 3


class InPlace(Function):
    """Uses setup_context, modifies its input in place and marks it dirty."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.mul_(2)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_dirty(inputs[0])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return gradient * 3


def multiply(x: Tensor, w: Tensor) -> Tensor:
    return x * w


def matrix(sink: Kept, number: int | None) -> Tensor:
    assert number is not None
    return sink.tensor(number)


def test_forward_itself_is_the_third_opinion_on_a_wrong_pair() -> None:
    x, w = randn(3), randn(3, seed=1)
    report, sink = checked(Scaled, (x, w))
    wrong = block_of(report, 0, 1)
    assert report.reference == "forward itself, differentiated by autograd"
    assert torch.equal(matrix(sink, wrong.reference), torch.diag(x.detach()))
    assert (wrong.wrong, wrong.reference_wrong) == (3, 0)
    assert block_of(report, 0, 0).reference is None


def test_what_leaves_torch_is_no_opinion() -> None:
    report, _ = checked(Outside, (randn(3),))
    assert (report.verdict, report.reference) == ("mismatch", "")
    assert block_of(report, 0, 0).reference is None


def test_forward_that_changes_its_input_can_be_replayed() -> None:
    x = randn(3)
    report, _ = checked(lambda x: InPlace.apply(x.clone()), (x,))
    assert block_of(report, 0, 0).reference is None  # A plain function has no forward to replay.
    before = x.detach().clone()
    replay = replay_of(InPlace)
    assert replay is not None
    (gradient,) = torch.autograd.grad(replay(x).sum(), x)
    assert torch.equal(gradient, torch.full_like(x, 2))
    assert torch.equal(x.detach(), before)


def test_a_given_reference_is_compared_in_every_block() -> None:
    x, w = randn(3), randn(3, seed=1)
    plain = Reference(title="multiply", call=multiply)
    report, sink = checked(Scaled, (x, w), reference=plain)
    assert report.reference == "multiply"
    for position, expected in ((0, w), (1, x)):
        block = block_of(report, 0, position)
        assert torch.equal(matrix(sink, block.reference), torch.diag(expected.detach()))
        assert block.reference_wrong == 0


def test_a_reference_of_second_order() -> None:
    x, w = randn(3), randn(3, seed=1)
    plain = Reference(title="multiply", call=multiply)
    report, sink = checked(torch.mul, (x, w), reference=plain, order=2)
    block = block_of(report, 1, 0)  # grad_w with respect to x: grad_output on the diagonal.
    assert torch.equal(matrix(sink, block.reference), matrix(sink, block.analytical))
    assert matrix(sink, block.reference).count_nonzero() == 3
    assert block.reference_wrong == 0


def test_of_second_order_the_gradients_have_to_be_the_same() -> None:
    plain = Reference(title="multiply", call=multiply)
    report, _ = checked(Scaled, (randn(3), randn(3, seed=1)), reference=plain, order=2)
    assert "reference_unfit" in codes(report)


def test_a_reference_that_computes_something_else_is_of_no_help() -> None:
    plain = Reference(title="plus", call=torch.add)
    report, _ = checked(Scaled, (randn(3), randn(3, seed=1)), reference=plain)
    (said,) = (each.message for each in report.problems if each.code == "reference_unfit")
    assert "output 0 of plus differs by up to" in said
    assert {block.reference for block in report.blocks} == {None}
    assert report.verdict == "mismatch"


def test_a_reference_that_raises_is_reported() -> None:
    plain = Reference(title="matmul", call=lambda x, w: x.reshape(7) + w)
    report, _ = checked(torch.mul, (randn(3), randn(3, seed=1)), reference=plain)
    assert (report.verdict, codes(report)) == ("match", ["reference_unfit"])


# Operands are named as the source writes them.


@pytest.mark.parametrize(
    ("forward", "call", "operands"),
    [
        (lambda x: 1 - x, "1 - x", {0: "x"}),
        (lambda x: 2.0 * x, "2.0 * x", {0: "x"}),
        (lambda x: 2 / x, "2 / x", {0: "x"}),
        (lambda x: x - 1, "x - 1", {0: "x"}),
        (lambda x: x @ x.detach().t(), "x @ x.detach().t()", {0: "x", 1: "x.detach().t()"}),
        (lambda x: x.mean(-1, keepdim=True), "x.mean(-1, keepdim=True)", {0: "x"}),
        (lambda x: torch.sum(x, 0), "torch.sum(x, 0)", {0: "x"}),
        (lambda x: x[0], "x[0]", {0: "x"}),
        (lambda x: -x, "-x", {0: "x"}),
    ],
)
def test_operands_are_those_of_the_call(
    forward: Callable[[Tensor], Tensor], call: str, operands: dict[int, str]
) -> None:
    mode = ChangedDerivativeMode()
    x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    with mode:
        forward(x)
    found = mode.calls[-1]
    assert found.source.call == call
    assert {place: found.source.operand(place) for place in operands} == operands
