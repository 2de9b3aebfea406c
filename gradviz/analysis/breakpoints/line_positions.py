"""Find the places of a run that belong to a source line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from gradviz.analysis.breakpoints.hits import finest_positions
from gradviz.analysis.breakpoints.property_changes import recorded_stages
from gradviz.analysis.breakpoints.tensor_facts import TensorFacts
from gradviz.analysis.position.trace_position import TracePosition, stages_of
from gradviz.model.columns import ERROR, FORWARD, NODE, PASS_BEGIN
from gradviz.model.inside import StageKind, StageRecord
from gradviz.model.source import Location, source_lines
from gradviz.model.step import ErrorStep, ForwardStep, PassBeginStep, Step

_MOST_DECORATED = 20
"""Largest number of lines that decorators may take."""

_CodeLocation = tuple[str, int]
"""A path and a line."""

_Found = tuple[_CodeLocation, int, TracePosition]
"""First line with its path, last line, and place in the run."""


class LinePositions:
    """The places of all lines of a trace, collected once for repeated queries.

    A statement is listed at each line that it covers, and a method of a Function at the line of its
    definition. If no lines were recorded, the ops of a stage stand in for them.
    """

    def __init__(self, facts: TensorFacts) -> None:
        """Collect the places of all lines in a trace."""
        self._places: dict[_CodeLocation, list[TracePosition]] = defaultdict(list)
        self._spans: dict[str, list[tuple[range, TracePosition]]] = defaultdict(list)
        self.paths = {source.path for source in facts.index.trace.sources}
        for (path, line), last, place in _all(facts):
            if last > line:
                # Not stored for each line, because a malicious file may claim millions of them.
                self._spans[path].append((range(line, last + 1), place))
            else:
                self._places[path, line].append(place)
            self.paths.add(path)

    def at(self, path: str, line: int) -> tuple[TracePosition, ...]:
        """The finest places at a line, in order."""
        enclosing = [place for lines, place in self._spans.get(path, ()) if line in lines]
        return finest_positions((*self._places.get((path, line), ()), *enclosing))


def _all(facts: TensorFacts) -> Iterator[_Found]:
    kinds, steps = facts.index.steps.kinds, facts.index.trace.steps
    # The other kinds have no location, so their records need not be read.
    located = np.flatnonzero(np.isin(kinds, (FORWARD, PASS_BEGIN, ERROR))) + 1
    for at in facts.paused(len(located)):
        step = steps[int(located[at]) - 1]
        if isinstance(step, ForwardStep | PassBeginStep | ErrorStep) and step.location is not None:
            yield _at(step.location, TracePosition(step=step.number))
        if isinstance(step, ForwardStep) and step.call is not None:
            yield from _definitions(facts, step)
    for stage, part in recorded_stages(facts):
        yield from _inside(stage, part)


def _at(location: Location, place: TracePosition) -> _Found:
    return (location.path, location.line), location.line, place


def _definitions(facts: TensorFacts, step: ForwardStep) -> Iterator[_Found]:
    """Definitions of the methods that ran in a call and in the backward of its node."""
    index = facts.index
    call = None if step.call is None else index.call.get(step.call)
    if call is None:
        return
    yield from _at_stage(facts, step, "forward", call.forward)
    yield from _at_stage(facts, step, "setup_context", call.setup_context)
    for visit in () if call.node is None else index.visits.get(call.node, ()):
        if index.steps.kinds[visit - 1] == NODE:
            yield from _at_stage(facts, index.trace.steps[visit - 1], "backward", call.backward)


def _at_stage(
    facts: TensorFacts, step: Step, stage: StageKind, location: Location | None
) -> Iterator[_Found]:
    if location is None or stage not in stages_of(facts.index, step):
        return
    place = TracePosition(step=step.number, stage=stage)
    yield (location.path, location.line), _def_line(facts, location), place


def _def_line(facts: TensorFacts, location: Location) -> int:
    """Line of the ``def`` keyword; Python counts a function from its first decorator."""
    source = None if location.source is None else facts.index.source.get(location.source)
    begin = location.line - 1
    lines = () if source is None else source_lines(source.text)[begin : begin + _MOST_DECORATED]
    is_def = (each.split(maxsplit=1)[:1] in (["def"], ["async"]) for each in lines)
    return location.line + next((at for at, found in enumerate(is_def) if found), 0)


def _inside(stage: TracePosition, part: StageRecord) -> Iterator[_Found]:
    for at, line in enumerate(part.lines):
        place = TracePosition(step=stage.step, stage=stage.stage, line=at)
        yield (line.location.path, line.location.line), line.last_line, place
    for at, op in enumerate(part.ops):
        if op.location is not None and op.line is None:
            yield _at(op.location, TracePosition(step=stage.step, stage=stage.stage, op=at))
