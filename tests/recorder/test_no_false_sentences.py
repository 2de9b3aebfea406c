"""Correct but unusual code gets no false sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd import Function

from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.training.training_curves import starts_at_scaled_loss, training_of
from gradviz.model.inside import RecordingLevel
from gradviz.model.step import AccumulateStep
from gradviz.store.reader import open_trace
from gradviz.text.sentences.step import step_sentence
from gradviz.text.training_curves import loss_words
from tests.recorder.recorded_run import record_run


class Counted(Function):
    """Returns a number besides the tensor, for which no gradient can arrive."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        mask = x > 0
        ctx.save_for_backward(mask)
        return x * mask, int(mask.sum())

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (mask,) = ctx.saved_tensors
        return gradients[0] * mask


class Cube(Function):
    """Saves an output, and can be mapped."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: torch.Tensor) -> Any:
        return x**3, 3 * x * x

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0], output[1])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, slope = ctx.saved_tensors
        return gradients[0] * slope + gradients[1] * 6 * x


apply_counted: Any = Counted.apply
apply_cube: Any = Cube.apply


def numbers() -> torch.Tensor:
    return torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64, requires_grad=True)


def test_nothing_can_arrive_for_a_number(tmp_path: Path) -> None:
    recording = record_run(
        tmp_path, lambda: apply_counted(numbers())[0].sum().backward(), level="ops"
    )
    assert recording.trace.findings == ()


@pytest.mark.parametrize("transform", [torch.func.jacrev, torch.func.vmap])
def test_what_functorch_maps_is_not_cut(transform: Any, tmp_path: Path) -> None:
    mapped = transform(lambda x: apply_cube(x)[0])
    recording = record_run(tmp_path, lambda: mapped(numbers().detach()), level="ops")
    assert {each.code for each in recording.trace.findings} <= {"undefined_gradient"}
    assert "intermediate" not in {each.role for each in recording.trace.saved}


@pytest.mark.parametrize("rows", [[1, 2], []], ids=["more entries", "as many"])
def test_a_sparse_gradient_is_added_to_an_earlier_one(rows: list[int], tmp_path: Path) -> None:
    def run() -> None:
        embedding = nn.Embedding(4, 2, sparse=True)
        total = embedding(torch.tensor(rows, dtype=torch.int64)).sum()
        total.backward(retain_graph=True)
        total.backward()

    assert accumulations(tmp_path, run) == [
        "embedding.weight.grad is set to the sparse 4×2 gradient.",
        "The sparse 4×2 gradient is added to embedding.weight.grad.",
    ]


def accumulations(
    path: Path, run: Callable[[], None], level: RecordingLevel = "nodes"
) -> list[str]:
    recording = record_run(path, run, level=level)
    return [
        step_sentence(recording.index, step)
        for step in recording.trace.steps
        if isinstance(step, AccumulateStep)
    ]


def test_leaves_of_one_name_are_told_apart(tmp_path: Path) -> None:
    def first() -> torch.Tensor:
        x = numbers()
        return (x * 2).sum()

    def second() -> torch.Tensor:
        x = numbers()
        return x.exp().sum()

    def run() -> None:
        (first() + second()).backward()

    (x_2, x) = accumulations(tmp_path, run)
    lines = [run.__code__.co_firstlineno - at for at in (2, 6)]
    assert x_2 == f"x#2.grad is set to the [3] gradient. x#2 is used in line {lines[0]}."
    assert x == f"x.grad is set to the [3] gradient. x is used in line {lines[1]}."


def test_a_leaf_keeps_its_name_in_a_training_loop(tmp_path: Path) -> None:
    def run() -> None:
        weight = numbers()
        optimizer = torch.optim.SGD([weight], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            (weight * 2).sum().backward()
            optimizer.step()
            weight.data = weight.data.clone()

    assert accumulations(tmp_path, run) == 2 * ["weight.grad is set to the [3] gradient."]


@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_a_gradient_is_added_to_zeros(level: RecordingLevel, tmp_path: Path) -> None:
    def run() -> None:
        weight = numbers()
        for clear in (lambda: weight.grad.zero_(), lambda: setattr(weight, "grad", None)):
            (weight * 2).sum().backward()
            clear()

        weight.grad = torch.zeros_like(weight)
        (weight * 2).sum().backward()

    first, added = (
        "weight.grad is set to the [3] gradient.",
        "The [3] gradient is added to weight.grad.",
    )
    assert accumulations(tmp_path, run, level) == [first, added, added]


@pytest.mark.parametrize("is_hooked", [False, True])
def test_a_leaf_that_requires_no_gradient_any_more(tmp_path: Path, is_hooked: bool) -> None:
    """Torch refuses hooks of ours then, and drops the gradient."""
    called = []

    def run() -> None:
        x = numbers()
        if is_hooked:
            x.register_hook(called.append)
            x.register_post_accumulate_grad_hook(called.append)
        y = x * 3
        x.requires_grad_(False)
        y.sum().backward()
        assert x.grad is None

    run()
    plain = len(called)
    dropped = "x requires no gradient any more: the [3] gradient is dropped."
    assert accumulations(tmp_path, run, "nodes") == [dropped]
    assert len(called) == 2 * plain


def test_what_a_hook_makes_of_a_total_is_no_sum(tmp_path: Path) -> None:
    def run() -> None:
        x = numbers()
        x.register_post_accumulate_grad_hook(lambda leaf: (leaf.grad.mul_(2), None)[1])
        (x * 3).sum().backward()

    recording = record_run(tmp_path, run)
    (step,) = (each for each in recording.trace.steps if isinstance(each, AccumulateStep))
    sentence = step_sentence(recording.index, step)
    assert sentence.startswith("x.grad is set to the [3] gradient. A hook on x")


@pytest.mark.parametrize("names_it", [False, True])
def test_the_loss_of_a_training_is_that_without_the_scale(tmp_path: Path, names_it: bool) -> None:
    losses: list[float] = []

    def run() -> None:
        net = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = net(torch.ones(1, 2)).square().sum()
            losses.append(loss.item())
            if names_it:
                scaled = scaler.scale(loss)
                scaled.backward()
            else:
                scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

    record_run(tmp_path, run)
    with open_trace(tmp_path / "run.gradviz") as reader:
        training = training_of(index_reader(reader))
    assert training is not None
    assert [each.value for each in training.loss.points] == losses
    assert training.loss.name == "loss"


@pytest.mark.parametrize("scaled", [lambda loss: loss * torch.tensor(3.0), lambda loss: loss / 4])
def test_a_loss_times_a_number_is_not_the_loss(tmp_path: Path, scaled: Any) -> None:
    def run() -> None:
        net = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
        for _ in range(2):
            loss = net.bias.sum() * 0 + 1
            scaled(loss).backward()
            optimizer.step()

    record_run(tmp_path, run)
    with open_trace(tmp_path / "run.gradviz") as reader:
        index = index_reader(reader)
        training = training_of(index)
    assert training is not None
    assert (training.loss.name, *[each.value for each in training.loss.points]) == ("loss", 1, 1)
    assert starts_at_scaled_loss(index, index.passes[0])


def test_two_networks_with_two_losses_are_not_one_training(tmp_path: Path) -> None:
    def run() -> None:
        critic, actor = nn.Linear(2, 1), nn.Linear(2, 1)
        optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (critic, actor)]
        for _ in range(2):
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss_critic = critic(torch.ones(1, 2)).square().sum()
            loss_critic.backward()
            optimizers[0].step()
            loss_actor = actor(torch.ones(1, 2)).exp().sum()
            loss_actor.backward()
            optimizers[1].step()

    record_run(tmp_path, run)
    with open_trace(tmp_path / "run.gradviz") as reader:
        training = training_of(index_reader(reader))
    assert training is not None
    assert [(each.name, len(each.points)) for each in training.losses] == [
        ("loss_critic", 2),
        ("loss_actor", 2),
    ]
    assert {each.name: [point.at for point in each.points] for each in training.norms} == {
        "critic.weight": [1, 2],
        "critic.bias": [1, 2],
        "actor.weight": [1, 2],
        "actor.bias": [1, 2],
    }
    assert loss_words(training).count(" in 2 passes.") == 2
