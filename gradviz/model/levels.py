"""Stepping: the next and previous place of a run on five levels of detail.

Stepping on a level visits what each step has on that level. If a step has nothing that fine, it
visits the finest that it has. So stepping misses no step, and passes the same places in both
directions.
"""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.part_order import order_of
from gradviz.model.places import (
    LEVELS,
    Level,
    Place,
    children,
    is_finer,
    parent,
    part_at,
    place_in,
    stages_of,
)
from gradviz.model.query import step_at
from gradviz.model.units import units_of


def next_place(index: Index, place: Place, level: Level) -> Place | None:
    """The place that follows on a level; None at the end.

    Args:
        index: The trace.
        place: A place on the level, see `at_level`.
        level: How far to go.
    """
    return _beside(index, place, level, 1)


def previous_place(index: Index, place: Place, level: Level) -> Place | None:
    """The place before on a level; None at the beginning. See `next_place`."""
    return _beside(index, place, level, -1)


def _beside(index: Index, place: Place, level: Level, by: int) -> Place | None:
    if level == "pass":
        return _beside_in_passes(index, place, by)
    within = _beside_in_part(index, place, level, by)
    if within is not None:
        return within
    if place.stage is not None:
        stages = stages_of(index, step_at(index, place.step))
        at = stages.index(place.stage) + by
        if 0 <= at < len(stages):
            return _end_of(index, Place(step=place.step, stage=stages[at]), level, by)
    if not 1 <= place.step + by <= len(index.trace.steps):
        return None
    return _end_of(index, Place(step=place.step + by), level, by)


def _beside_in_part(index: Index, place: Place, level: Level, by: int) -> Place | None:
    part = part_at(index, place)
    if part is None or (place.line is None and place.op is None):
        return None
    if level == "op":
        spot = order_of(part).spot_beside((place.line, place.op), by)
        return None if spot is None else place_in(place, spot)
    line = None if place.line is None else order_of(part).line_beside(place.line, by)
    return None if line is None else place_in(place, (line, None))


def _end_of(index: Index, place: Place, level: Level, by: int) -> Place:
    """The first unit in a step or stage, or the last one when going backward."""
    end = 0 if by > 0 else -1
    if place.stage is None:
        stages = children(index, place)
        if LEVELS.index(level) <= LEVELS.index("node") or not stages:
            return place
        place = stages[end]
    return place if level == "stage" else units_of(index, place, level)[end]


def _beside_in_passes(index: Index, place: Place, by: int) -> Place | None:
    starts = [phase.first for phase in index.phases]
    beside = [start for start in starts if (start - place.step) * by > 0]
    return Place(step=beside[0 if by > 0 else -1]) if beside else None


def into(index: Index, place: Place, level: Level) -> tuple[Place, Level] | None:
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


def out(index: Index, place: Place, level: Level) -> tuple[Place, Level] | None:
    """Step out of a place, one level up; None from a pass, the outermost level."""
    if level == "pass":
        return None
    outer = parent(index, place)
    if outer is None:
        return (Place(step=_phase_start(index, place.step)), "pass")
    return (outer, outer.level)


def at_level(index: Index, place: Place, level: Level) -> Place:
    """The nearest place on a level: an enclosing place, or the first one inside.

    On the pass level, this is the first step of the phase.
    """
    if level == "pass":
        return Place(step=_phase_start(index, place.step))
    while is_finer(place.level, level):
        place = parent(index, place) or Place(step=place.step)
    while is_finer(level, place.level):
        if place.level == "stage":
            # There may be thousands of ops, but only the first is needed.
            return _end_of(index, place, level, 1)
        inside = [each for each in children(index, place) if not is_finer(each.level, level)]
        if not inside:
            break
        place = inside[0]
    return place


def _phase_start(index: Index, number: int) -> int:
    starts = [phase.first for phase in index.phases if phase.first <= number]
    return starts[-1] if starts else number
