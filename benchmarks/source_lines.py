"""Cost of recording source lines: 10,000 calls of a custom Function, relative to a plain run.

The Function is deliberately small, a linear layer of 32 units, so that recording dominates the
time.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from benchmarks.line import Line, interleaved
from benchmarks.recording import ORIGIN
from gradviz.model.inside import RecordingLevel
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter

CALLS = 10_000
UNITS = 32


class Linear(torch.autograd.Function):
    """A linear layer in the style of the PyTorch tutorials."""

    @staticmethod
    def forward(ctx: Any, x: Any, weight: Any, bias: Any) -> Any:
        """Applies the layer; forward and backward together run fourteen lines per call."""
        ctx.save_for_backward(x, weight)
        y = x.mm(weight.t())
        y += bias
        return y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Returns the gradients that are needed."""
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad.t().mm(x)
        if ctx.needs_input_grad[2]:
            grad_bias = grad.sum(0)
        return grad_x, grad_weight, grad_bias


def lines() -> Iterator[Line]:
    """Yields results for a trace function that only counts (the floor), and for gradviz."""
    torch.manual_seed(0)
    step = _step()
    plain, counted, recorded, with_ops = interleaved(
        step,
        lambda: _count(step),
        lambda: _record(step, "lines"),
        lambda: _record(step, "all"),
        seconds=0,
        runs=3,
    )
    floor = "count lines with settrace"
    yield Line(name=floor, ours=counted, peer="plain", peers=plain, bar=None)
    name = f"record source lines, {CALLS:,} calls"
    yield Line(name=name, ours=recorded, peer="plain", peers=plain, bar=15)
    name = f"record source lines and ops, {CALLS:,} calls"
    yield Line(name=name, ours=with_ops, peer="plain", peers=plain, bar=None)


def _step() -> Callable[[], None]:
    weight = (torch.randn(UNITS, UNITS) / UNITS**0.5).requires_grad_()
    bias = torch.randn(UNITS, requires_grad=True)

    def step() -> None:
        # Many short chains: a single long one would be slow because of its depth alone.
        for _ in range(100):
            x = torch.randn(16, UNITS, requires_grad=True)
            for _ in range(CALLS // 100):
                x = Linear.apply(x, weight, bias)
            x.sum().backward()

    return step


def _count(step: Callable[[], None]) -> None:
    count = 0

    def trace(frame: object, event: str, arg: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        step()
    finally:
        sys.settrace(before)


def _record(step: Callable[[], None], level: RecordingLevel) -> None:
    options = RecordingOptions(level=level, pass_console_on=False)
    with tempfile.TemporaryDirectory() as folder:
        writer = TraceWriter(Path(folder) / "run.gradviz", ORIGIN)
        with Recording(writer, options):
            step()
        writer.close()
