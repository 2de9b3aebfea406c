"""Many small Functions, correct and wrong: gradcheck's matrices and verdict."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.jacobians import evaluator
from tests.checks.sample_functions import assert_equal_to_torch, checked, verdict_of_torch
from tests.sweeps import generated

# Each: what forward does, and its derivative.
UNARY = {
    "sin": (torch.sin, torch.cos),
    "cube": (lambda x: x**3, lambda x: 3 * x**2),
    "exp": (torch.exp, torch.exp),
    "abs": (torch.abs, torch.sign),
    "wrong": (torch.sin, lambda x: torch.cos(x) + 0.1),
    "nearly right": (torch.sin, lambda x: torch.cos(x) + 1e-7),
}
REDUCTIONS = ("none", "all", "last")


class Generated(Function):
    """Sums unary functions of its inputs with weights, after broadcasting, and reduces the sum."""

    @staticmethod
    def forward(ctx: Any, plan: dict[str, Any], *inputs: Tensor | None) -> Any:
        ctx.plan = plan
        ctx.save_for_backward(*inputs)
        terms = [
            UNARY[name][0](value) * weight
            for name, weight, value in zip(plan["names"], plan["weights"], inputs, strict=True)
            if value is not None
        ]
        total = sum(terms[1:], terms[0])
        ctx.shape = total.shape
        reduced = reduce(total, plan["reduction"])
        return (reduced, reduced * 2) if plan["two"] else reduced

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        plan = ctx.plan
        arriving = gradients[0] + 2 * gradients[1] if plan["two"] else gradients[0]
        if plan["reduction"] == "last":
            arriving = arriving.unsqueeze(-1)
        arriving = arriving.expand(ctx.shape)
        passed: list[Tensor | None] = [None]
        for name, weight, value in zip(
            plan["names"], plan["weights"], ctx.saved_tensors, strict=True
        ):
            passed.append(None if value is None else arriving * UNARY[name][1](value) * weight)
        if plan["forgets"]:
            passed[-1] = None
        return tuple(passed)


def reduce(total: Tensor, how: str) -> Tensor:
    if how == "all":
        return total.sum()
    return total.sum(-1) if how == "last" else total


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, ...]:
    count = draw(st.integers(1, 3))
    reduction = draw(st.sampled_from(REDUCTIONS))
    plan = {
        "names": draw(st.lists(st.sampled_from(sorted(UNARY)), min_size=count, max_size=count)),
        "weights": draw(
            st.lists(st.sampled_from([1.0, -2.0, 0.0]), min_size=count, max_size=count)
        ),
        "reduction": reduction,
        "two": draw(st.booleans()),
        "forgets": draw(st.integers(0, 9)) == 0,
    }
    full = draw(st.lists(st.integers(0, 3), min_size=1 if reduction == "last" else 0, max_size=2))
    inputs = [draw(tensors(tuple(full), first=True))]
    inputs += [draw(st.none() | tensors(tuple(full), first=False)) for _ in range(count - 1)]
    return plan, *inputs


@st.composite
def tensors(draw: st.DrawFn, full: tuple[int, ...], *, first: bool) -> Tensor:
    """A tensor that broadcasts to a shape; the first has that shape and requires a gradient."""
    shape = full if first else full[draw(st.integers(0, len(full))) :]
    count = torch.Size(shape).numel()
    values = st.floats(-2, 2, width=32)
    made = torch.tensor(
        draw(st.lists(values, min_size=count, max_size=count)), dtype=torch.float64
    ).reshape(shape)
    if len(shape) == 2 and draw(st.booleans()):
        made = made.t().contiguous().t()
    return made.requires_grad_(first or draw(st.booleans()))


@generated(case=cases(), short=st.booleans(), few=40, many=150, derandomize=True)
def test_generated_functions(case: tuple[Any, ...], short: bool) -> None:
    least = evaluator.LEAST_ELEMENTS
    evaluator.LEAST_ELEMENTS = 1 if short else least
    try:
        report, sink = checked(Generated, case)
    finally:
        evaluator.LEAST_ELEMENTS = least
    assert_equal_to_torch(Generated.apply, case, report, sink)
    assert report.verdict == verdict_of_torch(Generated.apply, case)
