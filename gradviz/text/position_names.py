"""Names of places within sentences, such as ``LogFunction.forward, line 12``."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, line_at, op_at
from gradviz.catalogue.messages import say
from gradviz.model.inside import StageKind
from gradviz.model.source import Location, user_line
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
    Step,
)


def position_name(index: TraceIndex, place: TracePosition) -> str:
    """The place in words: its stage, its source line if known, and its op."""
    where = _stage(index, place)
    location = position_location(index, place)
    if location is not None:
        where = say("where.line", where=where, line=location.line)
    op = op_at(index, place)
    return where if op is None else say("where.op", where=where, op=op.name)


def short_position_name(index: TraceIndex, place: TracePosition) -> str:
    """The name of the op at a place; without an op, what the step is about."""
    op = op_at(index, place)
    if op is not None:
        return op.name
    subject = subject_of_step(index, step_at(index, place.step))
    return subject or say("where.step", number=place.step)


def position_location(index: TraceIndex, place: TracePosition) -> Location | None:
    """The line of the user's code that a place belongs to; None if unknown."""
    line = line_at(index, place)
    if line is not None:
        return line.location
    op = op_at(index, place)
    called_at = None if op is None else user_line(op.location)
    if called_at is not None:
        return called_at
    step = step_at(index, place.step)
    if isinstance(step, ForwardStep) and step.call is None:
        return step.location
    return None


def _stage(index: TraceIndex, place: TracePosition) -> str:
    step = step_at(index, place.step)
    name = subject_of_step(index, step)
    if not name:
        return say("where.step", number=place.step)
    if isinstance(step, AccumulateStep):
        return say("where.accumulate", name=name)
    if isinstance(step, DispatchStep):
        return say("where.dispatch", name=name)
    if isinstance(step, OptimizerStep):
        return say("where.update", name=name)
    whole: StageKind = "forward" if isinstance(step, ForwardStep) else "backward"
    stage: StageKind = whole if place.stage is None else place.stage
    custom = _is_custom(index, step)
    if stage == "engine":
        return say("where.engine", name=name)
    if custom and stage in ("forward", "backward", "setup_context"):
        return say(f"where.{_method(index, step, stage)}", name=name)
    return say("where.builtin", name=name)


def _method(index: TraceIndex, step: Step | None, stage: StageKind) -> str:
    call = index.node[step.node].call if isinstance(step, NodeStep) else None
    return stage if call is None else index.call[call].backward_name


def _is_custom(index: TraceIndex, step: Step | None) -> bool:
    if isinstance(step, ForwardStep):
        return step.call is not None
    return isinstance(step, NodeStep) and index.node[step.node].call is not None


def subject_of_step(index: TraceIndex, step: Step | None) -> str:
    """The Function, op, node or leaf that a step is about; empty if there is none."""
    match step:
        case ForwardStep():
            call = None if step.call is None else index.call.get(step.call)
            return step.op if call is None else call.function.rpartition("<locals>.")[2]
        case DispatchStep():
            return step.function
        case AccumulateStep():
            return index.node[step.node].variable_name or step.contribution.name
        case NodeStep():
            node = index.node[step.node]
            made = None if node.call is None else index.call.get(node.call)
            return node.name if made is None else made.function.rpartition("<locals>.")[2]
        case OptimizerStep():
            return step.optimizer
        case PassBeginStep() | PassEndStep() | ErrorStep() | MissingStep() | None:
            return ""
