"""Recording does not extend the life of graphs and leaves nothing behind."""

from __future__ import annotations

import gc
import math
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest
import torch
from torch import nn

from gradviz.model.inside import RecordingLevel
from gradviz.model.step import ForwardStep, NodeStep
from gradviz.recorder import autograd_graph
from gradviz.recorder.backward import node_hooks
from gradviz.recorder.forward.saved_values import SavedValueRecorder
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording, RecordingError
from gradviz.recorder.tensors import storage_ids
from gradviz.store.packed_rows import TraceRow
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN
from tests.recorder.programs import Scale, Split
from tests.recorder.recorded_run import record_run


class Sentinel:
    """Dies with the ctx that holds it."""


class Holds(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, sentinel):
        ctx.sentinel = sentinel
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None


@pytest.fixture(autouse=True)
def without_collector() -> Iterator[None]:
    """Disable the garbage collector, so that only reference counts free objects."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("level", get_args(RecordingLevel))
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("retain", [False, True])
def test_a_graph_dies_with_its_last_tensor(
    tmp_path: Path, backward: bool, retain: bool, level: RecordingLevel
) -> None:
    def run() -> bool:
        sentinel = Sentinel()
        watch = weakref.ref(sentinel)
        x = torch.ones(2, requires_grad=True)
        y = Holds.apply((x * 1).sin(), sentinel).sum()
        del sentinel
        if backward:
            y.backward(retain_graph=retain)
        assert watch() is not None
        del y
        return watch() is None

    assert record_run(tmp_path, run, level=level).result is True


@pytest.mark.parametrize("level", get_args(RecordingLevel))
def test_tensors_die_at_once(tmp_path: Path, level: RecordingLevel) -> None:
    def run() -> list[bool]:
        x = torch.ones(2, requires_grad=True)
        y = Scale.apply(x)
        z = y.sin()
        watch = [weakref.ref(each) for each in (y, z)]
        z.sum().backward()
        del y, z
        return [each() is None for each in watch]

    assert record_run(tmp_path, run, level=level).result == [True, True]


class Inner(torch.autograd.Function):
    """Reports whether tensors known only to its methods were freed, modified or not."""

    told: ClassVar[list[bool]] = []

    @staticmethod
    def forward(ctx, x):
        made = [x + 1, torch.empty(3), torch.zeros(5).mul_(2), x.detach().numpy()]
        watch = [weakref.ref(each) for each in made]
        del made
        Inner.told += [each() is None for each in watch]
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        watch = weakref.ref(grad.neg())
        Inner.told.append(watch() is None)
        return grad * 2


@pytest.mark.parametrize("level", get_args(RecordingLevel))
def test_what_a_method_lets_go_of_dies_at_once(tmp_path: Path, level: RecordingLevel) -> None:
    Inner.told.clear()
    x = torch.ones(2, requires_grad=True)
    record_run(tmp_path, lambda: Inner.apply(x).sum().backward(), level=level)
    assert Inner.told == [True] * 5


def test_the_tensors_of_ops_count_into_the_budget(tmp_path: Path) -> None:
    x = torch.ones(32, 32, requires_grad=True)
    recorded = record_run(tmp_path, lambda: (x * 2).sin().sum(), level="ops", budget_bytes=5_000)
    kept = [record for record in recorded.trace.tensors if record.content == "whole"]
    assert sum(4 * math.prod(record.shape) for record in kept) <= 5_000
    assert any(record.content == "statistics" for record in recorded.trace.tensors)


def test_nothing_is_held_after_the_block(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "t.gradviz", ORIGIN)
    with Recording(writer, RecordingOptions(strict=True)) as recording:
        x = torch.ones(2, requires_grad=True)
        y = Scale.apply(x).exp()
        y.sum().backward(retain_graph=True)
        watch = [weakref.ref(each) for each in (x, y)]
        node = y.grad_fn
        assert list(node.metadata)
        del node
    writer.close()
    assert y.grad_fn.metadata == {}
    assert y.grad_fn.next_functions[0][0].metadata == {}
    del x, y
    assert [each() for each in watch] == [None, None]
    assert recording.outcome is not None


@pytest.mark.sweep
def test_a_long_run_leaves_no_more_objects_than_a_short_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (autograd_graph, node_hooks, storage_ids):
        monkeypatch.setattr(module, "_FIRST_PRUNING", 100)
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))

    def train(steps: int) -> int:
        for _ in range(steps):
            model(torch.randn(2, 4)).square().mean().backward()
        return len(gc.get_objects())

    # Each step makes ten nodes and twenty tensors.
    counts: list[int] = []
    record_run(tmp_path, lambda: counts.extend([train(200), train(200)]))
    assert counts[1] - counts[0] < 1_000


@pytest.mark.parametrize("is_on", [False, True])
def test_the_collector_is_paused_while_hooks_are_registered(
    is_on: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = node_hooks.NodeHooks.register
    states: list[bool] = []

    def watched(*args: Any) -> bool:
        states.append(gc.isenabled())
        return register(*args)

    monkeypatch.setattr(node_hooks.NodeHooks, "register", watched)

    def run() -> bool:
        if is_on:
            gc.enable()
        torch.ones(2, requires_grad=True).exp().sum().backward()
        return gc.isenabled()

    assert record_run(tmp_path, run).result == is_on
    assert states == [False] * 3


def test_nodes_that_could_not_be_recorded_are_recorded_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = SavedValueRecorder.record
    numbers: list[int] = []

    def fails_twice(
        self: SavedValueRecorder, node: Any, number: int, rows: list[TraceRow]
    ) -> bool | None:
        numbers.append(number)
        if len(numbers) < 3:
            raise ZeroDivisionError("of ours")
        return record(self, node, number, rows)

    monkeypatch.setattr(SavedValueRecorder, "record", fails_twice)

    def run() -> None:
        x = torch.ones(2, requires_grad=True)
        (x * 2).exp().sum().backward()

    recorded = record_run(tmp_path, run, strict=False)
    assert {each.code for each in recorded.trace.findings} == {"recorder_trouble"}
    executed = [step.node for step in recorded.trace.steps if isinstance(step, NodeStep)]
    names = [recorded.index.node[node].name for node in executed]
    assert names == ["SumBackward0", "ExpBackward0", "MulBackward0"]


def test_outputs_that_still_live_are_walked_at_the_end(tmp_path: Path) -> None:
    kept: list[Any] = []
    old = torch.ones(2, requires_grad=True).sin()
    recorded = record_run(tmp_path, lambda: kept.append(old * 2))
    names = {node.name for node in recorded.trace.nodes}
    assert names == {"MulBackward0", "SinBackward0", "torch::autograd::AccumulateGrad"}
    assert len(recorded.trace.edges) == 2


@pytest.mark.parametrize("count", [3_000, pytest.param(10_000, marks=pytest.mark.sweep)])
def test_thousands_of_nodes_in_a_row(count: int, tmp_path: Path) -> None:
    def run() -> torch.Tensor:
        x = y = torch.ones((), requires_grad=True)
        for _ in range(count):
            y = y * 1.0
        y.backward()
        return x.grad

    recorded = record_run(tmp_path, run, saved=False)
    assert recorded.result.item() == 1
    assert len(recorded.trace.nodes) == count + 1


def test_a_second_recording_is_refused(tmp_path: Path) -> None:
    one = TraceWriter(tmp_path / "1", ORIGIN)
    two = TraceWriter(tmp_path / "2", ORIGIN)
    with Recording(one), pytest.raises(RecordingError, match=r"Another recording is open"):
        Recording(two).__enter__()
    with Recording(two):
        Scale.apply(torch.ones(1, requires_grad=True))
    one.close()
    two.close()


def test_budget_and_sizes(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.randn(65, 64, requires_grad=True)
        y = Scale.apply(x[:64])
        y.sin().exp()

    recorded = record_run(tmp_path, run, budget_bytes=64 * 64 * 4 + 33 * 64 * 4)
    contents = [(t.shape, t.content) for t in recorded.trace.tensors]
    assert contents[0] == ((65, 64), "preview")
    assert contents[1] == ((64, 64), "whole")
    assert {content for _, content in contents[2:]} == {"statistics"}
    assert all(t.statistics is not None for t in recorded.trace.tensors if t.content != "whole")


def test_a_weight_is_recorded_once_for_each_version(tmp_path: Path) -> None:
    model = nn.Linear(2, 2)

    def run() -> None:
        for change in (False, False, True, True):
            if change:
                model.weight.data.add_(1)
            model(torch.ones(1, 2)).sum()

    recorded = record_run(tmp_path, run)
    weights = [step.inputs[1].tensor for step in recorded.steps(ForwardStep) if step.op == "linear"]
    assert weights[0] == weights[1]
    assert len(set(weights)) == 3


def test_views_share_the_number_of_their_storage(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(4, requires_grad=True)
        y = x * 1
        y.view(2, 2)[0].sum()

    recorded = record_run(tmp_path, run)
    storages = [
        recorded.index.tensor[step.outputs[0].tensor].storage for step in recorded.trace.steps
    ]
    assert storages[0] == storages[1] == storages[2] != storages[3]


def test_a_recording_error_does_not_affect_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gradviz.recorder.tensors.tensor_recorder import TensorRecorder

    def broken(self: TensorRecorder, tensor: torch.Tensor) -> int:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(TensorRecorder, "record", broken)

    def run() -> torch.Tensor:
        x = torch.ones(2, 2, requires_grad=True)
        Split.apply(x, x).sum().backward()
        return x.grad

    recorded = record_run(tmp_path, run, strict=False)
    assert recorded.result.tolist() == [[4, 4], [4, 4]]
    assert {finding.code for finding in recorded.trace.findings} == {"recorder_trouble"}
    assert "of ours" in recorded.trace.findings[0].message


def test_streams_of_a_recording_live_as_long_as_it(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "run.gradviz", ORIGIN)
    with Recording(writer) as recording:
        stream = weakref.ref(sys.stdout)
    writer.close()
    # Another thread may be in the middle of a `print`, which holds no reference up to Python 3.13.
    assert stream() is not None
    assert stream() is not sys.stdout
    del recording
