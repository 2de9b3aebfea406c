"""Tensor hooks: the gradient before and after them, unchanged by recording."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd.graph import register_multi_grad_hook

from gradviz.analysis.index.trace_index import index_reader
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.store.reader import open_trace
from gradviz.text.narration import describe_step
from tests.recorder.recorded_run import RecordedRun, record_run


def halve(gradient: torch.Tensor) -> torch.Tensor:
    return gradient / 2


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def hooks_by_step() -> Any:
    x = leaf(1.0, 2.0)
    x.register_hook(halve)
    (2 * x).sum().backward()
    return x.grad


def messages(recording: RecordedRun, code: str) -> list[str]:
    return [each.message for each in recording.trace.findings if each.code == code]


def test_a_hook_on_a_leaf_shows_before_and_after(tmp_path: Path) -> None:
    recording = record_run(tmp_path, hooks_by_step)
    assert recording.result.tolist() == [1.0, 1.0] == hooks_by_step().tolist()
    multiply = recording.named(NodeStep, "MulBackward0")
    (step,) = recording.steps(AccumulateStep)
    (passed,) = [each for each in multiply.passed if each.edge is not None]
    assert recording.of(passed.item) == [2.0, 2.0]
    assert recording.of(step.contribution) == [1.0, 1.0]
    (finding,) = [each for each in recording.trace.findings if each.code == "gradient_hooked"]
    assert finding.message == "A hook on x (halve) changes its gradient from [2, 2] to [1, 1]."
    assert (finding.step, finding.node) == (step.number, step.node)
    assert finding.location is not None
    assert finding.location.line == halve.__code__.co_firstlineno


def test_the_sentence_contains_it(tmp_path: Path) -> None:
    record_run(tmp_path, hooks_by_step)
    with open_trace(tmp_path / "run.gradviz") as reader:
        index = index_reader(reader)
        (step,) = [each for each in index.trace.steps if isinstance(each, AccumulateStep)]
        assert describe_step(index, step) == (
            "A hook on x (halve) changes its gradient from [2, 2] to [1, 1]. x.grad "
            "is set to the [2] gradient."
        )


def test_hooks_from_before_the_recording_are_seen_on_leaves(tmp_path: Path) -> None:
    x = leaf(1.0, 2.0)
    handle = x.register_hook(halve)
    recording = record_run(tmp_path, lambda: (x * 3).sum().backward())
    assert len(messages(recording, "gradient_hooked")) == 1
    assert list(x._backward_hooks) == [handle.id]  # noqa: SLF001 - ours is gone


def nudge(gradient: torch.Tensor) -> torch.Tensor:
    gradient = gradient.clone()
    gradient[0, 0] += 1e-5
    return gradient


def test_a_hook_that_changes_one_of_many_elements_says_so(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.ReLU()), nn.Linear(4, 1))
    for each in network.parameters():
        nn.init.ones_(each)
    network[1][0].register_forward_pre_hook(
        lambda module, args: args[0].register_hook(nudge) and None
    )
    recording = record_run(tmp_path, lambda: network(torch.ones(2, 3)).sum().backward())
    (message,) = messages(recording, "gradient_hooked")
    assert message == (
        "A hook on args[0] (nudge) changes its gradient: 1 of 8 elements, by 1.001e-05 at most."
    )


@pytest.mark.parametrize("shape", [(2, 4), (4,), ()])
def test_a_hook_that_returns_equal_elements_is_no_finding(
    shape: tuple[int, ...], tmp_path: Path
) -> None:
    def run() -> None:
        y = leaf(*range(math.prod(shape))).view(shape) * 2
        y.grad_fn.register_prehook(lambda gradients: tuple(each.clone() for each in gradients))
        y.register_hook(lambda gradient: gradient.clone(memory_format=torch.preserve_format))
        y.register_hook(lambda gradient: gradient.t().contiguous().t())
        (y * 3).sum().backward()

    assert messages(record_run(tmp_path, run), "gradient_hooked") == []


def test_a_change_that_four_digits_do_not_show_is_told(tmp_path: Path) -> None:
    def run() -> None:
        y = leaf(1.0, 2.0) * 2
        y.register_hook(lambda gradient: gradient * (1 + 1e-5))
        (y * math.pi).sum().backward()

    (message,) = messages(record_run(tmp_path, run), "gradient_hooked")
    assert "changes its gradient: 2 of 2 elements, by 3.1" in message


def test_a_total_changed_in_one_of_many_elements_says_so(tmp_path: Path) -> None:
    def run() -> None:
        w = torch.ones(2, 4, requires_grad=True)

        def change(each: torch.Tensor) -> None:
            assert each.grad is not None
            each.grad[1, 3] += 1e-5

        w.register_post_accumulate_grad_hook(change)
        (w * 2).sum().backward()

    (message,) = messages(record_run(tmp_path, run), "total_replaced")
    assert message == (
        "A hook on w (change) runs after the accumulation and changes .grad: 1 of 8 elements, "
        "by 1.001e-05 at most."
    )


def test_several_uses_are_summed_before_the_hook(tmp_path: Path) -> None:
    def run() -> Any:
        x = leaf(1.0)
        y = x * 2
        y.register_hook(lambda gradient: gradient * 10)
        (y * 3 + y * 4 + y * 5).sum().backward()
        return x.grad

    recording = record_run(tmp_path, run)
    assert recording.result.tolist() == run().tolist() == [240.0]
    (message,) = messages(recording, "gradient_hooked")
    assert message == "A hook on y (<lambda>) changes its gradient from [12] to [120]."


def test_a_hook_that_only_looks_is_no_finding(tmp_path: Path) -> None:
    def run() -> list[Any]:
        seen: list[Any] = []
        x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
        register_multi_grad_hook((x, w), lambda gradients: seen.append(len(gradients)))
        x.register_hook(lambda gradient: seen.append(gradient.tolist()))
        (x * w).sum().backward()
        return seen

    recording = record_run(tmp_path, run)
    assert recording.result == run()
    assert recording.trace.findings == ()


def test_torch_warns_of_the_hooks_of_the_run_only_when_it_saves_a_tensor(tmp_path: Path) -> None:
    x = leaf(1.0, 2.0)

    def run() -> None:
        x.register_hook(halve)
        x.sum().backward()
        with pytest.warns(UserWarning, match="will not be serialized") as caught:
            pickle.dumps(x)
        assert len(caught) == 1

    record_run(tmp_path, run)


def test_a_hook_that_writes_into_the_gradient_is_seen(tmp_path: Path) -> None:
    def run() -> Any:
        x = leaf(1.0, 2.0)

        def clip(gradient: torch.Tensor) -> None:
            gradient.clamp_(max=1.0)

        x.register_hook(clip)
        (2 * x).sum().backward()
        return x.grad

    recording = record_run(tmp_path, run)
    assert recording.result.tolist() == [1.0, 1.0]
    assert messages(recording, "gradient_hooked") == [
        "A hook on x (clip) changes its gradient from [2, 2] to [1, 1]."
    ]


def test_what_runs_after_accumulation_is_recorded_after_it(tmp_path: Path) -> None:
    def run() -> Any:
        layer = nn.Linear(1, 1, bias=False).double()
        nn.init.ones_(layer.weight)

        def double(parameter: torch.Tensor) -> None:
            assert parameter.grad is not None
            parameter.grad.mul_(2)

        layer.weight.register_post_accumulate_grad_hook(double)
        layer(torch.ones(1, 1).double()).sum().backward()
        return layer.weight.grad

    recording = record_run(tmp_path, run)
    assert recording.result.tolist() == [[2.0]]
    (step,) = recording.steps(AccumulateStep)
    assert (recording.of(step.contribution), recording.of(step.total)) == ([[1.0]], [[2.0]])
    (message,) = messages(recording, "total_replaced")
    assert message == (
        "A hook on layer.weight (double) runs after the accumulation and changes .grad from "
        "1×1 with norm 1 to 1×1 with norm 2."
    )


def test_a_retained_gradient_is_reported(tmp_path: Path) -> None:
    def run() -> Any:
        x = leaf(1.0, 2.0)
        y = x * x
        y.retain_grad()
        for _ in range(2):
            (3 * y).sum().backward(retain_graph=True)
        return y.grad

    recording = record_run(tmp_path, run)
    assert recording.result.tolist() == run().tolist() == [6.0, 6.0]
    assert messages(recording, "gradient_retained") == [
        "Because retain_grad() was called on y, its .grad is now [3, 3].",
        "Because retain_grad() was called on y, its .grad is now [6, 6].",
    ]
    steps = [each.step for each in recording.trace.findings if each.code == "gradient_retained"]
    visited = [step.number for step in recording.steps(NodeStep) if step.node == 1]
    assert steps == visited


def test_a_backward_pass_in_a_hook_is_nested(tmp_path: Path) -> None:
    def run() -> Any:
        x, inner = leaf(1.0), leaf(5.0)

        def nested(gradient: torch.Tensor) -> torch.Tensor:
            with torch.enable_grad():
                (inner * inner).sum().backward()
            return gradient + inner.grad

        x.register_hook(nested)
        (2 * x).sum().backward()
        return x.grad, inner.grad

    recording = record_run(tmp_path, run)
    assert [each.tolist() for each in recording.result] == [[12.0], [10.0]]
    parents = {
        span.pass_id: recording.trace.steps[span.first - 1].parent
        for span in recording.index.passes
    }
    assert parents == {1: None, 2: 1}
    assert messages(recording, "gradient_hooked") == [
        "A hook on x (nested) changes its gradient from [2] to [12]."
    ]


@pytest.mark.parametrize("level", ["nodes", "ops", "lines", "all"])
def test_every_level_leaves_the_hooks_as_they_were(level: str, tmp_path: Path) -> None:
    x = leaf(1.0, 2.0)
    handles = [x.register_hook(halve), x.register_hook(lambda gradient: gradient + 1)]
    record_run(tmp_path, lambda: (2 * x).sum().backward(), level=level)
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]
    assert list(x._backward_hooks) == [each.id for each in handles]  # noqa: SLF001 - their order
