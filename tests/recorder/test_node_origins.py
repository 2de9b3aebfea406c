"""Which backward created each node of a second-order graph, against torch's anomaly mode."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.model.step import AccumulateStep, NodeStep
from tests.recorder.recorded_run import record_run
from tests.recorder.test_second_order_cuts import Recomputed

Tensor = torch.Tensor


def mark_of(node: Any) -> int | None:
    return next((v.id for k, v in node.metadata.items() if str(k).startswith("gradviz")), None)


def parents(roots: list[Tensor]) -> dict[int, int | None]:
    """For each reachable node id, the node that created it according to torch."""
    found: dict[int, int | None] = {}
    waiting = [each.grad_fn for each in roots if each.grad_fn is not None]
    seen = set()
    while waiting:
        node: Any = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        number = mark_of(node)
        assert number is not None
        parent = node.metadata.get("parent_")
        if "AccumulateGrad" not in node.name():
            found[number] = None if parent is None else mark_of(parent)
        waiting += [target for target, _ in node.next_functions if target is not None]
    return found


def holds(path: Path, program: Callable[[Tensor], list[Tensor]]) -> None:
    origins: dict[int, int | None] = {}

    def run() -> None:
        x = torch.tensor([1.5, 2.0], dtype=torch.float64, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.detect_anomaly(check_nan=False):
                made = program(x)
                for each in made:  # What nobody used yet gets its number when it is used.
                    (each * 1).sum()
                origins.update(parents(made))

    recording = record_run(path, run)
    assert origins
    assert {number: recording.index.node[number].made_by for number in origins} == origins
    for node in recording.trace.nodes:
        assert (node.made_in is None) == (node.made_by is None)
        if node.made_in is not None:
            step = recording.trace.steps[node.made_in - 1]
            assert isinstance(step, NodeStep | AccumulateStep)
            assert step.node == node.made_by


def grad(y: Tensor, x: Tensor) -> Tensor:
    (found,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return found


def three_orders(x: Tensor) -> list[Tensor]:
    first = grad(Recomputed.apply(x) * x + x.sin() * x, x)
    second = grad(first, x)
    return [first, second, grad(second, x)]


def many_uses(x: Tensor) -> list[Tensor]:
    return [grad(x.sin() * x.cos() * x * x.exp(), x)]


def accumulated(x: Tensor) -> list[Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x**3).sum().backward(create_graph=True)
        (x**2).sum().backward(create_graph=True)
    assert x.grad is not None
    found, x.grad = x.grad, None
    return [found]


def penalty(x: Tensor) -> list[Tensor]:
    loss = (x**4).sum()
    return [loss + grad(loss, x).pow(2).sum()]


@pytest.mark.parametrize("program", [three_orders, many_uses, accumulated, penalty])
def test_each_node_was_made_by_what_torch_calls_its_parent(
    tmp_path: Path, program: Callable[[Tensor], list[Tensor]]
) -> None:
    holds(tmp_path, program)


WORDS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "sin": lambda y, x: y.sin(),
    "exp": lambda y, x: y.tanh(),
    "mul": lambda y, x: y * x,
    "cube": lambda y, x: Recomputed.apply(y),
    "add": lambda y, x: y + x * y,
}


@settings(max_examples=25)
@given(st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=5))
def test_node_origins_of_generated_programs(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    def program(x: Tensor) -> list[Tensor]:
        y = x * 0.5
        for word in words:
            y = WORDS[word](y, x)
        first = grad(y, x)
        return [first, grad(first, x)] if first.requires_grad else [first]

    holds(tmp_path_factory.mktemp("made"), program)
