"""Recording on an accelerator: nodes that run on the engine's device threads. No Qt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from gradviz.model.inside import StageRecord
from gradviz.model.step import AccumulateStep, ErrorStep, ForwardStep, NodeStep
from tests.accelerator import accelerator, in_float64, needs
from tests.recorder.recorded_run import record_run

pytestmark = pytest.mark.accelerator


def leaf(*shape: int) -> torch.Tensor:
    return torch.randn(shape, device=accelerator()).requires_grad_()


class Prints(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, how="fine"):
        ctx.save_for_backward(x, w)
        ctx.how = how
        return x * w

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        print("in backward")  # noqa: T201 - recorded
        if ctx.how == "raises":
            raise KeyError("in backward")
        if ctx.how == "shape":
            return grad[:1], grad, None
        return grad * w, (grad * x).double()[None].expand(2, *x.shape), None


@in_float64
def test_nodes_run_on_a_device_thread_in_the_order_of_the_engine(tmp_path: Path) -> None:
    def run() -> Any:
        x, w = leaf(4), leaf(4)
        Prints.apply(x.sin(), w).sum().backward()
        return x.grad, w.grad

    recording = record_run(tmp_path, run)
    steps = recording.steps(NodeStep)
    names = [recording.index.node[step.node].name for step in steps]
    assert names == ["SumBackward0", "PrintsBackward", "SinBackward0"]
    assert all(step.finished and step.thread for step in steps)
    assert [text.step for text in recording.trace.console] == [steps[1].number]
    assert [passed.change for passed in steps[1].passed] == ["unchanged", "reduced_and_cast"]
    assert recording.index.tensor[steps[1].returned[1].tensor].shape == (2, 4)
    totals = [
        recording.values[step.total.tensor].tolist() for step in recording.steps(AccumulateStep)
    ]
    assert sorted(totals) == sorted(each.cpu().tolist() for each in recording.result)
    assert {record.device for record in recording.trace.tensors} == {str(accelerator())}


@pytest.mark.parametrize(("how", "stage"), [("raises", "backward"), ("shape", "engine")])
def test_exceptions_come_back_from_the_device_thread(tmp_path: Path, how: str, stage: str) -> None:
    def run() -> None:
        Prints.apply(leaf(4), leaf(4), how).sum().backward()

    recording = record_run(tmp_path, run, raises=True)
    last = recording.trace.steps[-1]
    assert isinstance(last, ErrorStep)
    assert last.stage == stage
    assert recording.index.node[last.node].name == "PrintsBackward"


def test_second_order_steps_are_seen_on_the_device_thread(tmp_path: Path) -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    def run() -> Any:
        x = leaf(3)
        (first,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
        first.sum().backward()
        return x.grad

    recording = record_run(tmp_path, run)
    inside = [step for step in recording.steps(ForwardStep) if step.pass_id == 1]
    assert [step.op for step in inside] == ["pow", "mul"]
    assert all(recording.index.node[step.node].made_by is not None for step in inside)


def test_a_module_that_differentiates_owns_what_the_device_thread_makes(tmp_path: Path) -> None:
    class Slope(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.autograd.grad(x.sin().sum(), x, create_graph=True)[0]

    recording = record_run(tmp_path, lambda: Slope()(leaf(2)).sum().backward())
    made = [node for node in recording.trace.nodes if node.made_by is not None]
    names = {each.id: each.class_name for each in recording.trace.modules}
    assert {names.get(node.module_call or 0) for node in made} == {"Slope"}


@in_float64
def test_large_tensors_have_statistics(tmp_path: Path) -> None:
    def run() -> torch.Tensor:
        x = leaf(1000, 1000)
        (x * 2).sum().backward()
        return x

    recording = record_run(tmp_path, run)
    record = next(t for t in recording.trace.tensors if t.shape == (1000, 1000))
    assert record.content == "preview"
    assert record.statistics is not None
    assert record.statistics.total == pytest.approx(
        recording.result.double().sum().item(), rel=1e-9
    )


@in_float64
def test_recording_changes_no_bit_on_the_device(tmp_path: Path) -> None:
    def run() -> list[bytes]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2))
        model.to(accelerator())
        for _ in range(2):
            loss = Prints.apply(model(torch.randn(4, 8, device=accelerator())), leaf(4, 2)).sum()
            loss.backward()
        state = torch.get_device_module(accelerator()).get_rng_state().numpy().tobytes()
        grads = [p.grad for p in model.parameters()]
        found = [g.cpu().numpy().tobytes() for g in grads]
        return [*found, *(str(g._version).encode() for g in grads), state]  # noqa: SLF001

    plain = run()
    assert record_run(tmp_path, run).result == plain


@in_float64
def test_ops_on_the_device_thread_are_recorded(tmp_path: Path) -> None:
    def run() -> None:
        x, w = leaf(20, 20), leaf(20, 20)
        (Prints.apply(x, w) @ w).sum().backward()

    recording = record_run(tmp_path, run, level="ops")
    parts: list[StageRecord] = [part for inside in recording.trace.insides for part in inside.parts]
    assert all(part.finished for part in parts)
    backward = [part for part in parts if part.stage == "backward"]
    assert all(part.thread for part in backward)
    assert {op.name for part in backward for op in part.ops} >= {"aten::mul", "aten::mm"}
    assert all(op.duration_ns is not None for part in parts for op in part.ops)


def time_of_product(device: torch.device) -> float:
    """Milliseconds the device needs for a large matrix product."""
    x, w = torch.randn(2, 2000, 2000, device=device)
    begin, end = (torch.Event(device, enable_timing=True) for _ in range(2))
    begin.record()
    x @ w
    end.record()
    torch.accelerator.synchronize()
    return begin.elapsed_time(end)


def test_ops_are_timed_with_their_kernels(tmp_path: Path) -> None:
    needs("timing of events", time_of_product)

    def run() -> None:
        x, w = leaf(2000, 2000), leaf(2000, 2000)
        for _ in range(2):
            (x @ w).sum().backward()

    recording = record_run(tmp_path, run, level="ops")
    ops = [op for inside in recording.trace.insides for part in inside.parts for op in part.ops]
    last = [op for op in ops if op.name == "aten::mm"][-1]
    assert last.duration_ns is not None
    assert last.duration_ns > 0.5e6 * time_of_product(accelerator())


@pytest.mark.parametrize("level", ["ops", "all"])
@in_float64
def test_looking_inside_changes_no_bit_on_the_device(level: str, tmp_path: Path) -> None:
    def run() -> list[bytes]:
        torch.manual_seed(0)
        x, w = leaf(64, 64), leaf(64, 64)
        (Prints.apply(x.sin(), w) * w).sum().backward()
        return [g.cpu().numpy().tobytes() for g in (x.grad, w.grad)]

    plain = run()
    assert record_run(tmp_path, run, level=level).result == plain


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("values of a tensor are read")


@pytest.mark.parametrize("level", ["ops", "all"])
@in_float64
def test_nothing_is_read_while_a_graph_of_the_device_is_captured(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy or a synchronization would invalidate the capture."""

    def run() -> None:
        w, scale = leaf(4), leaf()
        kept: list[torch.Tensor] = []
        with monkeypatch.context() as patch:
            device_module = torch.get_device_module(accelerator())
            patch.setattr(device_module, "is_current_stream_capturing", lambda: True, raising=False)
            for name in ("cpu", "numpy", "tolist", "item"):
                patch.setattr(torch.Tensor, name, refuse)
            patch.setattr(torch.accelerator, "synchronize", refuse)
            x = leaf(4)
            y = Prints.apply(x, w)
            y.register_hook(lambda gradient: gradient * 2)
            kept.append(y * scale)
            y.sum().backward()
        (w * 2).sum().backward()

    recording = record_run(tmp_path, run, level=level)
    contents = [record.content for record in recording.trace.tensors]
    assert {"metadata", "whole"} == set(contents)
    metadata = [each for each in recording.trace.tensors if each.content == "metadata"]
    reason = "its values cannot be read while a graph of the device is being captured"
    assert {each.note for each in metadata} == {reason}
    assert contents.index("metadata") < contents.index("whole", contents.index("metadata"))
