"""The places of one step that stepping on a level visits."""

from __future__ import annotations

from bisect import bisect_left

from gradviz.model.index import Index
from gradviz.model.part_order import Spot, order_of
from gradviz.model.places import Level, Place, children, part_at, place_in


def units(index: Index, number: int, level: Level) -> tuple[Place, ...]:
    """The places of one step that stepping on a level visits, in order.

    Args:
        index: The trace.
        number: Number of the step.
        level: Level of detail; ``pass`` counts as ``node``. Lines of called functions are skipped,
            unless stepping is already inside of them; ops are always visited.
    """
    whole = Place(step=number)
    if level in ("pass", "node"):
        return (whole,)
    stages = children(index, whole)
    if level == "stage" or not stages:
        return stages or (whole,)
    return tuple([unit for stage in stages for unit in units_of(index, stage, level)])


def units_of(index: Index, stage: Place, level: Level) -> list[Place]:
    """The units of one stage, or the stage itself if it has nothing finer."""
    return [place_in(stage, spot) for spot in spots_of(index, stage, level)] or [stage]


def spots_of(index: Index, stage: Place, level: Level) -> list[Spot]:
    """The units of one stage as line and op indices; empty if it has nothing finer."""
    part = None if level == "stage" else part_at(index, stage)
    if part is None:
        return []
    return order_of(part).finest if level == "op" else order_of(part).outermost


def position_of(index: Index, place: Place, level: Level) -> tuple[int, int]:
    """Position of a place among the `units` of its step, from 0, and their number.

    A line inside a called function counts as the line that called it.
    """
    if place.stage is None:
        return 0, unit_count(index, place.step, level)
    before, count = 0, 0
    for stage in children(index, Place(step=place.step)):
        spots = spots_of(index, stage, level)
        if stage.stage == place.stage:
            before = count + _position_in(index, place, spots)
        count += max(1, len(spots))
    return before, count


def _position_in(index: Index, place: Place, spots: list[Spot]) -> int:
    part = part_at(index, place)
    if part is None or not spots or place.line is place.op is None:
        return 0
    order = order_of(part)
    if spots is order.finest:
        return order.position.get((place.line, place.op), 0)
    # Ordered by line.
    line = -1 if place.line is None else order.caller_at_top(place.line)
    return max(0, bisect_left(spots, line, key=lambda spot: spot[0] or 0))


def unit_count(index: Index, number: int, level: Level) -> int:
    """Number of `units` in a step."""
    if level in ("pass", "node"):
        return 1
    stages = children(index, Place(step=number))
    return sum(max(1, len(spots_of(index, stage, level))) for stage in stages) or 1


def unit_at(index: Index, number: int, level: Level, position: int) -> Place:
    """One of the `units` of a step, by position.

    Raises:
        IndexError: If the step has fewer units.
    """
    whole = Place(step=number)
    stages = children(index, whole) if level not in ("pass", "node") else ()
    for stage in stages:
        spots = spots_of(index, stage, level)
        if position < max(1, len(spots)):
            return place_in(stage, spots[position]) if spots else stage
        position -= max(1, len(spots))
    if stages or position:
        raise IndexError(position)
    return whole
