"""Tensors are named as in the source."""

from __future__ import annotations

import linecache
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.step import ForwardStep, PassBeginStep
from gradviz.text.narration import describe_position
from tests.recorder.programs import Scale
from tests.recorder.recorded_run import RecordedRun, record_run


def inputs_of(recording: RecordedRun, op: str) -> list[str]:
    return [item.name for item in recording.named(ForwardStep, op).inputs]


def test_arguments_of_torch_functions(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(2, 2, requires_grad=True)
        y = x.sin()
        z = torch.atan2(x, y)
        total = torch.cat([x, y]).sum() + (z @ x).sum()
        F.mse_loss(y, x.detach())
        total.backward()

    recording = record_run(tmp_path, run)
    assert inputs_of(recording, "sin") == ["x"]
    assert inputs_of(recording, "atan2") == ["x", "y"]
    assert inputs_of(recording, "matmul") == ["z", "x"]
    assert inputs_of(recording, "cat") == ["tensors[0]", "tensors[1]"]
    assert inputs_of(recording, "mse_loss")[0] == "y"
    root = recording.steps(PassBeginStep)[0].roots[0]
    assert root.value.name == "total"
    assert [n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"] == ["x"]


def test_leaves_of_modules_have_their_path(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 1)))

    def run() -> None:
        x = torch.ones(1, 2)
        loss = model(x).relu()
        loss.sum().backward()

    recording = record_run(tmp_path, run)
    names = {n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"}
    assert names == {"0.weight", "0.bias", "1.0.weight", "1.0.bias"}
    assert "x" not in inputs_of(recording, "linear")


@pytest.mark.parametrize("first", ["transform", "other values"])
def test_parameters_of_a_functional_call_have_their_path(first: str, tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 1))
    x = torch.ones(3, 2)

    def loss(parameters: dict[str, torch.Tensor]) -> torch.Tensor:
        result: torch.Tensor = torch.func.functional_call(model, parameters, (x,)).sum()
        return result

    def run() -> None:
        parameters = dict(model.named_parameters())
        if first == "transform":
            torch.func.grad(loss)(parameters)
        else:
            loss({k: v.detach().requires_grad_() for k, v in parameters.items()}).backward()
        model(x).sum().backward()

    recording = record_run(tmp_path, run)
    names = {n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"}
    assert names == {"0.weight", "0.bias"}
    assert not [f for f in recording.trace.findings if f.code == "unregistered_parameter"]


def test_the_result_of_a_custom_function_has_its_variables_name(tmp_path: Path) -> None:
    def run() -> None:
        loss = Scale.apply(torch.ones((), requires_grad=True))
        loss.backward()

    assert record_run(tmp_path, run).steps(PassBeginStep)[0].roots[0].value.name == "loss"


def test_operands_stand_in_the_order_in_which_torch_takes_them(tmp_path: Path) -> None:
    def run() -> None:
        x, k = torch.ones(2, requires_grad=True), 2.0
        y = 2 * x
        z = -2 * y
        u = k - z
        v = u - k
        w = v * k
        (w + u).sum().backward()

    recording = record_run(tmp_path, run)
    muls = [step for step in recording.steps(ForwardStep) if step.op == "mul"]
    names = [[item.name for item in step.inputs] for step in muls]
    # In `v * k` only the values tell which is the tensor, so it has the names of torch.
    assert names == [["x", "other"], ["y", "other"], ["input", "other"]]
    assert inputs_of(recording, "rsub") == ["z", "k"]
    assert inputs_of(recording, "sub") == ["u", "k"]
    assert inputs_of(recording, "add") == ["w", "u"]
    assert [n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"] == ["x"]


def test_arguments_without_a_name_in_the_source_have_that_of_torch(tmp_path: Path) -> None:
    embedding, pool = nn.Embedding(5, 4), nn.MaxPool1d(2)

    def run() -> None:
        table = embedding(torch.tensor([[0, 1]]))
        pooled = pool(table)
        (pooled * 2.0 + pooled).sum(dim=-1).sum().backward()

    recording = record_run(tmp_path, run)
    assert inputs_of(recording, "embedding")[:3] == ["input", "weight", "padding_idx"]
    assert inputs_of(recording, "max_pool1d")[:2] == ["input", "kernel_size"]
    assert inputs_of(recording, "add") == ["input", "pooled"]
    sums = [step.inputs for step in recording.steps(ForwardStep) if step.op == "sum"]
    assert [[item.name for item in each] for each in sums] == [["input", "dim"], ["input"]]
    assert describe_position(recording.index, TracePosition(step=1), "node") == (
        "embedding maps input 1×2 to output 1×2×4 using weight 5×4; "
        "autograd adds EmbeddingBackward0 to the graph."
    )


def test_a_file_that_was_edited_gives_the_names_of_its_new_text(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"

    def names_of(name: str) -> list[str]:
        text = f"{name} = torch.ones(2, requires_grad=True)\n{name}.sin().sum().backward()\n"
        path.write_text(text)
        linecache.checkcache(str(path))
        code = compile(text, str(path), "exec")
        folder = tmp_path / name
        folder.mkdir()
        recording = record_run(folder, lambda: exec(code, {"torch": torch}))
        return [n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"]

    assert [names_of("x"), names_of("other")] == [["x"], ["other"]]


def test_leaves_in_containers_have_their_place(tmp_path: Path) -> None:
    class Holder:
        def __init__(self) -> None:
            self.w = torch.ones(2, requires_grad=True)
            self.parts = {"a": [torch.ones(2, requires_grad=True)]}

    def run() -> None:
        params = {"w": torch.ones(2, 2, requires_grad=True), 0: torch.ones(2, requires_grad=True)}
        layers = [nn.Linear(2, 2)]
        each = [torch.ones(2, requires_grad=True)]
        holder, key, x = Holder(), 0, torch.ones(2, requires_grad=True)
        y = F.linear(x, layers[-1].weight, params[0]) @ params["w"].t()
        y = y * holder.w + holder.parts["a"][0] - each[key]
        z = y * params["w"][0] + x[0]
        z.sum().backward()

    recording = record_run(tmp_path, run)
    leaves = {n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"}
    assert leaves == {
        *("layers[-1].weight", "params[0]", "params['w']", "holder.w", "holder.parts['a'][0]"),
        *("x", ""),
    }
    assert inputs_of(recording, "linear") == ["x", "layers[-1].weight", "params[0]"]
    # Parts of a tensor are no leaves: they are named as before.
    sums = [[item.name for item in each.inputs] for each in recording.steps(ForwardStep)][-2]
    assert sums == ["input", "other"]
