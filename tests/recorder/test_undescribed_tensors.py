"""Tensors that cannot be described completely lose only their own values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd import Function

from gradviz.model.step import AccumulateStep, ForwardStep, MissingStep, NodeStep
from gradviz.model.tensor import TensorRecord
from gradviz.recorder import autograd_graph
from gradviz.recorder.backward.backward_passes import BackwardPassRecorder
from gradviz.recorder.backward.backward_rules import BackwardRuleChecker
from gradviz.recorder.backward.node_execution import NodeExecutionRecorder
from gradviz.recorder.backward.tensor_hooks import TensorHookRecorder
from gradviz.recorder.forward.forward_rules import ForwardRuleChecker
from gradviz.recorder.forward.function_calls import FunctionCallRecorder
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.tensors import tensor_recorder
from gradviz.recorder.torch_call import CallSiteFinder
from gradviz.text.narration import describe_step
from tests.recorder.recorded_run import RecordedRun, record_run

RAISES = "no such thing"


class WithOther(Function):
    apply: Any

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, other: Any) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> Any:
        return grad_output * 2, None


class Raising(torch.Tensor):
    """A subclass whose attributes cannot be read."""

    @property
    def shape(self) -> Any:
        raise RuntimeError(RAISES)

    @property
    def dtype(self) -> Any:
        raise RuntimeError(RAISES)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        raise RuntimeError(RAISES)


class Wrapper(torch.Tensor):
    """A wrapper subclass that supports no op and has no readable shape."""

    @staticmethod
    def __new__(cls, sizes: tuple[int, ...]) -> Any:
        return torch.Tensor._make_wrapper_subclass(cls, sizes)  # type: ignore[attr-defined]  # noqa: SLF001

    @property
    def shape(self) -> Any:
        raise RuntimeError(RAISES)

    @classmethod
    def __torch_dispatch__(cls, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(RAISES)


def freed(count: int, kept: int = 0) -> torch.Tensor:
    tensor = torch.ones(count)
    storage = tensor.untyped_storage()
    tensor = torch.empty(0).set_(storage, 0, (count,), (1,))
    storage.resize_(kept)
    return tensor


OTHERS: dict[str, tuple[Callable[[], Any], str]] = {
    "too many dimensions": (lambda: torch.zeros([1] * 70), "it has 70 dimensions"),
    "no elements of a huge shape": (lambda: torch.empty(0, 2**61), "too large for NumPy"),
    "freed storage": (lambda: freed(5), "its storage has been freed"),
    "large freed storage": (lambda: freed(50_000), "its storage has been freed"),
    "uninitialized": (lambda: torch.nn.UninitializedParameter(), "it is not initialized"),
    "quantized": (
        lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8),
        "values of dtype quint8 are not stored",
    ),
    "wrapper subclass": (lambda: Wrapper((2,)), "Wrapper, which defines __torch_dispatch__"),
    "float of 8 bits": (
        lambda: torch.ones(3).to(torch.float8_e8m0fnu),
        "values of dtype float8_e8m0fnu are not stored",
    ),
}


def of_other(recording: RecordedRun) -> TensorRecord:
    (call,) = recording.trace.calls
    number = call.arguments[1].tensor
    assert number is not None
    return recording.index.tensor[number]


def assert_whole(recording: RecordedRun) -> None:
    """Nothing but the one tensor is missing."""
    assert [step.finished for step in recording.steps(ForwardStep)] == [True, True]
    assert len(recording.steps(NodeStep)) == 2
    assert recording.of(recording.steps(AccumulateStep)[0].total) == [2, 2]
    assert recording.notes == []


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
@pytest.mark.parametrize("level", ["nodes", "all"])
@pytest.mark.parametrize("name", OTHERS)
def test_a_tensor_without_readable_values(name: str, level: str, tmp_path: Path) -> None:
    make, note = OTHERS[name]
    x, other = torch.ones(2, requires_grad=True), make()
    # A wrapper whose shape raises is what the recorder cannot foresee.
    strict = name != "wrapper subclass"
    recording = record_run(
        tmp_path, lambda: WithOther.apply(x, other).sum().backward(), strict=strict, level=level
    )
    record = of_other(recording)
    assert note in record.note or RAISES in record.note
    assert record.content in ("metadata", "statistics")
    assert_whole(recording)


def test_a_storage_that_shrank_is_not_read_beyond_its_end(tmp_path: Path) -> None:
    x, other = torch.ones(2, requires_grad=True), freed(50_000, kept=64)
    recording = record_run(tmp_path, lambda: WithOther.apply(x, other), whole_elements=100_000)
    assert of_other(recording).note == "its storage has been freed"


@pytest.mark.parametrize("level", ["nodes", "all"])
def test_a_subclass_is_read_without_its_own_attributes(level: str, tmp_path: Path) -> None:
    x, other = torch.ones(2, requires_grad=True), torch.arange(3.0).as_subclass(Raising)
    recording = record_run(
        tmp_path, lambda: WithOther.apply(x, other).sum().backward(), level=level
    )
    record = of_other(recording)
    assert (record.subclass, record.shape, record.content) == ("Raising", (3,), "whole")
    assert_whole(recording)


def test_zeros_without_memory_are_recorded_as_zeros(tmp_path: Path) -> None:
    x, zeros = torch.ones(2, requires_grad=True), torch._efficientzerotensor(10**6)  # type: ignore[attr-defined]  # noqa: SLF001
    recording = record_run(tmp_path, lambda: WithOther.apply(x, zeros).sum().backward())
    statistics = of_other(recording).statistics
    assert statistics is not None
    assert (statistics.count, statistics.zeros) == (10**6, 10**6)


@pytest.mark.parametrize("level", ["nodes", "all"])
@pytest.mark.parametrize(("count", "content"), [(3, "whole"), (100_000, "preview")])
def test_a_tensor_without_a_version_is_recorded_with_its_values(
    count: int, content: str, level: str, tmp_path: Path
) -> None:
    with torch.inference_mode():
        other = torch.ones(3)
    # No inference tensor any more, but without the version counter of any other tensor.
    other.data = torch.zeros(count)
    x = torch.ones(2, requires_grad=True)
    recording = record_run(
        tmp_path, lambda: WithOther.apply(x, other).sum().backward(), level=level
    )
    record = of_other(recording)
    assert (record.shape, record.version, record.content) == ((count,), None, content)
    assert_whole(recording)


def test_an_error_while_reading_costs_only_the_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise MemoryError("as if the memory were full")

    x, large = torch.ones(2, requires_grad=True), torch.ones(5000)
    monkeypatch.setattr(tensor_recorder, "statistics_of_tensor", fail)
    recording = record_run(
        tmp_path, lambda: WithOther.apply(x, large).sum().backward(), strict=False
    )
    record = of_other(recording)
    assert (record.shape, record.content) == ((5000,), "metadata")
    assert record.note == "it cannot be read (MemoryError: as if the memory were full)"
    assert_whole(recording)


def test_a_large_expansion_among_the_steps(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    made: list[torch.Tensor] = []

    def run() -> None:
        made.append(x[:1].expand(2**36))
        (x * 2).sum().backward()

    recording = record_run(tmp_path, run)
    output = recording.named(ForwardStep, "expand").outputs[0].tensor
    assert recording.index.tensor[output].shape == (2**36,)
    assert [step.number for step in recording.trace.steps] == list(
        range(1, len(recording.trace.steps) + 1)
    )


def test_a_step_that_cannot_be_recorded_leaves_a_placeholder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = CallSiteFinder.find

    def fail(finder: Any, call: Any) -> Any:
        if call.function is torch.exp:
            raise KeyError("of the recorder")
        return find(finder, call)

    monkeypatch.setattr(CallSiteFinder, "find", fail)
    x = torch.ones(2, requires_grad=True)
    recording = record_run(
        tmp_path, lambda: torch.exp(x * 2).sum().backward(), strict=False, level="ops"
    )
    multiplied, missing, summed, *_ = recording.trace.steps
    assert isinstance(multiplied, ForwardStep)
    assert isinstance(summed, ForwardStep)
    assert isinstance(missing, MissingStep)
    assert (missing.name, missing.pass_id) == ("exp", None)
    assert describe_step(recording.index, missing) == (
        "The step of exp is missing: it could not be recorded (KeyError: 'of the recorder')."
    )
    # The node of exp is executed as usual.
    assert [recording.index.node[step.node].name for step in recording.steps(NodeStep)] == [
        *("SumBackward0", "ExpBackward0", "MulBackward0")
    ]
    (note,) = recording.notes
    assert "KeyError" in note


_FAILING = [
    (TensorHookRecorder, "arrived", ["SumBackward0", "WithOtherBackward", "AccumulateGrad"]),
    (TensorHookRecorder, "accumulated", ["torch::autograd::AccumulateGrad"]),
    (BackwardRuleChecker, "passed", ["WithOtherBackward"]),
    (BackwardPassRecorder, "_roots", ["the backward pass"]),
    (FunctionCallRecorder, "_call_record", ["WithOther"]),
    (ForwardRuleChecker, "finished", ["WithOther"]),
    (NodeExecutionRecorder, "_begin", ["SumBackward0", "WithOtherBackward", "AccumulateGrad"]),
    (NodeExecutionRecorder, "_end_node", ["SumBackward0", "WithOtherBackward"]),
    (NodeExecutionRecorder, "_end_leaf", ["AccumulateGrad"]),
]


@pytest.mark.parametrize(
    ("owner", "method", "missing", "level"),
    [(*each, level) for each in _FAILING for level in ("nodes", "all")],
)
def test_a_step_that_fails_halfway_becomes_a_placeholder(
    owner: Any, method: str, missing: list[str], level: str, tmp_path: Path, monkeypatch: Any
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise KeyError("of the recorder")

    def run() -> torch.Tensor | None:
        x = torch.ones(2, requires_grad=True)
        y = WithOther.apply(x, None)
        y.retain_grad()
        y.sum().backward()
        return x.grad

    plain = record_run(tmp_path, run)
    (tmp_path / "run.gradviz").unlink()
    monkeypatch.setattr(owner, method, fail)
    recording = record_run(tmp_path, run, strict=False, level=level)
    placeholders = recording.steps(MissingStep)
    assert [each.name.removeprefix("torch::autograd::") for each in placeholders] == [
        each.removeprefix("torch::autograd::") for each in missing
    ]
    whole_pass = missing == ["the backward pass"]
    assert len(recording.trace.steps) == (3 if whole_pass else len(plain.trace.steps))
    assert not any(getattr(step, "finished", True) is False for step in recording.trace.steps)
    assert "KeyError" in recording.notes[0]
    assert torch.equal(recording.result, plain.result)


class AwkwardText(str):
    __slots__ = ()

    def __format__(self, spec: str) -> str:
        raise RuntimeError(RAISES)


class AwkwardClass(type):
    def __getattribute__(cls, name: str) -> Any:
        if name == "__name__":
            raise RuntimeError(RAISES)
        return super().__getattribute__(name)


@pytest.mark.parametrize(
    ("owner", "method"), [(ForwardRuleChecker, "finished"), (tensor_recorder, "unreadable_reason")]
)
def test_errors_whose_class_has_an_awkward_name(
    owner: Any, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = AwkwardClass(AwkwardText("Awkward"), (ValueError,), {})

    def fail(*_: Any, **__: Any) -> Any:
        raise error("text")

    monkeypatch.setattr(owner, method, fail)
    x, other = torch.ones(2, requires_grad=True), torch.ones(2).to_sparse()
    recording = record_run(
        tmp_path, lambda: WithOther.apply(x, other).sum().backward(), strict=False
    )
    reasons = [step.reason for step in recording.steps(MissingStep)]
    reasons += [tensor.note for tensor in recording.trace.tensors]
    assert any("(Awkward: text)" in reason for reason in reasons)


@pytest.mark.parametrize("count", range(1, 5))
def test_an_interrupt_in_a_walk_over_nodes_leaves_none_that_the_trace_lacks(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def interrupted(number: int, **call: Any) -> NodeFacts:
        made.append(number)
        if len(made) == count:
            raise KeyboardInterrupt
        return NodeFacts(number, **call)

    x = torch.ones(2, requires_grad=True)
    before = x.exp().sin().sum()
    monkeypatch.setattr(autograd_graph, "NodeFacts", interrupted)

    def run() -> torch.Tensor | None:
        with pytest.raises(KeyboardInterrupt):
            before * 2
        (before * 3).backward()
        return x.grad

    recording = record_run(tmp_path, run)
    assert torch.equal(recording.result, 3 * x.exp() * x.exp().cos())
    numbers = {each.id for each in recording.trace.nodes}
    ends = {end for each in recording.trace.edges for end in (each.source, each.target)}
    steps = {each.node for each in recording.steps(NodeStep)}
    assert (ends | steps) <= numbers
    assert len(steps) == 4
