"""A layer's arguments and parameters have the names of the user's call of the module."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from gradviz.model.step import ForwardStep
from tests.recorder.recorded_run import record_run
from tests.recorder.test_tensor_names import WEIGHTS, inputs_of, leaf_names


def test_a_layer_takes_what_the_source_passes_to_the_module(tmp_path: Path) -> None:
    head, loss, cell = nn.Linear(2, 3), nn.CrossEntropyLoss(), nn.LSTMCell(3, 2)

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))

        def forward(self, value: torch.Tensor) -> torch.Tensor:
            return self.inner(value)

    encoder = Encoder()

    def run() -> None:
        batch = {"x": torch.ones(4, 2), "y": torch.zeros(4, dtype=torch.long)}
        hidden = encoder(batch["x"])
        out = head(hidden)
        leaf = torch.ones(4, 2, requires_grad=True)
        other = head(leaf + hidden) + head(encoder.forward(leaf)) + head(*[leaf])
        state = torch.ones(4, 2), torch.zeros(4, 2)
        (loss(out, batch["y"]) + other.sum() + cell(out, state)[0].sum()).backward()

    recording = record_run(tmp_path, run)
    linears = [step.inputs[0].name for step in recording.steps(ForwardStep) if step.op == "linear"]
    assert linears == ["value", "input", "hidden", "input", "leaf", "input", "input", "leaf"]
    assert inputs_of(recording, "cross_entropy")[:2] == ["out", "batch['y']"]
    assert inputs_of(recording, "lstm_cell")[0] == "out"


def test_arguments_have_their_names_by_keyword_and_spread_too(tmp_path: Path) -> None:
    head, cell = nn.Linear(2, 3), nn.LSTMCell(3, 2)

    def run() -> None:
        batch, pair = {"input": torch.ones(4, 2)}, [torch.ones(4, 2)]
        out = head(input=pair[0]) + head(**batch) + head(*pair)
        state = torch.ones(4, 2), torch.zeros(4, 2)
        hidden = torch.ones(4, 2)
        total = cell(out, state)[0] + cell(out, (hidden, state[1]))[0] + head(*iter(pair)).sum()
        stacked = torch.stack(tensors=[out, out * 2], dim=0)
        (torch.maximum(input=total, other=total * 2).sum() + stacked.sum()).backward()

    recording = record_run(tmp_path, run)
    steps = recording.steps(ForwardStep)
    linears = [step.inputs[0].name for step in steps if step.op == "linear"]
    assert linears == ["pair[0]", "batch['input']", "pair[0]", "input"]
    states = [[item.name for item in step.inputs[1:3]] for step in steps if step.op == "lstm_cell"]
    assert states == [["state[0]", "state[1]"], ["hidden", "state[1]"]]
    assert inputs_of(recording, "maximum") == ["total", "other"]
    assert inputs_of(recording, "stack") == ["out", "tensors[1]", "dim"]


def test_a_layer_of_which_only_forward_is_called_has_its_path(tmp_path: Path) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.ModuleList([nn.Linear(2, 2)])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.parts[0].forward(x)

    def run() -> None:
        norm, net = nn.LayerNorm(2), Net()
        net.forward(norm.forward(torch.ones(2, 2))).sum().backward()

    assert leaf_names(record_run(tmp_path, run)) == {
        f"{of}.{name}" for of in ("norm", "net.parts.0") for name in WEIGHTS
    }
