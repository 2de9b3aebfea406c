"""Hooks on nodes and full backward hooks: what they change is told, and nothing else is."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

from gradviz.model.step import NodeStep
from gradviz.recorder.backward.gradient_view import GradientView
from tests.recorder.programs import Scale
from tests.recorder.recorded_run import RecordedRun, record_run

SIZES = (2, 3)


def leaf() -> torch.Tensor:
    return torch.arange(6.0, dtype=torch.float64).reshape(SIZES).requires_grad_()


def double(gradients: Any, *_: Any) -> Any:
    return tuple(None if each is None else each * 2 for each in gradients)


def look(gradients: Any, *_: Any) -> None:
    """Change nothing."""


def messages(recording: RecordedRun, code: str) -> list[str]:
    return [each.message for each in recording.trace.findings if each.code == code]


def steps_of(recording: RecordedRun, name: str) -> list[NodeStep]:
    index = recording.index
    return [each for each in recording.steps(NodeStep) if index.node[each.node].name == name]


def passed_by(recording: RecordedRun, step: NodeStep) -> list[Any]:
    return [recording.of(each.item) for each in step.passed if each.edge is not None]


@pytest.mark.parametrize("level", ["nodes", "all"])
@pytest.mark.parametrize("function", [torch.tanh, Scale.apply])
@pytest.mark.parametrize("before", [None, look, double])
@pytest.mark.parametrize("after", [None, look, double])
def test_a_gradient_that_differs_between_two_nodes_is_explained(
    function: Callable[..., torch.Tensor],
    before: Any,
    after: Any,
    level: str,
    tmp_path: Path,
) -> None:
    def run() -> Any:
        x = leaf()
        y = function(x.exp())
        if before is not None:
            y.grad_fn.register_prehook(before)
        if after is not None:
            y.grad_fn.register_hook(after)
        y.square().sum().backward()
        return x.grad.tolist()

    plain = run()
    recording = record_run(tmp_path, run, level=level)
    assert recording.result == plain
    name = "TanhBackward0" if function is torch.tanh else "ScaleBackward"
    (step,) = steps_of(recording, name)
    (sent,) = [
        each
        for earlier in recording.steps(NodeStep)
        if earlier.number < step.number
        for each in passed_by(recording, earlier)[-1:]
    ][-1:]
    assert (recording.of(step.incoming[0]) != sent) == (before is double)
    told = messages(recording, "gradient_hooked")
    assert len(told) == (before is double)
    received = step.incoming[0].name
    assert all(each.startswith(f"A hook on {name} (double) changes {received} ") for each in told)
    told = messages(recording, "gradient_replaced")
    assert len(told) == (after is double)
    assert all(each.startswith(f"A hook on {name} (double) changes grad_input ") for each in told)


def test_hooks_before_a_leaf_and_in_a_second_pass(tmp_path: Path) -> None:
    def run() -> Any:
        x = leaf()
        y = x.exp()
        loss = y.sum()
        loss.backward(retain_graph=True)
        accumulate = y.grad_fn.next_functions[0][0]
        handles = accumulate.register_prehook(double), y.grad_fn.register_hook(double)
        loss.backward(retain_graph=True)
        for each in handles:
            each.remove()
        loss.backward()
        return x.grad.tolist()

    plain = run()
    recording = record_run(tmp_path, run)
    assert recording.result == plain
    (before,) = messages(recording, "gradient_hooked")
    assert before.startswith("A hook on torch::autograd::AccumulateGrad (double) changes grad_")
    (after,) = messages(recording, "gradient_replaced")
    assert after.startswith("A hook on ExpBackward0 (double) changes grad_input ")


class HookError(Exception):
    """What a hook of a run raises."""


def fail(*_: Any) -> None:
    raise HookError


@pytest.mark.parametrize(
    "register",
    [
        lambda y: y.grad_fn.register_prehook(fail),
        lambda y: y.grad_fn.register_hook(fail),
        lambda y: y.register_hook(fail),
        lambda y: y.grad_fn.next_functions[0][0].variable.register_hook(fail),
        lambda y: y.grad_fn.next_functions[0][0].variable.register_post_accumulate_grad_hook(fail),
    ],
)
@pytest.mark.parametrize("takes_sum", [True, False])
def test_a_hook_that_raises_leaves_nothing_behind(
    tmp_path: Path,
    register: Callable[[torch.Tensor], Any],
    takes_sum: bool,
) -> None:
    def run() -> list[GradientView]:
        y = leaf().exp()
        register(y)
        with pytest.raises(HookError):
            (y.sum() if takes_sum else y).backward(None if takes_sum else torch.ones(SIZES))
        return [each for each in gc.get_objects() if type(each) is GradientView]

    assert record_run(tmp_path, run).result == []


def test_full_backward_hooks_are_those_of_their_module(tmp_path: Path) -> None:
    def scale(_module: Any, received: Any, _more: Any = None) -> Any:
        return double(received)

    def run() -> Any:
        torch.manual_seed(0)
        layer = nn.Linear(3, 2).double()
        layer.register_full_backward_hook(scale)
        layer.register_full_backward_pre_hook(lambda module, received: scale(module, received))
        x = leaf()
        layer(x).sum().backward()
        return x.grad.tolist(), layer.weight.grad.tolist()

    plain = run()
    recording = record_run(tmp_path, run)
    assert recording.result == plain
    told = messages(recording, "gradient_replaced")
    assert len(told) == 2
    assert all(each.startswith("A hook on module Linear (<lambda> or scale) ") for each in told)


@pytest.mark.parametrize("seed", range(4))
def test_hooks_of_the_run_are_called_in_the_same_order_and_can_be_removed(
    seed: int, tmp_path: Path
) -> None:
    chosen = random.Random(seed)
    actions = chosen.choices(["before", "after", "remove", "pass"], k=24)

    def run() -> tuple[list[tuple[str, int]], Any]:
        y = leaf().exp()
        node, total = y.grad_fn, y.sum()
        called: list[tuple[str, int]] = []
        handles: list[RemovableHandle] = []
        for number, action in enumerate(actions):
            hook = partial(note, called, (action, number))
            if action == "before":
                handles.append(node.register_prehook(hook))
            elif action == "after":
                handles.append(node.register_hook(hook))
            elif action == "remove" and handles:
                handles.pop(number % len(handles)).remove()
            elif action == "pass":
                total.backward(retain_graph=True)
        return called, {type(each) for each in handles}

    plain = run()
    assert len(plain[0]) > 3
    assert record_run(tmp_path, run).result == plain


def note(called: list[tuple[str, int]], what: tuple[str, int], *_: Any) -> None:
    called.append(what)
