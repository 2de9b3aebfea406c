"""What a few seeded runs show, and that they leave no state behind."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.arguments import CheckSubject
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.reliability.nondeterminism import changed, reachable
from gradviz.checks.reliability.repeated_runs import seed_random_generators, seeded_runs
from gradviz.checks.run.progress import Evaluations, ignore_progress, never_cancelled
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis
from tests.checks.broken import hidden_state, inplace_damage, nondeterministic
from tests.checks.broken.corpus import made
from tests.checks.sample_functions import Kept, checked, randn


def first(function: Any, *arguments: Any) -> Diagnosis:
    report, _ = checked(function, arguments)
    return report.diagnoses[0]


def random_state() -> tuple[Any, ...]:
    return random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()


def random_numbers() -> tuple[Any, ...]:
    return random.random(), np.random.randn(), torch.rand(2).tolist()


def test_seeds_are_put_back() -> None:
    random_numbers()  # Leaves a second normal number for NumPy's next call.
    before = random_state()
    with same_random_state():
        seed_random_generators(3)
        one = random_numbers()
    assert random_state() == before
    with same_random_state():
        seed_random_generators(3)
        assert random_numbers() == one


def test_the_random_state_is_the_same_before_each_run() -> None:
    with same_random_state() as rewind:
        one = random_numbers()
        rewind()
        assert random_numbers() == one


def test_seeded_runs_leave_the_random_state_unchanged() -> None:
    def draws(x: Tensor) -> Tensor:
        return x * sum(random_numbers()[:2])

    before = random_state()
    subject = CheckSubject(function=draws, arguments=(randn(3),), names=("x",))
    with seeded_runs(subject, Evaluations(ignore_progress, never_cancelled)) as runs:
        one, again, other = (runs.forward(seed)[0] for seed in (1, 1, 2))
        runs.backward((one,), 1)
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    assert random_state() == before


def test_a_check_draws_no_random_number_of_its_own() -> None:
    torch.manual_seed(0)
    before = torch.get_rng_state()
    checked(torch.sin, (randn(3),))
    checked(ZERO, (randn(3),))
    assert torch.equal(torch.get_rng_state(), before)


ZERO = made(lambda x: x.exp(), lambda g, x: g[0] * 0.3)
"""Wrong, so that the diagnosis tries a lot."""


@pytest.mark.parametrize("broken", inplace_damage.CASES, ids=lambda each: each.name)
def test_damaged_arguments_have_their_values_back(broken: Any) -> None:
    arguments = broken.inputs()
    checked(broken.function, arguments)
    for each, fresh in zip(arguments, broken.inputs(), strict=True):
        assert torch.equal(each, fresh)


def test_the_spread_is_a_map() -> None:
    report, sink = checked(nondeterministic.NoisyGradient, (randn(2, 3), randn(3, 2, seed=1)))
    x, w = report.blocks
    assert x.spread is None
    assert w.spread is not None
    spread = sink.tensor(w.spread)
    assert spread.shape == (6, 4)
    assert bool((spread > 0).all())
    assert float(spread.max()) < 0.02


def test_a_mask_spreads_only_where_it_acts() -> None:
    report, sink = checked(nondeterministic.Dropout, (randn(8), 0.5))
    spread = spread_of(report.blocks[0].spread, sink)
    assert torch.equal(spread, torch.diag(spread.diagonal()))
    assert set(spread.diagonal().tolist()) <= {0.0, 2.0}


def spread_of(number: int | None, sink: Kept) -> Tensor:
    assert number is not None
    return sink.tensor(number)


def test_chance_and_state_are_distinguished() -> None:
    assert "the function draws random numbers" in " ".join(
        first(nondeterministic.Dropout, randn(4), 0.5).evidence
    )
    assert "Counts.calls" in first(hidden_state.Counts, randn(3)).message
    assert "self.center" in first(hidden_state.RunningCenter(), randn(4, 3)).message


def test_what_was_changed_is_named() -> None:
    diagnosis = first(inplace_damage.NormalizesWeights, randn(2, 3), randn(3, 2, seed=1))
    assert "Forward changes w in place" in diagnosis.message
    assert "6 of 6 elements differ: w[0, 0] changed from" in diagnosis.evidence[0]
    diagnosis = first(inplace_damage.OverwritesItsOutput, randn(3))
    assert "Backward changes ctx.y of OverwritesItsOutput in place" in diagnosis.message


class Scratch(Function):
    """Each backward writes its memory on ctx before it reads it."""

    @staticmethod
    def forward(ctx: Any, scale: Tensor, b: Tensor, *, mean: bool = False) -> Tensor:
        ctx.scratch, ctx.mean = torch.zeros_like(scale), mean
        ctx.save_for_backward(scale, b / scale)
        return b / scale

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        scale, x = ctx.saved_tensors
        gradient = gradients[0] * ctx.scratch.copy_(1 / scale)
        summed = (-gradient * x).mean(0) if ctx.mean else (-gradient * x).sum(0)
        return summed, gradient


def test_scratch_memory_on_ctx_is_no_damage() -> None:
    arguments = (randn(3).exp().detach().requires_grad_(), randn(4, 3))
    report, _ = checked(Scratch, arguments)
    assert report.verdict == "match"
    assert [each.code for each in report.diagnoses] == ["none"]


def test_scratch_memory_on_ctx_hides_no_other_mistake() -> None:
    arguments = (randn(3).exp().detach().requires_grad_(), randn(4, 3))
    report, _ = checked(MeanScratch, arguments)
    assert [each.code for each in report.diagnoses] == ["factor_batch_size"]


class MeanScratch(Function):
    """A mean where a sum is right, beside scratch memory."""

    @staticmethod
    def forward(ctx: Any, scale: Tensor, b: Tensor) -> Tensor:
        return Scratch.forward(ctx, scale, b, mean=True)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return Scratch.backward(ctx, *gradients)[:2]


def test_a_value_kept_on_the_class_is_reported_although_gradcheck_passes() -> None:
    report, _ = checked(hidden_state.KeptOnTheClass, (randn(3),))
    assert report.verdict == "match"
    assert not report.passed


def test_without_the_battery_nothing_is_run_again() -> None:
    report, _ = checked(hidden_state.KeptOnTheClass, (randn(3),))
    again, _ = checked(
        hidden_state.KeptOnTheClass, (randn(3),), settings=CheckSettings(battery=False)
    )
    assert again.evaluations < report.evaluations
    assert [each.code for each in again.diagnoses] == ["none"]


def test_hidden_state_is_found_in_all_places() -> None:
    box = {"n": 0}
    memory: list[int] = []

    def counting(x: Tensor, seen: list[int] = memory) -> Tensor:
        box["n"] += 1
        seen.append(1)
        return x

    before = reachable(counting)
    counting(torch.ones(1))
    names = changed(before, reachable(counting))
    assert any("box" in each or "n" in each for each in names)
    assert any("len" in each for each in names)
    assert changed(before, before) == []
