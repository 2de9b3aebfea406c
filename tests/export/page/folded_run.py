"""A recorded run whose graph is folded: 26 layers, each with a custom Function."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.store.reader import open_trace
from tests.recorder.recorded_run import record_run

LAYERS = 26
"""More custom Functions than are shown from the start."""


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(2, 2), nn.Tanh())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + Square.apply(self.mix(x))


@cache
def folded_run() -> TraceIndex:
    """The run with its values, recorded once."""
    torch.manual_seed(0)
    net = nn.Sequential(*(Layer() for _ in range(LAYERS))).double()
    x = torch.randn(1, 2, dtype=torch.float64)
    with TemporaryDirectory() as folder:
        record_run(Path(folder), lambda: net(x).sum().backward())
        with open_trace(Path(folder) / "run.gradviz") as reader:
            trace = reader.trace()
            values = {each.id: reader.value(each.id) for each in trace.tensors}
            return index_trace(trace, values.get)
