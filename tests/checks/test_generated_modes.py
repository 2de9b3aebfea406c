"""Several hundred generated Functions in every mode and order: gradcheck's verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import Function

from gradviz.model.check_settings import CheckSettings
from tests.checks.gradgradcheck_verdict import checked_twice, verdict_twice
from tests.checks.sample_functions import checked, verdict_of_torch

# The first use of forward mode makes torch compile something, of which it warns.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

# Each: what forward does, and its derivative; all of them are holomorphic.
UNARY = {
    "sin": (torch.sin, torch.cos),
    "exp": (torch.exp, torch.exp),
    "square": (torch.square, lambda x: 2 * x),
    "wrong": (torch.sin, lambda x: torch.cos(x) + 0.1),
    "nearly right": (torch.sin, lambda x: torch.cos(x) + 1e-8),
}


@dataclass(frozen=True)
class Plan:
    """The description of a generated Function.

    Attributes:
        names: Of the unary functions, one for each input.
        weights: By output and input.
        total: Whether the first output is a sum.
        counts: Whether an integer is the last output.
        tangent: By what the tangents are multiplied; None where there is no ``jvp``.
        detaches: Whether the last input's gradient is None.
    """

    names: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    total: bool
    counts: bool
    tangent: float | None
    detaches: bool

    def combined(self, terms: list[Tensor | None]) -> list[Tensor]:
        known = [(k, term) for k, term in enumerate(terms) if term is not None]
        made = [sum(weights[k] * term for k, term in known) for weights in self.weights]
        return [made[0].sum() if self.total else made[0], *made[1:]]


class Planned(Function):
    @staticmethod
    def forward(ctx: Any, plan: Plan, *inputs: Tensor | None) -> Any:
        ctx.plan = plan
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
        terms = [
            None if value is None else UNARY[name][0](value)
            for name, value in zip(plan.names, inputs, strict=True)
        ]
        outputs = plan.combined(terms)
        if not plan.counts:
            return tuple(outputs)
        count = torch.tensor(len(inputs))
        ctx.mark_non_differentiable(count)
        return (*outputs, count)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        plan = ctx.plan
        passed: list[Tensor | None] = [None]
        for k, (name, value) in enumerate(zip(plan.names, ctx.saved_tensors, strict=True)):
            if value is None or (plan.detaches and k == len(plan.names) - 1):
                passed.append(None)
                continue
            pairs = zip(plan.weights, gradients, strict=False)
            arriving = sum(weights[k] * gradient for weights, gradient in pairs)
            passed.append(arriving * UNARY[name][1](value).conj())
        return tuple(passed)


class PlannedForward(Planned):
    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        plan = ctx.plan
        moved = [
            None if value is None else plan.tangent * tangent * UNARY[name][1](value)
            for name, value, tangent in zip(
                plan.names, ctx.saved_tensors, tangents[1:], strict=True
            )
        ]
        outputs = plan.combined(moved)
        return (*outputs, None) if plan.counts else tuple(outputs)


MODES = (
    CheckSettings(),
    CheckSettings(forward_mode="on"),
    CheckSettings(batched=True),
    CheckSettings(fast=True),
    CheckSettings(fast=True, forward_mode="on", batched=True),
    CheckSettings(forward_mode="on", backward_mode=False, batched_forward=True, undefined=False),
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, ...]:
    count = draw(st.integers(1, 3))
    outputs = draw(st.integers(1, 3))
    weight = st.sampled_from([1.0, -2.0, 0.5])
    names = st.sampled_from([*UNARY, "sin", "exp", "square"])
    plan = Plan(
        names=tuple(draw(names) for _ in range(count)),
        weights=tuple(tuple(draw(weight) for _ in range(count)) for _ in range(outputs)),
        total=draw(st.booleans()),
        counts=draw(st.booleans()),
        tangent=draw(st.sampled_from([None, 1.0, 1.0, 1.5])),
        detaches=draw(st.integers(0, 5)) == 0,
    )
    shape = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    dtype = draw(st.sampled_from([torch.float64, torch.float64, torch.complex128]))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 99)))
    inputs: list[Tensor | None] = []
    for k in range(count):
        made = torch.randn(shape, dtype=dtype, generator=generator)
        wanted = k == 0 or draw(st.booleans())
        left_out = k > 0 and draw(st.integers(0, 3)) == 0
        inputs.append(None if left_out else made.requires_grad_(wanted))
    return plan, *inputs


def function_of(case: tuple[Any, ...]) -> type[Function]:
    return Planned if case[0].tangent is None else PlannedForward


SOME = settings(max_examples=3, derandomize=True, database=None)


def check_first_order(mode: CheckSettings, case: tuple[Any, ...]) -> None:
    chosen = function_of(case)
    report, _ = checked(chosen, case, settings=mode)
    assert report.verdict == verdict_of_torch(chosen.apply, case, mode)


in_each_mode = pytest.mark.parametrize(
    "mode", MODES, ids=["default", "forward", "batched", "fast", "all", "forward alone"]
)


@in_each_mode
@SOME
@given(case=cases())
def test_first_order(mode: CheckSettings, case: tuple[Any, ...]) -> None:
    check_first_order(mode, case)


@pytest.mark.sweep
@in_each_mode
@settings(SOME, max_examples=30)
@given(case=cases())
def test_first_order_of_many(mode: CheckSettings, case: tuple[Any, ...]) -> None:
    check_first_order(mode, case)


@pytest.mark.parametrize("mode", MODES[:1] + MODES[2:4], ids=["default", "batched", "fast"])
@SOME
@given(case=cases())
def test_second_order(mode: CheckSettings, case: tuple[Any, ...]) -> None:
    chosen = function_of(case)
    report, _ = checked_twice(chosen, case, settings=mode)
    assert report.verdict == verdict_twice(chosen.apply, case, mode)
