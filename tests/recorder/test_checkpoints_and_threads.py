"""Checkpoints, saved-tensor hooks, compiled callers and threads are recorded as such."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from gradviz.analysis.index.derivative_orders import order_text
from gradviz.model.step import ForwardStep, NodeStep, PassBeginStep
from gradviz.recorder.forward.in_place_writes import InPlaceWriteRecorder
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from gradviz.text.narration import describe_step
from tests.builders import ORIGIN
from tests.recorder.programs import Scale, leaf
from tests.recorder.recorded_run import RecordedRun, record_run


def block(t: torch.Tensor) -> torch.Tensor:
    return Scale.apply(t, 3.0).sin().exp()


def checkpointed(reentrant: bool) -> Any:
    torch.manual_seed(0)
    x = leaf(3)
    y = checkpoint(block, x, use_reentrant=reentrant)
    (y * y).sum().backward()
    return y.detach(), x.grad


@pytest.mark.parametrize("level", ["nodes", "ops", "lines", "all"])
@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_rerun_is_described(reentrant: bool, level: str, tmp_path: Path) -> None:
    plain = checkpointed(reentrant)
    recording = record_run(tmp_path, lambda: checkpointed(reentrant), level=level)
    assert all(torch.equal(*pair) for pair in zip(recording.result, plain, strict=True))
    again = [step for step in recording.steps(ForwardStep) if step.rerun]
    first = [step for step in recording.steps(ForwardStep) if not step.rerun]
    assert again
    assert {step.op for step in again} <= {"Scale", "sin", "exp"}
    assert again[0].op == "Scale"
    assert all(step.pass_id is not None for step in again)
    assert all(step.pass_id is None for step in first)
    sentences = [describe_step(recording.index, step) for step in again]
    assert all(each.startswith("Recomputed by a checkpoint: ") for each in sentences)
    assert not any("Recomputed" in describe_step(recording.index, step) for step in first)


def test_a_forward_inside_of_a_backward_is_no_rerun(tmp_path: Path) -> None:
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            with torch.enable_grad():
                d = grad.detach().requires_grad_()
                (d * d).sum().backward()
            return grad * 2

    recording = record_run(tmp_path, lambda: Inner.apply(leaf(2)).sum().backward())
    assert [step.op for step in recording.steps(ForwardStep) if step.pass_id is not None]
    assert not any(step.rerun for step in recording.steps(ForwardStep))


def packing(calls: list[str]) -> Any:
    def pack(t: torch.Tensor) -> tuple[str, torch.Tensor]:
        calls.append("pack")
        return ("kept", t.detach().clone())

    def unpack(packed: tuple[str, torch.Tensor]) -> torch.Tensor:
        calls.append("unpack")
        return packed[1]

    torch.manual_seed(0)
    x = leaf(3)
    with saved_tensors_hooks(pack, unpack):
        y = (x * x).sin()
    y.sum().backward()
    return x.grad


def test_recording_unpacks_nothing_by_itself(tmp_path: Path) -> None:
    plain_calls: list[str] = []
    plain = packing(plain_calls)
    calls: list[str] = []
    recording = record_run(tmp_path, lambda: packing(calls), level="all")
    assert calls == plain_calls
    assert torch.equal(recording.result, plain)
    texts = {slot.item.name: slot.item.text for slot in recording.trace.saved if slot.item.text}
    assert texts["self"] == "packed by saved-tensor hooks into ('kept', Tensor(...))"


def test_what_is_saved_on_the_cpu_is_reported(tmp_path: Path) -> None:
    def run() -> Any:
        x = leaf(3)
        with save_on_cpu():
            y = x.exp()
        y.sum().backward()
        return x.grad

    recording = record_run(tmp_path, run)
    (slot,) = [each for each in recording.trace.saved if each.item.name == "result"]
    assert slot.item.text.startswith("packed by saved-tensor hooks into (device(type='cpu'), ")


def compiled_codes(recording: RecordedRun) -> list[str]:
    return [each.code for each in recording.trace.findings if each.code == "forced_eager"]


def test_compiled_code_is_reported_as_running_uncompiled(tmp_path: Path) -> None:
    function = torch.compile(lambda t: Scale.apply(t).sin(), backend="eager")

    def run() -> Any:
        torch.manual_seed(0)
        x = leaf(3)
        for _ in range(2):
            function(x).sum().backward()
        return x.grad

    recording = record_run(tmp_path, run)
    assert compiled_codes(recording) == ["forced_eager"]
    (finding,) = [each for each in recording.trace.findings if each.code == "forced_eager"]
    assert finding.step == 1
    torch.manual_seed(0)
    x = leaf(3)
    for _ in range(2):
        Scale.apply(x).sin().sum().backward()
    assert torch.equal(recording.result, x.grad)


def test_without_compiled_code_there_is_no_note(tmp_path: Path) -> None:
    # A checkpoint goes through the same file of torch.
    assert compiled_codes(record_run(tmp_path, lambda: checkpointed(False))) == []


def test_threads_keep_their_steps_apart(tmp_path: Path) -> None:
    barrier = threading.Barrier(3)

    def run() -> Any:
        results: list[Any] = [None] * 3

        def work(position: int) -> None:
            x = torch.full((2,), float(position + 1), dtype=torch.float64, requires_grad=True)
            barrier.wait(20)
            y = Scale.apply(x * x, 2.0)
            barrier.wait(20)
            y.sum().backward()
            results[position] = x.grad

        threads = [threading.Thread(target=work, args=(at,), name=f"w{at}") for at in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    recording = record_run(tmp_path, run)
    assert [each.tolist() for each in recording.result] == [[4.0, 4.0], [8.0, 8.0], [12.0, 12.0]]
    passes = {step.pass_id: step for step in recording.steps(PassBeginStep)}
    assert len(passes) == 3
    assert {step.parent for step in passes.values()} == {None}
    for number in passes:
        steps = [step for step in recording.steps(NodeStep) if step.pass_id == number]
        assert len({step.thread for step in steps}) == 1
        assert [recording.index.node[step.node].name for step in steps] == [
            "SumBackward0",
            "ScaleBackward",
            "MulBackward0",
        ]


def test_what_runs_again_is_of_no_higher_order(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: checkpointed(True))
    made = [node.id for node in recording.trace.nodes if node.made_by is not None]
    assert made
    assert {recording.index.orders.of_node(node) for node in made} == {1}
    assert order_text(1) == "created in the backward pass"


def test_no_thread_removes_the_tensor_of_a_write_before_it_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, threads = InPlaceWriteRecorder.written, list[threading.Thread]()
    writer = TraceWriter(tmp_path / "run.gradviz", ORIGIN)
    recording = Recording(writer, RecordingOptions(strict=True))
    log = recording.error_boundary

    def remove() -> None:
        with log.lock:
            recording.remove_before(log.highest("step") + 1, 0)

    def written_and_removed(*args: Any) -> Any:
        found = written(*args)
        threads.append(threading.Thread(target=remove))
        threads[-1].start()
        threads[-1].join(0.2)
        return found

    x, weight = torch.ones(3, requires_grad=True), torch.ones(3)
    with closing(writer), recording:
        (x * weight).sum().backward()
        monkeypatch.setattr(InPlaceWriteRecorder, "written", written_and_removed)
        weight.add_(1)
        threads[-1].join()
    with open_trace(tmp_path / "run.gradviz") as reader:
        (write,) = reader.trace().writes
    assert write.op == "add_"
