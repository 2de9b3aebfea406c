"""Optimizer steps: parameters before and after, gradients and settings; nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from gradviz.analysis.index.trace_index import index_reader
from gradviz.model.step import AccumulateStep, ErrorStep, OptimizerStep, PassBeginStep
from gradviz.store.reader import open_trace
from gradviz.text.narration import describe_step
from tests.recorder.recorded_run import equal_bits, record_run


def train(
    make: Any, steps: int = 3, closure: bool = False
) -> tuple[list[float], list[list[torch.Tensor]]]:
    """Losses, and the parameters before each step and after the last."""
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()
    x, target = torch.randn(5, 3).double(), torch.randn(5, 1).double()
    optimizer = make(model)
    losses, history = [], []

    def loss_of() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (model(x) - target).square().mean()
        loss.backward()
        return loss

    for _ in range(steps):
        history.append([each.detach().clone() for each in model.parameters()])
        loss = optimizer.step(loss_of) if closure else loss_of()
        if not closure:
            optimizer.step()
        losses.append(loss.item())
    history.append([each.detach().clone() for each in model.parameters()])
    return losses, history


OPTIMIZERS = {
    "sgd": lambda model: torch.optim.SGD(model.parameters(), lr=0.1),
    "momentum": lambda model: torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
    "adam": lambda model: torch.optim.Adam(model.parameters(), lr=0.01),
    "foreach": lambda model: torch.optim.AdamW(model.parameters(), lr=0.01, foreach=True),
    "fused": lambda model: torch.optim.Adam(model.parameters(), lr=0.01, fused=True),
    "groups": lambda model: torch.optim.SGD(
        [{"params": model[0].parameters()}, {"params": model[2].parameters(), "lr": 0.01}], lr=0.1
    ),
}


@pytest.mark.parametrize("level", ["nodes", "all"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_has_the_values_of_an_unrecorded_run(name: str, level: str, tmp_path: Path) -> None:
    losses, history = train(OPTIMIZERS[name])
    recording = record_run(tmp_path, lambda: train(OPTIMIZERS[name]), level=level)
    assert recording.result[0] == losses
    steps = recording.steps(OptimizerStep)
    assert len(steps) == 3
    for step, before, after in zip(steps, history, history[1:], strict=False):
        assert step.finished
        assert [item.name for item in step.before] == [
            f"model.{layer}.{kind}" for layer in (0, 2) for kind in ("weight", "bias")
        ]
        for items, expected in ((step.before, before), (step.after, after)):
            for item, value in zip(items, expected, strict=True):
                assert equal_bits(recording.of(item), value.numpy())


def test_its_gradients_are_the_totals_that_the_pass_left(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: train(OPTIMIZERS["adam"]))
    totals: dict[str, Any] = {}
    for step in recording.trace.steps:
        if isinstance(step, AccumulateStep):
            totals[recording.index.node[step.node].variable_name] = step.total.tensor
        if isinstance(step, OptimizerStep):
            assert {item.name: item.tensor for item in step.gradients} == totals


def test_zeroed_gradients_become_and_are_not_added_to(tmp_path: Path) -> None:
    record_run(tmp_path, lambda: train(OPTIMIZERS["sgd"]))
    assert all(".grad is set to " in each for each in sentences(tmp_path, AccumulateStep))


def accumulated() -> None:
    model = nn.Linear(1, 1, bias=False).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(2):
        model(torch.ones(1, 1).double()).sum().backward()
    optimizer.step()


def test_gradients_that_are_not_zeroed_are_added_to(tmp_path: Path) -> None:
    recording = record_run(tmp_path, accumulated)
    first, second = sentences(tmp_path, AccumulateStep)
    assert "is set to" in first
    assert "is added to model.weight.grad" in second
    (step,) = recording.steps(OptimizerStep)
    assert recording.of(step.gradients[0]) == [[2.0]]


def sentences(path: Path, kind: type = OptimizerStep) -> list[str]:
    """The sentences of a recorded run, with the elements available."""
    with open_trace(path / "run.gradviz") as reader:
        index = index_reader(reader)
        return [describe_step(index, step) for step in index.trace.steps if isinstance(step, kind)]


def test_only_what_the_numbers_confirm_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    record_run(tmp_path / "a", lambda: train(OPTIMIZERS["sgd"]))
    plain = sentences(tmp_path / "a")
    assert plain[0] == (
        "SGD.step updates model.0.weight, model.0.bias, model.2.weight and model.2.bias by -lr "
        "times their gradients, with lr = 0.1."
    )
    record_run(tmp_path / "b", lambda: train(OPTIMIZERS["momentum"]))
    momentum = sentences(tmp_path / "b")
    # The first step of momentum is that of plain SGD; the second is not.
    assert "-lr times their gradients" in momentum[0]
    assert momentum[1] == (
        "SGD.step updates model.0.weight, model.0.bias, model.2.weight and model.2.bias "
        "(lr = 0.1, momentum = 0.9)."
    )


def test_settings_of_a_further_group_that_differ_are_distinguished(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: train(OPTIMIZERS["groups"], 1))
    (step,) = recording.steps(OptimizerStep)
    settings = {item.name: item.text for item in step.settings}
    assert settings["lr"] == "0.1"
    assert settings["lr (group 2)"] == "0.01"
    assert "momentum (group 2)" not in settings
    assert sentences(tmp_path)[0].endswith(" (lr = 0.1, lr = 0.01 in group 2).")


def test_settings_are_those_of_their_step(tmp_path: Path) -> None:
    rate, counts = torch.tensor(0.5), [1]

    def run() -> None:
        model = nn.Linear(1, 1, bias=False)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        (group,) = optimizer.param_groups
        for change in (
            lambda: None,
            lambda: group.update(lr=0.25),
            lambda: group.update(lr=rate, counts=counts, pair=(counts, -0.0)),
            lambda: rate.fill_(0.125),
            lambda: counts.append(2),
            lambda: group.update(lr=0.5, pair=(1, 0.0)),
            lambda: group.update(pair=(True, 0.0)),
        ):
            change()
            model(torch.ones(1, 1)).sum().backward()
            optimizer.step()

    recording = record_run(tmp_path, run)
    found = [
        {item.name: item.text for item in step.settings} for step in recording.steps(OptimizerStep)
    ]
    assert [each["lr"] for each in found] == ["0.5", "0.25", "0.5", "0.125", "0.125", "0.5", "0.5"]
    assert [each.get("counts") for each in found] == [
        *(None, None, "[1]", "[1]", "[1, 2]", "[1, 2]", "[1, 2]")
    ]
    pairs = ["(list(...), -0.0)"] * 3
    assert [each["pair"] for each in found[2:]] == [*pairs, "(1, 0.0)", "(True, 0.0)"]


def partly_frozen() -> None:
    model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    model[1](torch.ones(1, 1).double()).sum().backward()
    optimizer.step()


def test_a_parameter_without_gradient_stays(tmp_path: Path) -> None:
    recording = record_run(tmp_path, partly_frozen)
    (step,) = recording.steps(OptimizerStep)
    assert [item.kind for item in step.gradients] == ["none", "tensor"]
    assert step.before[0].tensor == step.after[0].tensor
    assert "Unchanged because of a missing gradient: model.0.weight." in sentences(tmp_path)[0]


def test_a_closure_runs_its_passes_before_the_step_that_they_move(tmp_path: Path) -> None:
    def make(model: nn.Module) -> torch.optim.Optimizer:
        return torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)

    losses, _ = train(make, 2, closure=True)
    recording = record_run(tmp_path, lambda: train(make, 2, closure=True))
    assert recording.result[0] == losses
    steps = recording.steps(OptimizerStep)
    passes = [step.number for step in recording.steps(PassBeginStep)]
    assert len(steps) == 2
    assert min(passes) < steps[0].number < max(passes) < steps[1].number
    # The model first runs in the closure.
    assert steps[0].before[0].name.endswith("weight")
    last = [step for step in recording.steps(AccumulateStep) if step.number < steps[0].number][-4:]
    totals = {step.total.tensor for step in last}
    assert {item.tensor for item in steps[0].gradients} == totals


def test_a_hook_that_clips_inside_the_step_is_seen(tmp_path: Path) -> None:
    def run() -> None:
        model = nn.Linear(1, 1, bias=False).double()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        optimizer.register_step_pre_hook(lambda *_: model.weight.grad.clamp_(max=0.25))
        model(torch.ones(1, 1).double()).sum().backward()
        optimizer.step()

    def quiet() -> None:
        with pytest.raises(RuntimeError, match="must return None"):
            run()

    # Torch refuses what such a hook returns; a hook that returns nothing clips.
    record_run(tmp_path, quiet)

    def clipped() -> None:
        model = nn.Linear(1, 1, bias=False).double()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

        def clip(*_: Any) -> None:
            model.weight.grad.clamp_(max=0.25)

        optimizer.register_step_pre_hook(clip)
        model(torch.ones(1, 1).double()).sum().backward()
        optimizer.step()

    (tmp_path / "clipped").mkdir()
    recording = record_run(tmp_path / "clipped", clipped)
    (step,) = recording.steps(OptimizerStep)
    assert recording.of(step.gradients[0]) == [[0.25]]


class Breaks(torch.optim.Optimizer):
    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters, {"lr": 1.0})

    def step(self, closure: Any = None) -> None:
        if closure is not None:
            closure()
        raise ValueError("no step today")


@pytest.mark.parametrize("with_closure", [True, False])
def test_a_step_that_raises_is_left_unfinished(with_closure: bool, tmp_path: Path) -> None:
    def run() -> None:
        w = torch.ones(2, requires_grad=True)
        optimizer = Breaks([w])
        optimizer.step((lambda: w.sum().backward()) if with_closure else None)

    recording = record_run(tmp_path, run, raises=True)
    *_, step, error = recording.trace.steps
    assert isinstance(error, ErrorStep)
    assert isinstance(step, OptimizerStep)
    assert not step.finished
    assert step.after == ()
    assert sentences(tmp_path) == ["Breaks.step starts with w but does not return."]


def test_large_parameters_are_reported_by_statistics(tmp_path: Path) -> None:
    def run() -> None:
        w = nn.Parameter(torch.ones(100, 100))
        optimizer = torch.optim.SGD([w], lr=0.5)
        (w * w).sum().backward()
        optimizer.step()

    recording = record_run(tmp_path, run, whole_elements=16)
    (step,) = recording.steps(OptimizerStep)
    record = recording.index.tensor[step.after[0].tensor]
    assert record.content == "preview"
    assert record.statistics is not None
    assert np.isclose(record.statistics.mean, 0.0)
    # Not all elements were kept, so nothing is claimed of how they moved.
    assert sentences(tmp_path) == ["SGD.step updates w (lr = 0.5)."]


def test_a_gradient_that_a_step_reads_again_ends_where_the_run_has_read_it(tmp_path: Path) -> None:
    def run() -> None:
        w = nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([w], lr=0.5)
        (w * w).sum().backward()
        gradient = w.grad
        assert gradient is not None
        optimizer.step()
        (gradient * 2).sum().backward()

    recording = record_run(tmp_path, run, raises=True)
    (finding,) = recording.trace.findings
    assert finding.location is not None
    assert finding.location.line == run.__code__.co_firstlineno + 4


def test_what_follows_a_step_of_torch_that_has_raised_is_followed_again(tmp_path: Path) -> None:
    def run() -> None:
        w = nn.Parameter(torch.ones(2))
        (w * w).sum().backward()
        with pytest.raises(RuntimeError, match="dense"):
            torch.optim.SparseAdam([w], lr=0.5).step()
        with torch.no_grad():
            cut = w * 3
        (cut * 2).sum().backward()

    recording = record_run(tmp_path, run, raises=True)
    (finding,) = recording.trace.findings
    assert finding.location is not None
    assert finding.location.line == run.__code__.co_firstlineno + 6
