"""Traces with one given stage, and the sentences for its lines and ops."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.inside import ExecutedLine, Inside, Op, StageRecord, UserFrame
from gradviz.model.item import Item, tensor_item
from gradviz.model.source import SourceFile
from gradviz.model.step import NodeStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from gradviz.text.narration import describe_position
from tests.builders import tensor
from tests.inside_builder import INSIDE_TENSORS, at, inside_trace, line, part

Pairs = Sequence[tuple[TensorRecord, TensorValue]]
FIRST = 100
"""Number of the first tensor of a situation."""


def known(*values: npt.ArrayLike, **more: Any) -> Pairs:
    """Tensors 100, 101 ... with these elements; ``more`` replaces fields of all records."""
    pairs = [tensor(FIRST + position, each) for position, each in enumerate(values)]
    return [(replace(record, **more), value) for record, value in pairs]


def unknown(shape: tuple[int, ...], **more: Any) -> Pairs:
    """Tensor 100, without stored elements."""
    ((record, value),) = known([0.0])
    values = {"content": "metadata", "kept_shape": (), "kept_steps": (), "statistics": None}
    return [(replace(record, shape=shape, note="large", **(values | more)), value)]


def changed(
    pair: tuple[TensorRecord, TensorValue], **more: Any
) -> tuple[TensorRecord, TensorValue]:
    """The same tensor with other fields."""
    return replace(pair[0], **more), pair[1]


def t(name: str, position: int = 0) -> Item:
    """The situation's tensor at a position, with a name."""
    return tensor_item(name, FIRST + position)


def index_with(
    recorded: StageRecord, tensors: Pairs = (), trace: Trace | None = None, text: str | None = None
) -> TraceIndex:
    """The trace of `inside_trace`, whose backward in step 5 is this part."""
    trace = trace or inside_trace()
    pairs = {record.id: (record, value) for record, value in (*INSIDE_TENSORS, *tensors)}
    sources = trace.sources
    if text is not None:
        sources = (SourceFile(id=1, path="linear.py", text=textwrap.dedent(text)),)
    trace = replace(
        trace,
        insides=(Inside(id=5, parts=(recorded,)),),
        tensors=tuple(record for record, _ in pairs.values()),
        sources=sources,
    )
    return index_trace(trace, lambda number: pairs[number][1])


def of_op(recorded: Op, tensors: Pairs = (), trace: Trace | None = None) -> str:
    """The sentence of an op."""
    index = index_with(part("backward", ops=[recorded]), tensors, trace)
    return describe_position(index, TracePosition(step=5, stage="backward", op=0))


def of_lines(
    text: str,
    lines: Sequence[ExecutedLine],
    tensors: Pairs = (),
    *,
    ops: Sequence[Op] = (),
    arguments: Sequence[Item] = (),
    calls: Sequence[UserFrame] = (),
    trace: Trace | None = None,
    **more: Any,
) -> list[str]:
    """The sentences of lines of a source text, which ran in `LinearFunction.backward`."""
    frame = UserFrame(
        function=at(1, "LinearFunction.backward"), arguments=tuple(arguments), caller=None
    )
    recorded = part("backward", frames=[frame, *calls], lines=lines, ops=ops, **more)
    index = index_with(recorded, tensors, trace, text)
    places = [TracePosition(step=5, stage="backward", line=number) for number in range(len(lines))]
    return [describe_position(index, place) for place in places]


def ran(number: int, *changes: Item, **more: Any) -> ExecutedLine:
    """A line of the text."""
    return line(at(number, "LinearFunction.backward"), *changes, **more)


def step_of(trace: Trace) -> NodeStep:
    """The step of the custom Function's backward."""
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    return step


def with_step(trace: Trace, **more: Any) -> Trace:
    """The trace with other fields in that step."""
    step = replace(step_of(trace), **more)
    return replace(trace, steps=(*trace.steps[:4], step, *trace.steps[5:]))
