"""Operands are named as the source writes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from gradviz.checks.reference.changed_derivative import ChangedDerivativeMode


@pytest.mark.parametrize(
    ("forward", "call", "operands"),
    [
        (lambda x: 1 - x, "1 - x", {0: "x"}),
        (lambda x: 2.0 * x, "2.0 * x", {0: "x"}),
        (lambda x: 2 / x, "2 / x", {0: "x"}),
        (lambda x: x - 1, "x - 1", {0: "x"}),
        (lambda x: x @ x.detach().t(), "x @ x.detach().t()", {0: "x", 1: "x.detach().t()"}),
        (lambda x: x.mean(-1, keepdim=True), "x.mean(-1, keepdim=True)", {0: "x"}),
        (lambda x: torch.sum(x, 0), "torch.sum(x, 0)", {0: "x"}),
        (lambda x: x[0], "x[0]", {0: "x"}),
        (lambda x: -x, "-x", {0: "x"}),
    ],
)
def test_operands_are_those_of_the_call(
    forward: Callable[[Tensor], Tensor], call: str, operands: dict[int, str]
) -> None:
    mode = ChangedDerivativeMode()
    x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    with mode:
        forward(x)
    found = mode.calls[-1]
    assert found.source.call == call
    assert {place: found.source.operand(place) for place in operands} == operands
