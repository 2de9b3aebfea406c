"""Search a trace for the places where a breakpoint hits, or the reason why it never does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    AtLine,
    AtNode,
    BreakpointTarget,
    Condition,
    PassDirection,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.analysis.breakpoints.hits import (
    ALL_EXAMINED,
    BreakpointHits,
    NoHitReason,
    UnexaminedData,
    finest_positions,
    sorted_positions,
)
from gradviz.analysis.breakpoints.marked_tensors import positions_of_marked
from gradviz.analysis.breakpoints.property_changes import (
    CAST,
    REDUCED,
    SignTracker,
    property_changes,
    recorded_stages,
)
from gradviz.analysis.breakpoints.step_tensors import callers
from gradviz.analysis.breakpoints.tensor_facts import Pause, TensorFacts
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, stages_of
from gradviz.model.columns import ERROR, FORWARD, NODE, PASS_BEGIN
from gradviz.model.inside import StageKind, StageRecord, records_lines
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


def raising_positions(facts: TensorFacts) -> Iterator[TracePosition]:
    """Places that raised, and the error's step if nothing finer is recorded for it."""
    trace = facts.index.trace
    # If the process died, its last step is unfinished too, but nothing was raised in it.
    died = None if trace.is_whole else len(trace.steps)
    raising: set[int] = set()
    for stage, part in recorded_stages(facts):
        if stage.step != died:
            found = list(_innermost(stage, part))
            raising.update(place.step for place in found)
            yield from found
    for step in trace.steps[-1:]:
        # The step that raised comes right before the step of the error.
        if isinstance(step, ErrorStep) and step.number - 1 not in raising:
            yield TracePosition(step=step.number)


def _innermost(stage: TracePosition, part: StageRecord) -> Iterator[TracePosition]:
    enclosing: set[int | None] = set()
    for at, op in enumerate(part.ops):
        if not op.finished:
            enclosing.update(callers(part, op.line))
            yield TracePosition(step=stage.step, stage=stage.stage, line=op.line, op=at)
    for at in reversed(range(len(part.lines))):
        if not part.lines[at].finished:
            if at not in enclosing:
                yield TracePosition(step=stage.step, stage=stage.stage, line=at)
            enclosing.update(callers(part, at))


def steps_about(index: TraceIndex, nodes: Iterable[int], direction: PassDirection) -> set[int]:
    """Numbers of the steps that create, execute or fail in one of the nodes."""
    wanted, columns = set(nodes), index.steps
    about = np.isin(columns.nodes, list(wanted))
    forward = columns.kinds == FORWARD
    found: set[int] = set()
    if direction != "backward":
        found |= set((np.flatnonzero(about & forward) + 1).tolist())
        found |= {number for number, made in columns.several.items() if wanted & set(made)}
    if direction != "forward":
        found |= set((np.flatnonzero(about & ~forward) + 1).tolist())
    return found


def positions_by_name(
    facts: TensorFacts, target: AtFunction
) -> tuple[bool, Iterator[TracePosition]]:
    """Places of a named function, node or inner op, and whether anything has that name."""
    index = facts.index
    nodes = {node.id for node in index.trace.nodes if target.name in (node.name, _short(node.name))}
    nodes |= {
        call.node
        for call in index.trace.calls
        if call.function == target.name and call.node is not None
    }
    steps: set[int] = set()
    # Selected by column, so that only the records of these steps are read.
    forward = np.flatnonzero(index.steps.kinds == FORWARD) + 1
    for at in facts.paused(len(forward)):
        step = index.trace.steps[int(forward[at]) - 1]
        if isinstance(step, ForwardStep) and step.op == target.name:
            nodes.update(step.nodes)
            steps.add(step.number)
    ops = list(_ops(facts, target.name))
    known = bool(nodes or steps or ops)
    if target.direction == "backward":
        # These are forward steps; the executions of their nodes are added below.
        steps.clear()
    steps |= steps_about(index, nodes, target.direction)
    return known, _places(index, steps, ops, target.direction)


def _places(
    index: TraceIndex, steps: set[int], ops: list[TracePosition], direction: PassDirection
) -> Iterator[TracePosition]:
    yield from (TracePosition(step=number) for number in steps)
    for place in ops:
        is_forward = index.steps.kinds[place.step - 1] == FORWARD
        if direction == "both" or (direction == "forward") == is_forward:
            yield place


def _short(name: str) -> str:
    """The usual name of torch's own nodes, without their namespace."""
    return name.removeprefix("torch::autograd::")


def _ops(facts: TensorFacts, name: str) -> Iterator[TracePosition]:
    for stage, part in recorded_stages(facts):
        for at, op in enumerate(part.ops):
            if op.name == name:
                yield TracePosition(step=stage.step, stage=stage.stage, line=op.line, op=at)


class BreakpointFinder:
    """Finds breakpoints in one trace, for one thread at a time.

    Data that several breakpoints need is computed once: the places of lines, the norms of tensors.
    """

    def __init__(self, index: TraceIndex) -> None:
        """Search the given trace."""
        self.index = index
        self._facts = TensorFacts(index)
        self._lines: LinePositions | None = None

    def positions_of(self, target: BreakpointTarget, pause: Pause = lambda: None) -> BreakpointHits:
        """Find the places where a breakpoint hits.

        Args:
            target: What to stop at.
            pause: Called from time to time; an exception that it raises ends the search.
        """
        # The cached facts serve many searches, each of which is canceled in its own way.
        self._facts.pause = pause
        match target:
            case AtNode():
                return self._node(target)
            case AtFunction():
                return self._function(target)
            case AtLine():
                return self._line(target)
            case _:
                return self._condition(target)

    def _node(self, target: AtNode) -> BreakpointHits:
        node = self.index.node.get(target.node)
        if node is None:
            return BreakpointHits(why="no node")
        if node.name != target.name:
            return BreakpointHits(why="other node")
        steps = steps_about(self.index, (target.node,), target.direction)
        return _found([TracePosition(step=number) for number in steps], "node not run")

    def _function(self, target: AtFunction) -> BreakpointHits:
        known, places = positions_by_name(self._facts, target)
        return _found(places, "function not run" if known else "no function")

    def _line(self, target: AtLine) -> BreakpointHits:
        if self._lines is None:
            self._lines = LinePositions(self._facts)
        if target.path not in self._lines.paths:
            return BreakpointHits(why="no file")
        why: NoHitReason = "line not run" if self._has_lines else "no lines"
        return _found(self._lines.at(target.path, target.line), why)

    def _sign(self, target: WhenSign) -> BreakpointHits:
        signs = SignTracker(self._facts, target)
        places = sorted_positions(signs.places())
        why: NoHitReason = "never"
        if not signs.read:
            why = "no element" if signs.named else "no name"
        unexamined = UnexaminedData(
            tensors=signs.undetermined, lines=not target.gradient and not self._has_lines
        )
        return _found(places, why, unexamined)

    def _condition(self, target: Condition) -> BreakpointHits:
        facts, index = self._facts, self.index
        places: Iterable[TracePosition]
        unexamined = ALL_EXAMINED
        match target:
            case WhenNotFinite():
                marked = facts.not_finite(target.kind)
                places = positions_of_marked(facts, marked, appears=target.appears)
                unexamined = UnexaminedData(tensors=facts.undetermined)
            case WhenNorm():
                marked = facts.above(target.above)
                places = positions_of_marked(
                    facts, marked, appears=target.appears, gradients=target.gradients
                )
                unexamined = UnexaminedData(tensors=facts.undetermined)
            case WhenShape():
                places = property_changes(
                    facts, REDUCED, lambda record: record.shape, self._has_lines
                )
                unexamined = UnexaminedData(lines=not self._has_lines)
            case WhenDtype():
                places = property_changes(facts, CAST, lambda record: record.dtype, self._has_lines)
                unexamined = UnexaminedData(lines=not self._has_lines)
            case WhenPrinted():
                places = [TracePosition(step=number) for number in index.printed]
            case WhenRaised():
                places = raising_positions(facts)
            case WhenSign():
                return self._sign(target)
        return _found(places, "never", unexamined)

    @property
    def _has_lines(self) -> bool:
        return records_lines(self.index.trace.origin.level)


def _found(
    places: Iterable[TracePosition], why: NoHitReason, unexamined: UnexaminedData = ALL_EXAMINED
) -> BreakpointHits:
    """Places in order, or a reason if there are none."""
    ordered = sorted_positions(places)
    return BreakpointHits(places=ordered, why=None if ordered else why, unexamined=unexamined)
