"""Selects the source, the current block and the executed lines for a place in the run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.executed_lines import (
    ExecutionLimit,
    LineKey,
    execution_up_to,
    no_execution,
    unlimited_execution,
)
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.model.function_call import FunctionCall
from gradviz.model.inside import StageKind, StageRecord
from gradviz.model.source import Location, SourceFile
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
)
from gradviz.viewer.translation import translate

PassagePhase = Literal["forward", "backward", "other"]
_PHASE: dict[StageKind, PassagePhase] = {
    "forward": "forward",
    "setup_context": "forward",
    "save": "forward",
    "backward": "backward",
    "engine": "backward",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourcePassage:
    """The content of one column.

    Attributes:
        source: The whole source file.
        phase: Whether this is a Function's forward or backward, or any other code.
        step: Number of the step whose lines are marked.
        block: First and last line of the current block, from 1.
        definitions: The functions of this phase; only their unexecuted lines are grayed out.
        reaches: How far each stage of the step that has lines has executed.
        raised: The exception raised in the block; empty if none.
    """

    source: SourceFile
    phase: PassagePhase
    step: int
    block: tuple[int, int]
    definitions: tuple[Location, ...] = ()
    reaches: tuple[tuple[StageKind, ExecutionLimit], ...] = ()
    raised: str = ""

    def place_of(self, line: int) -> TracePosition | None:
        """Return the place where a line last ran up to now, or else where it first runs."""
        row: LineKey = (self.source.id, line)
        for last in (True, False):
            for stage, reach in reversed(self.reaches):
                at = reach.last(row) if last else reach.first(row)
                if at is not None:
                    return TracePosition(step=self.step, stage=stage, line=at)
        return None

    def adjacent_place(self, line: int, by: int) -> TracePosition | None:
        """Return where a line runs next (``by`` 1) or last ran before (-1) within the step."""
        row: LineKey = (self.source.id, line)
        for stage, reach in self.reaches[::by]:
            at = reach.adjacent_run(row, by)
            if at is not None:
                return TracePosition(step=self.step, stage=stage, line=at)
        return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourceContent:
    """The content of the whole pane.

    Attributes:
        active: The passage with the current step; None if there is no source.
        other: The Function's other half; None if there is none.
        where: The line that the step refers to, if any.
        about: A short sentence about the line or the step.
        reach: Execution of the stage whose local variables are shown; None for none.
        stage: The kind of that stage.
        hidden: Whether the execution of the step is left out because its results are hidden.
    """

    active: SourcePassage | None = None
    other: SourcePassage | None = None
    where: Location | None = None
    about: str = ""
    reach: ExecutionLimit | None = None
    stage: StageKind | None = None
    hidden: bool = False


def source_content_at(revealed: RevealedTrace, place: TracePosition) -> SourceContent:
    """Return the content of the pane at a place, without the execution of a hidden step."""
    if revealed.index is None:
        return SourceContent()
    shown = _content_at(revealed.index, place)
    if revealed.shows(place.step) or shown.active is None:
        return shown
    return replace(shown, active=replace(shown.active, reaches=()), reach=None, hidden=True)


def _content_at(index: TraceIndex, place: TracePosition) -> SourceContent:
    match step_at(index, place.step):
        case ForwardStep() as step:
            return _at_forward(index, place, step)
        case NodeStep() as step:
            return _at_node(index, place, step)
        case AccumulateStep(node=node, pass_id=number):
            text = _accumulated_text(index.node[node].variable_name)
            return _plain(index, place.step, _start(index, number), text)
        case PassBeginStep(location=location):
            text = translate("Source", "This line starts the backward pass.")
            return _plain(index, place.step, location, text)
        case DispatchStep() as step:
            return _at_dispatch(index, place, step)
        case OptimizerStep(location=location):
            return _plain(index, place.step, location, "")
        case PassEndStep(pass_id=number):
            text = translate("Source", "The backward pass that this line started has ended.")
            return _plain(index, place.step, _start(index, number), text)
        case ErrorStep() as step:
            return _at_error(index, step)
        case MissingStep() | None:
            return SourceContent()


def _start(index: TraceIndex, number: int) -> Location | None:
    """Return the line that started a backward pass."""
    span = index.span.get(number)
    step = None if span is None else step_at(index, span.first)
    return step.location if isinstance(step, PassBeginStep) else None


def _plain(index: TraceIndex, number: int, where: Location | None, text: str) -> SourceContent:
    """Return content for a line outside of any Function."""
    source = _source(index, where)
    if source is None or where is None:
        return SourceContent(where=where, about=text)
    block = where.line, where.line
    active = SourcePassage(source=source, phase="other", step=number, block=block)
    return SourceContent(active=active, where=where, about=text)


def _at_forward(index: TraceIndex, place: TracePosition, step: ForwardStep) -> SourceContent:
    call = None if step.call is None else index.call.get(step.call)
    if call is None or _source(index, call.forward) is None:
        return _plain(index, step.number, step.location, _called_text(step.op))
    split = place.stage == "setup_context" and call.setup_context is not None
    function_location = call.setup_context if split else call.forward
    shown = _inside(index, place, function_location)
    return replace(shown, other=_half(index, call, "backward", step.number))


def _at_dispatch(index: TraceIndex, place: TracePosition, step: DispatchStep) -> SourceContent:
    """Return the last override's code: its handler, or else its protocol method."""
    homes = [each for each in step.answers if _source(index, each.location) is not None]
    if not homes or homes[-1].location is None:
        return _plain(index, step.number, step.location, _called_text(step.function))
    answer, function_location = homes[-1], homes[-1].location
    shown = _inside(index, place, function_location)
    active = (
        None if shown.active is None else replace(shown.active, definitions=(function_location,))
    )
    if place.line is not None:
        return replace(shown, active=active)
    about = translate("Source", "{type} was called to handle {function}.")
    about = about.format(type=answer.type, function=step.function)
    return replace(shown, active=active, about=about)


def _at_node(index: TraceIndex, place: TracePosition, step: NodeStep) -> SourceContent:
    node = index.node[step.node]
    call = None if node.call is None else index.call.get(node.call)
    made = index.made_at.get(step.node)
    if call is None or _source(index, call.backward) is None:
        forward = None if made is None else step_at(index, made)
        where = forward.location if isinstance(forward, ForwardStep) else None
        start = _start(index, step.pass_id)
        if where is None and start is not None:
            text = translate("Source", "{node} is part of torch; this line started backward.")
            return _plain(index, step.number, start, text.format(node=node.name))
        text = translate("Source", "{node} is part of torch. Line {line} created it.")
        if where is None:
            text = translate(
                "Source", "{node} is part of torch. The line that created it was not recorded."
            )
        text = text.format(node=node.name, line=0 if where is None else where.line)
        return _plain(index, step.number, where, text)
    shown = _inside(index, place, call.backward)
    return replace(shown, other=_half(index, call, "forward", made or step.number))


def _at_error(index: TraceIndex, step: ErrorStep) -> SourceContent:
    before = TracePosition(step=max(1, step.number - 1))
    died = step_at(index, before.step)
    shown = SourceContent()
    if isinstance(died, ForwardStep | NodeStep) and not died.finished:
        shown = _content_at(index, before)
    source, where = _source(index, step.location), step.location
    text = translate("Source", "{exception} was raised here.").format(exception=step.exception)
    if source is None or where is None:
        return replace(shown, where=where, about=text)
    plain = SourcePassage(
        source=source, phase="other", step=step.number, block=(where.line, where.line)
    )
    active = shown.active or plain
    block = _statement(active, where)
    # The inspector shows the message.
    active = replace(active, source=source, block=block, raised=text)
    return replace(shown, active=active, where=where, about="")


def _statement(passage: SourcePassage, where: Location) -> tuple[int, int]:
    """Return the first and last line of the recorded statement that contains a line."""
    for _, reach in passage.reaches:
        for line in reversed(reach.ran.part.lines):
            if line.location.source == where.source:
                if line.location.line <= where.line <= line.last_line:
                    return line.location.line, line.last_line
                break
    return where.line, where.line


def _half(
    index: TraceIndex, call: FunctionCall, phase: PassagePhase, number: int
) -> SourcePassage | None:
    """Return a Function's other half while the current step is in this one."""
    forward = phase == "forward"
    function_location = call.forward if forward else call.backward
    source = _source(index, function_location)
    if source is None or function_location is None:
        return None
    return SourcePassage(
        source=source,
        phase=phase,
        step=number,
        block=(function_location.line, function_location.line),
        definitions=_definitions(call, phase),
        reaches=_reaches(index, number, None) if forward else (),
    )


def _definitions(call: FunctionCall, phase: PassagePhase) -> tuple[Location, ...]:
    found = (call.forward, call.setup_context) if phase == "forward" else (call.backward,)
    return tuple(each for each in found if each is not None)


def _inside(
    index: TraceIndex,
    place: TracePosition,
    function_location: Location | None,
) -> SourceContent:
    """Return content for a place in a custom Function's step, or for that step as a whole."""
    assert function_location is not None
    step = step_at(index, place.step)
    stage: StageKind = "backward" if isinstance(step, NodeStep) else "forward"
    reaches = _reaches(index, place.step, place)
    call = _call_of(index, place.step)
    phase = _PHASE.get(place.stage or stage, "other")
    where, block = function_location, (function_location.line, function_location.line)
    text = _stage_text(place.stage)
    within = dict(reaches).get(place.stage or stage)
    if place.line is not None and within is not None:
        line = within.ran.part.lines[place.line]
        where, block = line.location, (line.location.line, line.last_line)
        text = translate("Source", "This line has just run.")
        if place.op is not None:
            text = translate("Source", "This line is running.")
        elif not line.finished:
            text = translate("Source", "This line did not finish.")
    source = _source(index, where) or _source(index, function_location)
    assert source is not None
    active = SourcePassage(
        source=source,
        phase=phase,
        step=place.step,
        block=block,
        definitions=() if call is None else _definitions(call, phase),
        reaches=reaches,
    )
    return SourceContent(
        active=active, where=where, about=text, reach=within, stage=place.stage or stage
    )


def _accumulated_text(name: str) -> str:
    if not name:
        return translate("Source", "Torch accumulates .grad; this line started backward.")
    text = translate("Source", "Torch accumulates {name}.grad; this line started backward.")
    return text.format(name=name)


def _called_text(op: str) -> str:
    return translate("Source", "This line called {op}.").format(op=op)


def _stage_text(kind: StageKind | None) -> str:
    """Describe a stage of a custom Function's step; the name of a method says enough."""
    match kind:
        case "setup_context":
            return translate("Source", "It fills ctx after forward has returned.")
        case "save":
            return translate("Source", "It has returned; torch saves what backward needs.")
        case "engine":
            return translate("Source", "It has returned; the engine checks its gradients.")
        case _:
            return ""


def _call_of(index: TraceIndex, number: int) -> FunctionCall | None:
    step = step_at(index, number)
    call = step.call if isinstance(step, ForwardStep) else None
    if isinstance(step, NodeStep):
        call = index.node[step.node].call
    return None if call is None else index.call.get(call)


def _reaches(
    index: TraceIndex, number: int, place: TracePosition | None
) -> tuple[tuple[StageKind, ExecutionLimit], ...]:
    """Return how far each stage with lines has executed; all of it for None or a whole step."""
    inside = index.inside.get(number)
    parts = () if inside is None else tuple(part for part in inside.parts if part.lines)
    if place is None or place.stage is None:
        return tuple((part.stage, unlimited_execution(part)) for part in parts)
    reached = [_order(part.stage) <= _order(place.stage) for part in parts]
    return tuple(
        (part.stage, _reach(part, place) if is_reached else no_execution(part))
        for part, is_reached in zip(parts, reached, strict=True)
    )


def _reach(part: StageRecord, place: TracePosition) -> ExecutionLimit:
    if part.stage != place.stage or place.line is None:
        return unlimited_execution(part)
    return execution_up_to(part, place.line, over=place.op is None)


def _order(stage: StageKind | None) -> int:
    return _STAGES.index(stage) if stage is not None else 0


_STAGES: tuple[StageKind, ...] = (
    "forward",
    "setup_context",
    "save",
    "backward",
    "engine",
    "accumulate",
)


def _source(index: TraceIndex, where: Location | None) -> SourceFile | None:
    return None if where is None or where.source is None else index.source.get(where.source)
