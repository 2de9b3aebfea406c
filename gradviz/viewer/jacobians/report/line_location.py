"""Finds the position in a run at which a line of backward was executed."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.function_call import FunctionCall
from gradviz.model.source import Location


def place_of_line(index: TraceIndex, location: Location) -> TracePosition | None:
    """Last execution of a line; the step of its backward if the line was not recorded.

    Args:
        index: The trace.
        location: A line of a backward, or of a function it calls.
    """
    found: TracePosition | None = None
    for call in reversed(index.call.values()):
        if call.node is None or not _is_of(call, location):
            continue
        for number in reversed(index.visits.get(call.node, ())):
            place = _line_in(index, number, location)
            if place is not None:
                return place
            found = found or TracePosition(step=number, stage="backward")
    return found


def _is_of(call: FunctionCall, location: Location) -> bool:
    return call.backward is not None and call.backward.path == location.path


def _line_in(index: TraceIndex, number: int, location: Location) -> TracePosition | None:
    inside = index.inside.get(number)
    for part in () if inside is None else inside.parts:
        if part.stage != "backward":
            continue
        for at in range(len(part.lines) - 1, -1, -1):
            line = part.lines[at]
            same = line.location.path == location.path
            if same and line.location.line <= location.line <= line.last_line:
                return TracePosition(step=number, stage=part.stage, line=at)
    return None
