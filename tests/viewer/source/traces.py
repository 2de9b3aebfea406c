"""Traces for the source pane: handwritten and very long ones."""

from __future__ import annotations

from msgspec.structs import replace

from gradviz.model.inside import Inside, UserFrame
from gradviz.model.item import array_item, object_item, tensor_item
from gradviz.model.source import SourceFile
from gradviz.model.trace import Trace
from tests.inside_builder import (
    INSIDE_TENSORS,
    at,
    dying_trace,
    inside_trace,
    line,
    part,
    raising_trace,
)
from tests.viewer.traces import MemoryReader


def reader(trace: Trace | None = None) -> MemoryReader:
    return MemoryReader(inside_trace() if trace is None else trace, INSIDE_TENSORS)


def raising_reader() -> MemoryReader:
    return reader(raising_trace())


def dying_reader() -> MemoryReader:
    return reader(dying_trace())


def shallow_reader() -> MemoryReader:
    """A trace recorded without lines."""
    trace = inside_trace()
    return reader(replace(trace, origin=replace(trace.origin, level="nodes"), insides=()))


def numpy_reader() -> MemoryReader:
    """What line 25 makes is an array whose elements were recorded."""
    trace = inside_trace()
    before = trace.insides[3].parts[0]
    lines = list(before.lines)
    lines[4] = replace(lines[4], changes=(array_item("array", 10),))
    backward = replace(before, lines=tuple(lines))
    inside = Inside(id=5, parts=(backward, *trace.insides[3].parts[1:]))
    return reader(replace(trace, insides=(*trace.insides[:3], inside, *trace.insides[4:])))


LOOP_FIRST, LOOP_SECOND = 23, 24


def long_reader(*, turns: int, lines: int) -> MemoryReader:
    """A loop of many iterations in the backward of a long source."""
    trace = inside_trace()
    body = "\n".join(f"value_{n} = {n}  # a line that nobody runs" for n in range(lines))
    source = SourceFile(id=1, path="linear.py", text=trace.sources[0].text + body + "\n")
    first, second = (at(n, "LinearFunction.backward") for n in (LOOP_FIRST, LOOP_SECOND))
    records = [
        each
        for turn in range(turns)
        for each in (
            line(first, object_item("turn", str(turn))),
            line(second, tensor_item("doubled", 10)),
        )
    ]
    frame = UserFrame(function=at(22, "LinearFunction.backward"), arguments=(), caller=None)
    backward = part("backward", frames=(frame,), lines=records)
    inside = Inside(id=5, parts=(backward,))
    insides = (*trace.insides[:3], inside, *trace.insides[4:])
    return reader(replace(trace, sources=(source,), insides=insides))
