"""Finds the origin of a problem in a run that is recorded for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.autograd import Function

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.origin_tracer import ElementLocation, OriginTracer, ValueOrigin
from gradviz.analysis.provenance.value_problem import ValueProblem
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep
from gradviz.store.reader import open_trace
from tests.recorder.recorded_run import record_run

NAN, INFINITY, ZERO = (
    ValueProblem(kind="nan"),
    ValueProblem(kind="infinity"),
    ValueProblem(kind="zero"),
)

Where = Callable[[TraceIndex], tuple[TracePosition, Item]]


def last_total(index: TraceIndex) -> tuple[TracePosition, Item]:
    """The last recorded ``.grad`` of a leaf."""
    step = [each for each in index.trace.steps if isinstance(each, AccumulateStep)][-1]
    return TracePosition(step=step.number), step.total


def last_output(index: TraceIndex) -> tuple[TracePosition, Item]:
    step = [each for each in index.trace.steps if isinstance(each, ForwardStep)][-1]
    return TracePosition(step=step.number), step.outputs[0]


def value_origins(
    path: Path,
    code: Callable[[], Any],
    problem: ValueProblem = NAN,
    where: Where = last_output,
    element: tuple[int, ...] | None = None,
    **options: Any,
) -> tuple[tuple[ValueOrigin, ...], TraceIndex]:
    record_run(path, code, **{"level": "ops", **options})
    with open_trace(path / "run.gradviz") as reader:
        trace = reader.trace()
        values = {each.id: reader.value(each.id) for each in trace.tensors}
        index = index_trace(trace, values.get)
        place, item = where(index)
        assert item.tensor is not None
        seen = ElementLocation(place=place, name=item.name, tensor=item.tensor, element=element)
        return OriginTracer(index).value_origins(problem, seen), index


def only(found: tuple[tuple[ValueOrigin, ...], TraceIndex]) -> ValueOrigin:
    (value_origin,) = found[0]
    return value_origin


def name(value_origin: ValueOrigin) -> str:
    assert value_origin.producer is not None
    return value_origin.producer.name


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
