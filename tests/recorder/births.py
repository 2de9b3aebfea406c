"""Asks where trouble was born in a run that is recorded for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.autograd import Function

from gradviz.model.birthplace import Birth, Spotted, Tracer
from gradviz.model.index import Index, index_of
from gradviz.model.item import Item
from gradviz.model.places import Place
from gradviz.model.step import AccumulateStep, ForwardStep
from gradviz.model.trouble import Trouble
from gradviz.store.reader import open_trace
from tests.recorder.taping import tape

NAN, INFINITY, ZERO = Trouble(kind="nan"), Trouble(kind="infinity"), Trouble(kind="zero")

Where = Callable[[Index], tuple[Place, Item]]


def last_total(index: Index) -> tuple[Place, Item]:
    """The ``.grad`` of the leaf that came last."""
    step = [each for each in index.trace.steps if isinstance(each, AccumulateStep)][-1]
    return Place(step=step.number), step.total


def last_output(index: Index) -> tuple[Place, Item]:
    step = [each for each in index.trace.steps if isinstance(each, ForwardStep)][-1]
    return Place(step=step.number), step.outputs[0]


def births(
    path: Path,
    code: Callable[[], Any],
    trouble: Trouble = NAN,
    where: Where = last_output,
    spot: tuple[int, ...] | None = None,
    **options: Any,
) -> tuple[tuple[Birth, ...], Index]:
    tape(path, code, **{"level": "ops", **options})
    with open_trace(path / "run.gradviz") as reader:
        trace = reader.trace()
        values = {each.id: reader.value(each.id) for each in trace.tensors}
        index = index_of(trace, values.get)
        place, item = where(index)
        assert item.tensor is not None
        seen = Spotted(place=place, name=item.name, tensor=item.tensor, spot=spot)
        return Tracer(index).births(trouble, seen), index


def only(found: tuple[tuple[Birth, ...], Index]) -> Birth:
    (birth,) = found[0]
    return birth


def name(birth: Birth) -> str:
    assert birth.making is not None
    return birth.making.name


class LogFunction(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        shifted = x - 1.5
        turned = shifted.t()
        result = turned.log()
        ctx.save_for_backward(shifted)
        return result * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (shifted,) = ctx.saved_tensors
        return 2 * grad.t() / shifted
