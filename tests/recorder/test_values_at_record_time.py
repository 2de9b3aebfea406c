"""Recorded values are those of that moment, however they are changed later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as users write it

from gradviz.model.inside import RecordingLevel
from gradviz.model.step import ForwardStep, NodeStep
from tests.recorder.programs import Scale, leaf
from tests.recorder.recorded_run import RecordedRun, record_run


def given(recording: RecordedRun, op: str) -> Any:
    return recording.of(recording.named(ForwardStep, op).inputs[0])


def iadd(z: torch.Tensor) -> None:
    z += 1


def setitem(z: torch.Tensor) -> None:
    z[0] = 9


WRITES: dict[str, Callable[[torch.Tensor], Any]] = {
    "mul_": lambda z: z.mul_(5),
    "add_": iadd,
    "setitem": setitem,
    "relu": lambda z: F.relu(z, True),
    "leaky_relu": lambda z: F.leaky_relu(z, inplace=True),
}


@pytest.mark.parametrize("op", WRITES)
def test_the_input_of_an_operation_in_place_is_what_it_was_before(op: str, tmp_path: Path) -> None:
    def run() -> torch.Tensor:
        z = torch.tensor([-2.0, 3.0], requires_grad=True) * 1
        WRITES[op](z)
        return z

    recording = record_run(tmp_path, run)
    assert given(recording, op) == [-2, 3]
    assert (
        recording.of(recording.named(ForwardStep, op).outputs[0])
        == recording.result.tolist()
        != [-2, 3]
    )


def test_running_statistics_are_shown_as_they_were(tmp_path: Path) -> None:
    def run() -> None:
        torch.nn.BatchNorm1d(2)(leaf(4, 2, dtype=torch.float32))

    recording = record_run(tmp_path, run)
    step = recording.named(ForwardStep, "batch_norm")
    assert [recording.of(item) for item in step.inputs[1:3]] == [[0, 0], [1, 1]]


def tape_again(tmp_path: Path, run: Callable[[], Any]) -> RecordedRun:
    folder = tmp_path / "again"
    folder.mkdir()
    return record_run(folder, run)


def test_hooks_that_came_between_two_passes(tmp_path: Path) -> None:
    def run() -> torch.Tensor:
        x = torch.ones(1, requires_grad=True)
        y = x * 2
        z = y.sum()
        z.backward(retain_graph=True)
        y.grad_fn.register_prehook(lambda gradients: (gradients[0] * 10,))
        y.grad_fn.register_hook(lambda made, gradients: (made[0] * 100, None))
        (y * 1).sum().backward()
        return x.grad

    recording = record_run(tmp_path, run)
    assert recording.result.tolist() == [2 + 2000]
    node = recording.named(ForwardStep, "mul").node
    first, second = [step for step in recording.steps(NodeStep) if step.node == node]
    assert (recording.of(first.incoming[0]), recording.of(first.passed[0].item)) == ([1], [2])
    assert (recording.of(second.incoming[0]), recording.of(second.passed[0].item)) == ([10], [2000])


def test_a_value_that_a_hook_replaced_is_not_the_engines(tmp_path: Path) -> None:
    def run(times: float) -> None:
        y = Scale.apply(leaf(2))
        y.grad_fn.register_hook(lambda made, gradients: (made[0] * times,) if times else None)
        y.sum().backward()

    recording = record_run(tmp_path, lambda: run(3.0))
    step = recording.named(NodeStep, "ScaleBackward")
    assert (recording.of(step.returned[0]), recording.of(step.passed[0].item)) == ([2, 2], [6, 6])
    (finding,) = recording.trace.findings
    assert (finding.code, finding.step, finding.node) == (
        "gradient_replaced",
        step.number,
        step.node,
    )
    assert tape_again(tmp_path, lambda: run(0)).trace.findings == ()


@pytest.mark.parametrize("level", ["nodes", "lines"])
def test_parameters_are_not_recorded_before_they_are_initialized(
    level: RecordingLevel, tmp_path: Path
) -> None:
    recording = record_run(tmp_path, lambda: torch.nn.Linear(3, 2), level=level)
    assert recording.trace.tensors == ()


def test_initializing_a_saved_tensor_is_found(tmp_path: Path) -> None:
    def run() -> None:
        weight = leaf(2)
        loss = (weight * leaf(2)).sum()
        torch.nn.init.constant_(weight, 3.0)
        loss.backward()

    recording = record_run(tmp_path, run, raises=True, level="all")
    (finding,) = recording.trace.findings
    assert finding.code == "saved_modified"
    assert finding.message.startswith("`torch.nn.init.constant_(weight, 3.0)`, line ")
    assert "overwrote weight, which mul (line " in finding.message


def test_memory_given_back_inside_a_pass_is_another_tensors(tmp_path: Path) -> None:
    class Swaps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            kept = torch.ones(1000)
            first = Scale.apply(kept)
            kept.data = torch.ones(1000)
            made = [Scale.apply(torch.ones(1000)) for _ in range(50)]
            return grad * (first.sum() + sum(made).sum()) / 50_000

    recording = record_run(tmp_path, lambda: Swaps.apply(leaf(2)).sum().backward())
    first, *others = [call for call in recording.trace.calls if call.function == "Scale"]
    numbers = [
        recording.index.tensor[call.arguments[0].tensor].storage for call in (first, *others)
    ]
    assert numbers[0] not in numbers[1:]


def test_a_thread_may_go_on_after_the_recording(tmp_path: Path) -> None:
    begun, ended = threading.Event(), threading.Event()
    told: list[Any] = []

    class Waits(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            begun.set()
            ended.wait(10)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    def work() -> None:
        try:
            x = torch.ones(2, requires_grad=True)
            Waits.apply(x).sum().backward()
            told.append(x.grad.tolist())
        except BaseException as error:  # noqa: BLE001 - whatever the recorder does
            told.append(error)

    thread = threading.Thread(target=work)

    def run() -> None:
        thread.start()
        begun.wait(10)

    recording = record_run(tmp_path, run)
    ended.set()
    thread.join()
    assert told == [[1, 1]]
    assert [step.finished for step in recording.trace.steps] == [False]
