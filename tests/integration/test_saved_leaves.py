"""Which saved tensors the inspector calls leaves, compared with torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import gradviz
from gradviz.analysis.index.trace_index import index_trace
from gradviz.document.facts.node_facts import saved_tags


class Saves(torch.autograd.Function):
    """Saves its arguments."""

    @staticmethod
    def forward(ctx: Any, factor: float, x: Tensor, y: Tensor) -> Tensor:
        ctx.factor = factor
        ctx.save_for_backward(x, y)
        return factor * (x.sum() + y.sum())

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (grad,) = grads
        return (None, *(ctx.factor * grad.expand_as(each) for each in ctx.saved_tensors))


def leaf() -> Tensor:
    return torch.arange(1.0, 5.0).reshape(2, 2).requires_grad_()


def changed(x: Tensor) -> Tensor:
    # A trace has another record for each version of a tensor.
    (x * x).sum().backward()
    with torch.no_grad():
        x.mul_(2)
    return x


ARGUMENTS: dict[str, Callable[[Tensor], Tensor]] = {
    "leaf": lambda x: x,
    "changed leaf": changed,
    "result": lambda x: x * 2,
    "transposed": lambda x: x.T,
    "reshaped": lambda x: x.view(4),
    "view of the same shape": lambda x: x.view_as(x),
    "alias": lambda x: x[:],
    "detached": lambda x: x.detach(),
    "constant": torch.ones_like,
}


@pytest.mark.parametrize("make", ARGUMENTS.values(), ids=ARGUMENTS)
def test_a_saved_leaf_is_called_so(make: Callable[[Tensor], Tensor]) -> None:
    x = leaf()
    with gradviz.record() as recording:
        argument = make(x)
        apply: Any = Saves.apply
        apply(2.0, argument, x).backward()
    trace = recording.trace.records
    index = index_trace(trace)
    (call,) = (each for each in trace.calls if each.function.endswith("Saves"))
    slots = index.saved[call.node or 0]
    tags = [[tag.text for tag in saved_tags(index, slot)] for slot in slots]
    expected = [each.is_leaf and each.requires_grad for each in (argument, x)]
    assert tags == [["input = leaf" if is_leaf else "input"] for is_leaf in expected]
