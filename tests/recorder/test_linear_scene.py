"""A minimal recording: one custom Function, a sum and a backward."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, PassEndStep
from tests.recorder.recorded_run import Taped, tape


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
def taped(tmp_path: Path) -> Taped:
    a = torch.arange(4.0, dtype=torch.float64).view(2, 2).requires_grad_()
    b = torch.arange(6.0, dtype=torch.float64).view(2, 3).requires_grad_()

    def run() -> None:
        LinearFunction.apply(a, b).sum().backward()

    return tape(tmp_path, run)


def test_steps_come_in_the_order_in_which_they_happen(taped: Taped) -> None:
    assert [type(step) for step in taped.trace.steps] == [
        ForwardStep,
        ForwardStep,
        PassBeginStep,
        NodeStep,
        NodeStep,
        AccumulateStep,
        AccumulateStep,
        PassEndStep,
    ]
    assert [step.op for step in taped.steps(ForwardStep)] == ["LinearFunction", "sum"]


def test_values_are_those_of_the_run(taped: Taped) -> None:
    call = taped.trace.calls[0]
    assert [item.name for item in call.arguments] == ["input", "weight"]
    assert taped.of(call.outputs[0]) == [[3, 4, 5], [9, 14, 19]]
    step = taped.named(NodeStep, "LinearFunctionBackward")
    assert [item.name for item in step.received] == ["grad_output"]
    assert taped.of(step.received[0]) == [[1, 1, 1], [1, 1, 1]]
    assert [item.name for item in step.returned] == ["input", "weight", "bias", "value 3"]
    assert [taped.of(item) for item in step.returned] == [
        [[3, 12], [3, 12]],
        [[2, 2, 2], [4, 4, 4]],
        None,
        None,
    ]
    assert [passed.change for passed in step.passed] == ["unchanged", "unchanged"]
    first, second = taped.steps(AccumulateStep)
    assert taped.of(first.total) == [[3, 12], [3, 12]]
    assert taped.of(second.contribution) == [[2, 2, 2], [4, 4, 4]]


def test_saved_tensors_are_named_as_the_source_names_them(taped: Taped) -> None:
    saved = taped.index.saved[taped.trace.calls[0].node]
    assert [(slot.item.name, slot.role, slot.role_index) for slot in saved] == [
        ("input", "input", 0),
        ("weight", "input", 1),
        ("bias", "none", None),
    ]


def test_leaves_have_the_names_of_the_arguments(taped: Taped) -> None:
    leaves = [node for node in taped.trace.nodes if node.kind == "accumulate"]
    assert [node.variable_name for node in leaves] == ["input", "weight"]


def test_prints_stand_at_their_steps(taped: Taped) -> None:
    forward = taped.named(ForwardStep, "LinearFunction").number
    backward = taped.named(NodeStep, "LinearFunctionBackward").number
    assert [text.step for text in taped.trace.console] == [forward, *[backward] * 4]
    assert taped.trace.console[-1].text == "None\n"


def test_outcome_and_source_are_there(taped: Taped) -> None:
    assert taped.trace.outcome is not None
    assert taped.trace.outcome.kind == "finished"
    location = taped.trace.calls[0].backward
    assert location is not None
    assert location.source is not None
    lines = taped.index.source[location.source].text.splitlines()
    assert "staticmethod" in lines[location.line - 1]
