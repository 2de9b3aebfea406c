"""Helpers that look for breakpoint hits in handwritten traces."""

from __future__ import annotations

from gradviz.analysis.breakpoints.finder import BreakpointFinder
from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import PositionKey, TracePosition
from gradviz.model.trace import Trace
from tests.viewer.traces import MemoryReader, Pairs


def look(trace: Trace, pairs: Pairs) -> BreakpointFinder:
    reader = MemoryReader(trace, pairs)
    return BreakpointFinder(index_trace(reader.trace(), reader.value))


def keys(places: tuple[TracePosition, ...]) -> list[PositionKey]:
    return [place.key for place in places]
