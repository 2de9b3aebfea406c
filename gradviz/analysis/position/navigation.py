"""Stepping: the next and previous place of a run on five levels of detail.

Stepping on a level visits what each step has on that level. If a step has nothing that fine, it
visits the finest that it has. So stepping misses no step, and passes the same places in both
directions.
"""

from __future__ import annotations

from bisect import bisect_left

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.stage_order import StagePoint, stage_order
from gradviz.analysis.position.trace_position import (
    LEVELS,
    Level,
    TracePosition,
    children,
    is_finer,
    parent,
    position_in_stage,
    stage_record_at,
    stages_of,
)


def positions_in_step(index: TraceIndex, number: int, level: Level) -> tuple[TracePosition, ...]:
    """The places of one step that stepping on a level visits, in order.

    Args:
        index: The trace.
        number: Number of the step.
        level: Level of detail; ``pass`` counts as ``node``. Lines of called functions are skipped,
            unless stepping is already inside of them; ops are always visited.
    """
    whole = TracePosition(step=number)
    if level in ("pass", "node"):
        return (whole,)
    stages = children(index, whole)
    if level == "stage" or not stages:
        return stages or (whole,)
    return tuple([unit for stage in stages for unit in positions_in_stage(index, stage, level)])


def positions_in_stage(
    index: TraceIndex, stage: TracePosition, level: Level
) -> list[TracePosition]:
    """The units of one stage, or the stage itself if it has nothing finer."""
    return [position_in_stage(stage, point) for point in points_in_stage(index, stage, level)] or [
        stage
    ]


def points_in_stage(index: TraceIndex, stage: TracePosition, level: Level) -> list[StagePoint]:
    """The units of one stage as line and op indices; empty if it has nothing finer."""
    part = None if level == "stage" else stage_record_at(index, stage)
    if part is None:
        return []
    return stage_order(part).finest if level == "op" else stage_order(part).outermost


def position_number(index: TraceIndex, place: TracePosition, level: Level) -> tuple[int, int]:
    """Position of a place among the `positions_in_step` of its step, from 0, and their number.

    A line inside a called function counts as the line that called it.
    """
    if place.stage is None:
        return 0, count_positions(index, place.step, level)
    before, count = 0, 0
    for stage in children(index, TracePosition(step=place.step)):
        points = points_in_stage(index, stage, level)
        if stage.stage == place.stage:
            before = count + _position_in(index, place, points)
        count += max(1, len(points))
    return before, count


def _position_in(index: TraceIndex, place: TracePosition, points: list[StagePoint]) -> int:
    part = stage_record_at(index, place)
    if part is None or not points or place.line is place.op is None:
        return 0
    order = stage_order(part)
    # Both lists are cached, so identity tells which of them this is.
    if points is order.finest:
        return order.position.get((place.line, place.op), 0)
    # Ordered by line.
    line = -1 if place.line is None else order.outermost_caller(place.line)
    return max(0, bisect_left(points, line, key=lambda point: point[0] or 0))


def count_positions(index: TraceIndex, number: int, level: Level) -> int:
    """Number of `positions_in_step` in a step."""
    if level in ("pass", "node"):
        return 1
    stages = children(index, TracePosition(step=number))
    return sum(max(1, len(points_in_stage(index, stage, level))) for stage in stages) or 1


def position_at_number(
    index: TraceIndex, number: int, level: Level, position: int
) -> TracePosition:
    """One of the `positions_in_step` of a step, by position.

    Raises:
        IndexError: If the step has fewer units.
    """
    whole = TracePosition(step=number)
    stages = children(index, whole) if level not in ("pass", "node") else ()
    for stage in stages:
        points = points_in_stage(index, stage, level)
        if position < max(1, len(points)):
            return position_in_stage(stage, points[position]) if points else stage
        position -= max(1, len(points))
    if stages or position:
        raise IndexError(position)
    return whole


def next_place(index: TraceIndex, place: TracePosition, level: Level) -> TracePosition | None:
    """The place that follows on a level; None at the end.

    Args:
        index: The trace.
        place: A place on the level, see `nearest_at_level`.
        level: How far to go.
    """
    return _adjacent(index, place, level, 1)


def previous_place(index: TraceIndex, place: TracePosition, level: Level) -> TracePosition | None:
    """The place before on a level; None at the beginning. See `next_place`."""
    return _adjacent(index, place, level, -1)


def _adjacent(
    index: TraceIndex, place: TracePosition, level: Level, by: int
) -> TracePosition | None:
    if level == "pass":
        return _adjacent_in_passes(index, place, by)
    within = _adjacent_in_part(index, place, level, by)
    if within is not None:
        return within
    if place.stage is not None:
        stages = stages_of(index, step_at(index, place.step))
        at = stages.index(place.stage) + by
        if 0 <= at < len(stages):
            return _end_of(index, TracePosition(step=place.step, stage=stages[at]), level, by)
    if not 1 <= place.step + by <= len(index.trace.steps):
        return None
    return _end_of(index, TracePosition(step=place.step + by), level, by)


def _adjacent_in_part(
    index: TraceIndex, place: TracePosition, level: Level, by: int
) -> TracePosition | None:
    part = stage_record_at(index, place)
    if part is None or (place.line is None and place.op is None):
        return None
    if level == "op":
        point = stage_order(part).adjacent_point((place.line, place.op), by)
        return None if point is None else position_in_stage(place, point)
    line = None if place.line is None else stage_order(part).adjacent_line(place.line, by)
    return None if line is None else position_in_stage(place, (line, None))


def _end_of(index: TraceIndex, place: TracePosition, level: Level, by: int) -> TracePosition:
    """The first unit in a step or stage, or the last one when going backward."""
    end = 0 if by > 0 else -1
    if place.stage is None:
        stages = children(index, place)
        if LEVELS.index(level) <= LEVELS.index("node") or not stages:
            return place
        place = stages[end]
    return place if level == "stage" else positions_in_stage(index, place, level)[end]


def _adjacent_in_passes(index: TraceIndex, place: TracePosition, by: int) -> TracePosition | None:
    starts = [phase.first for phase in index.phases]
    adjacent = [start for start in starts if (start - place.step) * by > 0]
    return TracePosition(step=adjacent[0 if by > 0 else -1]) if adjacent else None


def step_into(
    index: TraceIndex, place: TracePosition, level: Level
) -> tuple[TracePosition, Level] | None:
    """Step into a place: its first part one level down; None if it has none.

    From a line that calls a user's function, this is the first line of the function, even if ops
    ran before it, for its arguments.
    """
    if level == "pass":
        return (place, "node")
    inside = children(index, place)
    called = [each for each in inside if place.level == each.level == "line"]
    first = next(iter(called or inside), None)
    return None if first is None else (first, first.level)


def step_out(
    index: TraceIndex, place: TracePosition, level: Level
) -> tuple[TracePosition, Level] | None:
    """Step out of a place, one level up; None from a pass, the outermost level."""
    if level == "pass":
        return None
    outer = parent(index, place)
    if outer is None:
        return (TracePosition(step=_phase_start(index, place.step)), "pass")
    return (outer, outer.level)


def nearest_at_level(index: TraceIndex, place: TracePosition, level: Level) -> TracePosition:
    """The nearest place on a level: an enclosing place, or the first one inside.

    On the pass level, this is the first step of the phase.
    """
    if level == "pass":
        return TracePosition(step=_phase_start(index, place.step))
    while is_finer(place.level, level):
        place = parent(index, place) or TracePosition(step=place.step)
    while is_finer(level, place.level):
        if place.level == "stage":
            # There may be thousands of ops, but only the first is needed.
            return _end_of(index, place, level, 1)
        inside = [each for each in children(index, place) if not is_finer(each.level, level)]
        if not inside:
            break
        place = inside[0]
    return place


def _phase_start(index: TraceIndex, number: int) -> int:
    starts = [phase.first for phase in index.phases if phase.first <= number]
    return starts[-1] if starts else number
