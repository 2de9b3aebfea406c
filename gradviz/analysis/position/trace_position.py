"""Positions in a run: its steps, and the stages, source lines and ops inside them."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.stage_order import StagePoint, stage_order
from gradviz.model.inside import ExecutedLine, Op, StageKind, StageRecord
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

Level = Literal["pass", "node", "stage", "line", "op"]
LEVELS: tuple[Level, ...] = get_args(Level)
_ORDER: tuple[StageKind, ...] = get_args(StageKind)

PositionKey = tuple[int, int, int, int]


class TracePosition(Struct, frozen=True, kw_only=True):
    """A step, or something inside it.

    Attributes:
        step: Number of the step.
        stage: Stage of the step; None for the whole step.
        line: Index among the lines of the stage; None for the whole stage.
        op: Index among the ops of the stage; None for the whole stage or line.
    """

    step: int
    stage: StageKind | None = None
    line: int | None = None
    op: int | None = None

    @property
    def level(self) -> Level:
        """Level of detail; never ``pass``, which spans many steps."""
        if self.stage is None:
            return "node"
        if self.op is not None:
            return "op"
        return "stage" if self.line is None else "line"

    @property
    def key(self) -> PositionKey:
        """Sort key that orders places as stepping through all of them does."""
        # -1 sorts a whole before its parts.
        stage = -1 if self.stage is None else _ORDER.index(self.stage)
        line = -1 if self.line is None else self.line
        return (self.step, stage, line, -1 if self.op is None else self.op)


def stages_of(index: TraceIndex, step: Step | None) -> tuple[StageKind, ...]:
    """The stages of a step, in order; empty for a step that only marks a moment.

    They follow from the node level, so every trace has them. Other stages are included if something
    was recorded in them.
    """
    recorded_stages = _node_level_stages(index, step)
    inside = None if step is None else index.inside.get(step.number)
    if inside is None or all(part.stage in recorded_stages for part in inside.parts):
        return recorded_stages
    stages = {*recorded_stages, *(part.stage for part in inside.parts)}
    return tuple(stage for stage in _ORDER if stage in stages)


def _node_level_stages(index: TraceIndex, step: Step | None) -> tuple[StageKind, ...]:
    match step:
        case ForwardStep(call=None):
            saved = any(index.saved.get(node) for node in step.nodes)
            return ("forward", "save") if saved else ("forward",)
        case ForwardStep():
            return _stages_of_call(index, step)
        case NodeStep():
            return ("backward", "engine") if _shows_engine(step) else ("backward",)
        case AccumulateStep():
            return ("accumulate",)
        case PassBeginStep() | PassEndStep() | DispatchStep() | OptimizerStep():
            return ()
        case ErrorStep() | MissingStep() | None:
            return ()


def _stages_of_call(index: TraceIndex, step: ForwardStep) -> tuple[StageKind, ...]:
    call = None if step.call is None else index.call.get(step.call)
    stages: list[StageKind] = ["forward"]
    # If forward raised, the later stages never ran.
    if step.finished and call is not None and call.style == "setup_context":
        stages.append("setup_context")
    if step.finished and step.node is not None:
        stages.append("save")
    return tuple(stages)


def _shows_engine(step: NodeStep) -> bool:
    """Whether the node level shows anything about the engine's checks after a node."""
    changed = any(each.change not in ("unchanged", "none") for each in step.passed)
    return bool(step.returned) or changed


def stage_record_at(index: TraceIndex, place: TracePosition) -> StageRecord | None:
    """What was recorded in the stage of a place."""
    inside = index.inside.get(place.step)
    return None if inside is None or place.stage is None else inside.part(place.stage)


def has_place(index: TraceIndex, place: TracePosition) -> bool:
    """Whether a trace has a place, which may be that of another run."""
    if not 1 <= place.step <= len(index.trace.steps):
        return False
    part = stage_record_at(index, place)
    if part is None:
        return place.stage is None
    lines, ops = len(part.lines), len(part.ops)
    return (place.line is None or place.line < lines) and (place.op is None or place.op < ops)


def line_at(index: TraceIndex, place: TracePosition) -> ExecutedLine | None:
    """The recorded line of a place, or the one that contains its op."""
    part = stage_record_at(index, place)
    return None if part is None or place.line is None else part.lines[place.line]


def op_at(index: TraceIndex, place: TracePosition) -> Op | None:
    """The recorded op of a place."""
    part = stage_record_at(index, place)
    return None if part is None or place.op is None else part.ops[place.op]


def depth_of(part: StageRecord, line: int | None) -> int:
    """Call depth of a line below the method that torch called."""
    return 0 if line is None else stage_order(part).depths[line]


def parent(index: TraceIndex, place: TracePosition) -> TracePosition | None:
    """The place that contains a place; None for a step."""
    if place.op is not None:
        return replace(place, op=None)
    if place.line is not None:
        part = stage_record_at(index, place)
        caller = None if part is None else part.frames[part.lines[place.line].frame].caller
        return replace(place, line=caller)
    return None if place.stage is None else TracePosition(step=place.step)


def children(index: TraceIndex, place: TracePosition) -> tuple[TracePosition, ...]:
    """The places directly inside a place, in order."""
    if place.op is not None:
        return ()
    if place.stage is None:
        stages = stages_of(index, step_at(index, place.step))
        return tuple([TracePosition(step=place.step, stage=stage) for stage in stages])
    part = stage_record_at(index, place)
    if part is None:
        return ()
    return tuple(
        [position_in_stage(place, point) for point in stage_order(part).inside(place.line)]
    )


def position_in_stage(place: TracePosition, point: StagePoint) -> TracePosition:
    """The place of a line and op in the stage of a place."""
    return TracePosition(step=place.step, stage=place.stage, line=point[0], op=point[1])


def is_finer(level: Level, other: Level) -> bool:
    """Whether a level is finer than another."""
    return LEVELS.index(level) > LEVELS.index(other)
