"""CPU time of a full check (both Jacobians, determinism, verdict), relative to gradcheck."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from benchmarks.line import Line, interleaved
from benchmarks.workloads import Linear
from gradviz.checks.run.jacobian_check import check
from gradviz.model.tensor import TensorValue

SIZES = {"G1": ((20, 20), (30, 20)), "G2": ((50, 50), (50, 50))}
LARGE = 4096


class Count:
    """Discards the matrices and counts them."""

    def __init__(self) -> None:
        self.matrices = 0

    def store(self, _value: TensorValue) -> int:
        """Returns a new id for the matrix."""
        self.matrices += 1
        return self.matrices


class Scale(torch.autograd.Function):
    """Element-wise ``a * b``."""

    @staticmethod
    def forward(ctx, a, b):
        """Multiplies ``a`` and ``b``."""
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        """Returns both gradients."""
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


def lines() -> Iterator[Line]:
    """Yields a result for each input size."""
    torch.manual_seed(0)
    for name, (x_shape, weight_shape) in SIZES.items():
        x = torch.randn(x_shape, dtype=torch.float64, requires_grad=True)
        weight = torch.randn(weight_shape, dtype=torch.float64, requires_grad=True)
        bias = torch.zeros(weight_shape[0], dtype=torch.float64)
        yield _compared(f"check {name}", Linear, (x, weight, bias), seconds=2.0)
    pair = tuple(torch.randn(LARGE, dtype=torch.float64, requires_grad=True) for _ in range(2))
    yield _compared(f"check two inputs of {LARGE:,} elements", Scale, pair, seconds=0.0)


def _compared(
    name: str,
    function: type[torch.autograd.Function],
    inputs: tuple[torch.Tensor, ...],
    *,
    seconds: float,
) -> Line:
    # With more than one run, `interleaved` warms up first. Otherwise the first check would wait
    # until the system has cleared the memory that it uses.
    runs = 5 if seconds else 2

    def ours() -> None:
        assert check(function, inputs, sink=Count()).verdict == "match"

    def theirs() -> None:
        assert torch.autograd.gradcheck(function.apply, inputs)

    own, peers = interleaved(ours, theirs, seconds=seconds, runs=runs)
    return Line(name=name, ours=own, peer="gradcheck", peers=peers, bar=0.25)
