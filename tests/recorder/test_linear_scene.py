"""A minimal recording: one custom Function, a sum and a backward."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, PassEndStep
from tests.recorder.recorded_run import RecordedRun, record_run


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight)
        print(output)  # noqa: T201 - recorded
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, _ = ctx.saved_tensors
        print(grad_output)  # noqa: T201 - recorded
        grad_input = grad_output.mm(weight.t())
        grad_weight = input.t().mm(grad_output)
        print(grad_input)  # noqa: T201 - recorded
        print(grad_weight)  # noqa: T201 - recorded
        print(None)  # noqa: T201 - recorded
        return grad_input, grad_weight, None, None


@pytest.fixture
def recording(tmp_path: Path) -> RecordedRun:
    a = torch.arange(4.0, dtype=torch.float64).view(2, 2).requires_grad_()
    b = torch.arange(6.0, dtype=torch.float64).view(2, 3).requires_grad_()

    def run() -> None:
        LinearFunction.apply(a, b).sum().backward()

    return record_run(tmp_path, run)


def test_steps_come_in_the_order_in_which_they_happen(recording: RecordedRun) -> None:
    assert [type(step) for step in recording.trace.steps] == [
        ForwardStep,
        ForwardStep,
        PassBeginStep,
        NodeStep,
        NodeStep,
        AccumulateStep,
        AccumulateStep,
        PassEndStep,
    ]
    assert [step.op for step in recording.steps(ForwardStep)] == ["LinearFunction", "sum"]


def test_values_are_those_of_the_run(recording: RecordedRun) -> None:
    call = recording.trace.calls[0]
    assert [item.name for item in call.arguments] == ["input", "weight"]
    assert recording.of(call.outputs[0]) == [[3, 4, 5], [9, 14, 19]]
    step = recording.named(NodeStep, "LinearFunctionBackward")
    assert [item.name for item in step.received] == ["grad_output"]
    assert recording.of(step.received[0]) == [[1, 1, 1], [1, 1, 1]]
    assert [item.name for item in step.returned] == ["input", "weight", "bias", "value 3"]
    assert [recording.of(item) for item in step.returned] == [
        [[3, 12], [3, 12]],
        [[2, 2, 2], [4, 4, 4]],
        None,
        None,
    ]
    assert [passed.change for passed in step.passed] == ["unchanged", "unchanged"]
    first, second = recording.steps(AccumulateStep)
    assert recording.of(first.total) == [[3, 12], [3, 12]]
    assert recording.of(second.contribution) == [[2, 2, 2], [4, 4, 4]]


def test_saved_tensors_are_named_as_the_source_names_them(recording: RecordedRun) -> None:
    saved = recording.index.saved[recording.trace.calls[0].node]
    assert [(slot.item.name, slot.role, slot.role_index) for slot in saved] == [
        ("input", "input", 0),
        ("weight", "input", 1),
        ("bias", "none", None),
    ]


def test_leaves_have_the_names_of_the_arguments(recording: RecordedRun) -> None:
    leaves = [node for node in recording.trace.nodes if node.kind == "accumulate"]
    assert [node.variable_name for node in leaves] == ["input", "weight"]


def test_prints_stand_at_their_steps(recording: RecordedRun) -> None:
    forward = recording.named(ForwardStep, "LinearFunction").number
    backward = recording.named(NodeStep, "LinearFunctionBackward").number
    assert [text.step for text in recording.trace.console] == [forward, *[backward] * 4]
    assert recording.trace.console[-1].text == "None\n"


def test_outcome_and_source_are_there(recording: RecordedRun) -> None:
    assert recording.trace.outcome is not None
    assert recording.trace.outcome.kind == "finished"
    location = recording.trace.calls[0].backward
    assert location is not None
    assert location.source is not None
    lines = recording.index.source[location.source].text.splitlines()
    assert "staticmethod" in lines[location.line - 1]
