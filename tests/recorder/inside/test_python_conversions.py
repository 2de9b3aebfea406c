"""Conversions that autograd cannot see are marked: values that leave or enter torch."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from gradviz.model.inside import Op
from tests.recorder.dispatch_oracle import parts
from tests.recorder.programs import leaf
from tests.recorder.recorded_run import RecordedRun, record_run


def unseen(recording: RecordedRun, stage: str = "forward") -> list[Op]:
    return [
        op for _, part in parts(recording) if part.stage == stage for op in part.ops if not op.seen
    ]


class Runs(Function):
    @staticmethod
    def forward(ctx, x, work):
        work(x)
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad, None


@pytest.mark.parametrize(
    ("work", "names"),
    [
        (lambda x: x.numpy(), ["Tensor.numpy"]),
        (lambda x: np.asarray(x), ["Tensor.__array__"]),
        (lambda x: x.tolist(), ["Tensor.tolist"]),
        (lambda x: x[0].item(), ["Tensor.item"]),
        (lambda x: float(x[0]), ["Tensor.__float__"]),
        (lambda x: "yes" if x[0] > 0 else "no", ["Tensor.__bool__"]),
        (lambda x: x.data_ptr(), ["Tensor.data_ptr"]),
        (lambda x: x.data, ["Tensor.data"]),
        (lambda x: np.from_dlpack(x.detach()), ["Tensor.__dlpack__"]),
        (lambda x: torch.from_dlpack(np.ones(2)), ["torch.from_dlpack"]),
        (lambda x: torch.from_numpy(np.ones(2)), ["torch.from_numpy"]),
        (lambda x: torch.frombuffer(bytearray(8), dtype=torch.int64), ["torch.frombuffer"]),
        (lambda x: torch.tensor(np.ones(2)), ["torch.tensor"]),
        (lambda x: torch.as_tensor(np.ones(2)), ["torch.as_tensor"]),
        (lambda x: torch.asarray(np.ones(2)), ["torch.asarray"]),
        (lambda x: x.new_tensor(np.ones(2)), ["Tensor.new_tensor"]),
        (lambda x: torch.tensor([1.0, 2.0]), []),
        (lambda x: x.detach().clone(), []),
    ],
)
def test_each_way_out_and_in(
    work: Callable[[torch.Tensor], Any], names: list[str], tmp_path: Path
) -> None:
    x = leaf(3)
    recording = record_run(
        tmp_path, lambda: Runs.apply(x.detach().requires_grad_(), work), level="ops"
    )
    found = unseen(recording)
    assert [op.name for op in found] == names
    for op in found:
        assert op.finished
        assert op.overload == ""
        assert op.location is not None
        assert op.location.path == __file__


class Sine(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        array = x.numpy()
        return torch.from_numpy(np.sin(array))

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.tensor(np.cos(x.numpy()))


def test_numpy_in_both_directions(tmp_path: Path) -> None:
    x = leaf(3)
    recording = record_run(tmp_path, lambda: Sine.apply(x).sum().backward(), level="ops")
    out, back = unseen(recording)
    assert [item.name for item in out.inputs] == ["self"]
    assert recording.of(out.inputs[0]) == recording.of(out.outputs[0]) == x.tolist()
    assert out.outputs[0].text == "numpy.ndarray"
    assert (
        recording.of(back.inputs[0]) == recording.of(back.outputs[0]) == np.sin(x.tolist()).tolist()
    )
    assert back.inputs[0].text == "numpy.ndarray"
    assert back.outputs[0].text == ""
    assert [op.name for op in unseen(recording, "backward")] == ["Tensor.numpy", "torch.tensor"]


def test_what_numpy_writes_behind_a_tensor_is_noticed(tmp_path: Path) -> None:
    class Writes(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            y.numpy()[0] = 70.0
            return y + 1

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    recording = record_run(
        tmp_path, lambda: Writes.apply(torch.ones(3).requires_grad_()), level="ops"
    )
    (ops,) = [part.ops for _, part in parts(recording) if part.stage == "forward"]
    doubled = next(op for op in ops if op.name == "aten::mul")
    added = next(op for op in ops if op.name == "aten::add")
    assert recording.of(doubled.outputs[0]) == [2, 2, 2]
    assert recording.of(added.inputs[0]) == [70, 2, 2]
    versions = [
        recording.index.tensor[item.tensor].version
        for item in (doubled.outputs[0], added.inputs[0])
    ]
    assert versions == [0, 0], "which the version counter does not tell"


def test_outside_of_a_method_nothing_is_unseen(tmp_path: Path) -> None:
    def run() -> Any:
        x = leaf(3)
        y = x * torch.from_numpy(np.ones(3))
        return y.detach().numpy(), y.sum().item()

    recording = record_run(tmp_path, run, level="ops")
    assert [op.name for _, part in parts(recording) for op in part.ops if not op.seen] == []


def test_the_time_of_recording_is_not_the_ops(tmp_path: Path, monkeypatch: Any) -> None:
    from gradviz.recorder.inside.op_recorder import OpRecorder

    slow = OpRecorder._items  # noqa: SLF001 - made slow, so that it would show

    def items(self: OpRecorder, values: Any) -> Any:
        time.sleep(0.2)
        return slow(self, values)

    monkeypatch.setattr(OpRecorder, "_items", items)
    recording = record_run(tmp_path, lambda: Runs.apply(leaf(1), lambda x: x.item()), level="ops")
    for _, part in parts(recording):
        for op in part.ops:
            assert op.duration_ns is not None
            assert op.duration_ns < 200_000_000
