"""NaN and Inf that do no harm are told from those that reach roots, gradients and parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.values.non_finite_tensors import find_non_finite
from gradviz.model.step import ForwardStep
from gradviz.model.step_values import values_of
from gradviz.store.reader import open_trace
from tests.recorder.recorded_run import record_run

HIDDEN = torch.ones(4, 4).triu(1).bool()
MASK = torch.zeros(4, 4).masked_fill(HIDDEN, -torch.inf)


def reached(
    folder: Path, run: Callable[[], None], level: Any = "nodes", *, raises: bool = False
) -> dict[str, bool]:
    """Whether NaN and Inf reach what they harm, by the call that has them first."""
    record_run(folder, run, level=level, raises=raises)
    found: dict[str, bool] = {}
    with open_trace(folder / "run.gradviz") as reader:
        index = index_reader(reader)
        for each in find_non_finite(index):
            step = index.trace.steps[each.step - 1]
            name = step.op if isinstance(step, ForwardStep) else "backward"
            found[name] = found.get(name, False) or each.reaches is not None
    return found


def weights(scores: torch.Tensor) -> torch.Tensor:
    return scores.softmax(-1)


@pytest.mark.parametrize(
    ("name", "masked"),
    [
        ("masked_fill", lambda x: x.masked_fill(HIDDEN, -torch.inf)),
        ("masked_fill_", lambda x: (x * 1).masked_fill_(HIDDEN, -torch.inf)),
        ("where", lambda x: torch.where(HIDDEN, -torch.inf, x)),
        ("add", lambda x: x + MASK),
        ("view", lambda x: x.masked_fill(HIDDEN, -torch.inf).view(1, 4, 4).transpose(0, 1)),
    ],
)
@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_a_mask_that_softmax_replaces_reaches_nothing(
    name: str, masked: Any, level: Any, tmp_path: Path
) -> None:
    def run() -> None:
        x = torch.arange(16.0).view(4, 4).requires_grad_()
        weights(masked(x)).square().sum().backward()

    found = reached(tmp_path, run, level)
    assert found
    assert not any(found.values()), found


def test_attention_with_a_causal_mask_reaches_nothing(tmp_path: Path) -> None:
    def run() -> None:
        q = torch.ones(1, 4, 2, requires_grad=True)
        attention = torch.nn.functional.scaled_dot_product_attention
        attention(q, q * 2, q, is_causal=True).sum().backward()

    found = reached(tmp_path, run, "ops")
    assert not any(found.values()), found


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        # The root has it.
        (lambda x: (x - 1).log().sum(), {"log": True, "sum": True}),
        # Nothing follows the logarithm.
        (lambda x: ((x - 1).log(), x.sum())[1], {"log": False}),
        # The root is finite, but the derivative of the square root at 0 is infinite.
        (lambda x: torch.where(x > 1, 0 * x, (x - 1).sqrt()).sum(), {"backward": True}),
        # Each row of a softmax with nothing but -inf is NaN, and the backward of the mask drops it.
        (
            lambda x: weights(x.masked_fill(x > 0, -torch.inf)).nan_to_num().sum(),
            {"masked_fill": False, "softmax": False, "backward": False},
        ),
        (
            lambda x: weights(x + MASK[:2, 2:]).nan_to_num().sum(),
            {"add": True, "softmax": True, "backward": True},
        ),
        # A mask stays a mask beside them.
        (
            lambda x: (weights(x + torch.tensor([0.0, -torch.inf])) * (x - 1).log()).sum(),
            {"add": False, "log": True},
        ),
    ],
)
def test_what_reaches_a_gradient_or_a_result_is_no_mask(
    program: Any, expected: dict[str, bool], tmp_path: Path
) -> None:
    def run() -> None:
        program(torch.ones(2, 2, requires_grad=True)).backward()

    found = reached(tmp_path, run)
    assert {name: found.get(name) for name in expected} == expected, found


ACTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "log": torch.log,
    "sqrt": torch.sqrt,
    "reciprocal": torch.reciprocal,
    "exp": lambda x: (x * 100).exp(),
    "zero": lambda x: x * 0,
    "mask": lambda x: x.masked_fill(torch.tensor([True, False, False, True]), -torch.inf),
    "softmax": weights,
    "replace": torch.nan_to_num,
    "clamp": lambda x: x.clamp(-1, 1),
    "where": lambda x: torch.where(torch.tensor([True, True, False, False]), x, 1.0),
    "shift": lambda x: x - 1,
    "select": lambda x: x[1:2].expand(4),
    "join": lambda x: x + x.sin(),
    "unused": lambda x: (x.log().exp(), x)[1],
    "in_place": lambda x: (x * 1).mul_(2).log_(),
}
REACHED: dict[str, tuple[str, ...]] = {
    "PassBeginStep": ("root",),
    "AccumulateStep": ("total",),
    "PassEndStep": ("result", "total"),
    "OptimizerStep": ("input", "output"),
}


@settings(max_examples=60, deadline=None)
@given(
    actions=st.lists(st.sampled_from(sorted(ACTIONS)), min_size=1, max_size=6),
    start=st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), min_size=4, max_size=4),
    ending=st.sampled_from(["backward", "grad", "optimizer"]),
)
def test_harm_is_what_roots_gradients_and_parameters_have(
    actions: list[str], start: list[float], ending: str, tmp_path_factory: Any
) -> None:
    ends: list[torch.Tensor] = []

    def run() -> None:
        x = torch.tensor(start, requires_grad=True)
        value = x
        for action in actions:
            value = ACTIONS[action](value)
        loss = value.sum()
        ends.append(loss.detach())
        if ending == "grad":
            ends.extend(torch.autograd.grad(loss, x))
            return
        loss.backward()
        assert x.grad is not None
        ends.append(x.grad)
        if ending == "optimizer":
            torch.optim.SGD([x], lr=0.1).step()
            ends.append(x.detach())

    folder = tmp_path_factory.mktemp("run")
    record_run(folder, run)
    with open_trace(folder / "run.gradviz") as reader:
        index = index_reader(reader)
        found = find_non_finite(index)
        bad = set(index.finite.not_finite())
        for each in found:
            if each.reaches is not None:
                step = index.trace.steps[each.reaches - 1]
                roles = REACHED[type(step).__name__]
                assert {i.tensor for role, i in values_of(step) if role in roles} & bad, each
        assert any(each.reaches for each in found) == any(
            not each.isfinite().all() for each in ends
        )
        for step in index.trace.steps:
            for role, item in values_of(step):
                if item.tensor in bad and role in REACHED.get(type(step).__name__, ()):
                    assert [each.reaches for each in found if each.tensor == item.tensor] != [None]


def train(steps: int, scales: list[float], program: Callable[[torch.Tensor], torch.Tensor]) -> None:
    weight = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=scales[0])
    for step in range(steps):
        optimizer.zero_grad(set_to_none=step % 2 == 0)
        scaler.scale(program(weight)).backward()
        scaler.step(optimizer)
        scaler.update(scales[min(step + 1, len(scales) - 1)])


@pytest.mark.parametrize("level", ["nodes", "ops"])
@pytest.mark.parametrize("scales", [[1e38], [1e38, 2.0], [2.0, 1e38], [2.0, 1e38, 2.0, 1e38]])
def test_a_step_that_a_grad_scaler_skips_does_no_harm(
    level: Any, scales: list[float], tmp_path: Path
) -> None:
    found = reached(tmp_path, lambda: train(4, scales, lambda x: (x * 100).square().mean()), level)
    assert found
    assert not any(found.values()), found


def test_a_loss_without_a_value_is_harm_even_if_a_grad_scaler_skips_it(tmp_path: Path) -> None:
    found = reached(tmp_path, lambda: train(2, [2.0], lambda x: (x - 5).log().sum()))
    assert (found["log"], found["sum"]) == (True, True), found


def test_gradients_that_an_optimizer_uses_in_spite_of_a_grad_scaler_are_harm(
    tmp_path: Path,
) -> None:
    def run() -> None:
        weight = torch.tensor([1.0, 2.0], requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=1e38)
        scaler.scale((weight * 100).square().sum()).backward()
        scaler.unscale_(optimizer)
        optimizer.step()

    found = reached(tmp_path, run)
    assert found["backward"], found


def test_an_exception_does_not_make_what_led_to_it_harmless(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.zeros(2, requires_grad=True)
        loss = x.log().sum()
        if not loss.isfinite():
            raise ValueError("the loss is not finite")

    assert reached(tmp_path, run, raises=True) == {"log": True, "sum": True}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_anomaly_detection_does_not_make_what_it_found_harmless(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.zeros(2, requires_grad=True)
        with torch.autograd.detect_anomaly(check_nan=True):
            (x.sqrt() * 0).sum().backward()

    assert reached(tmp_path, run, raises=True)["backward"]


def test_a_hook_that_raises_does_not_make_what_it_got_harmless(tmp_path: Path) -> None:
    def run() -> None:
        def refuse(_: torch.Tensor) -> None:
            raise ValueError("no gradient today")

        x = torch.zeros(2, requires_grad=True)
        x.register_post_accumulate_grad_hook(refuse)
        x.sqrt().sum().backward()

    assert reached(tmp_path, run, raises=True) == {"backward": True}
