"""Norm and zeros of the gradients of a pass, by layer."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from gradviz.analysis.index.trace_index import index_reader, index_trace
from gradviz.analysis.training.gradient_flow import LayerFlow, gradient_flow
from gradviz.document.pass_pages import flow_document
from gradviz.store.reader import open_trace
from gradviz.text.gradient_flow import flow_words
from tests.builders import linear_trace
from tests.recorder.recorded_run import record_run


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        # Not in the order in which forward uses them.
        self.last, self.first = nn.Linear(4, 1), nn.Linear(3, 4)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden: torch.Tensor = torch.relu(self.first(x) - 0.5)
        # Its gradients come from a pass inside of the pass.
        last = checkpoint(self.last, hidden, use_reentrant=True)
        result: torch.Tensor = last * self.scale
        return result


def test_layers_are_in_the_order_of_forward_with_the_gradients_of_the_pass_alone(
    tmp_path: Path,
) -> None:
    torch.manual_seed(0)
    model, x = Net(), torch.randn(5, 3)
    model(x).sum().backward()
    before = {
        name: each.grad.clone() for name, each in model.named_parameters() if each.grad is not None
    }
    model.zero_grad()

    def run_twice() -> None:
        for _ in range(2):
            model(x).sum().backward()

    record_run(tmp_path, run_twice)
    with open_trace(tmp_path / "run.gradviz") as reader:
        index = index_reader(reader)
        layers = gradient_flow(index, index.passes[2])
    assert [each.name for each in layers] == ["first", "model", "last"]
    for each in (layers[0], layers[2]):
        gradients = [before[f"{each.name}.{part}"] for part in ("weight", "bias")]
        whole = torch.cat([gradient.reshape(-1) for gradient in gradients])
        assert each.norm == pytest.approx(whole.norm().item(), rel=1e-5)
        assert each.zeros == pytest.approx((whole == 0).float().mean().item())
        assert each.leaves == 2


def layer(name: str, step: int, norm: float, zeros: float = 0.0) -> LayerFlow:
    return LayerFlow(name=name, step=step, norm=norm, zeros=zeros, leaves=1)


def test_bars_are_logarithmic_and_what_is_unknown_has_none() -> None:
    layers = [
        layer("a", 9, 1.0),
        layer("b", 8, 0.001),
        layer("c", 7, 0.0, 1.0),
        layer("d", 6, math.nan),
    ]
    document = flow_document(layers)
    assert list(document.keys) == [9, 8, 7, 6]
    shares = [document.row(key).fields[1].share for key in document.keys]
    assert shares[0] == 1
    assert shares[1] == pytest.approx(0.2)
    assert shares[2:] == [None, None]
    assert document.row(7).texts == ("c", "0", "100%")
    assert document.row(6).texts == ("d", "NaN, Inf or not recorded", "0%")
    index = index_trace(linear_trace())
    assert flow_words(index, index.passes[0], layers) == (
        "Gradient norms go from 0 (c) to 1 (a). All gradients of c are 0."
    )
