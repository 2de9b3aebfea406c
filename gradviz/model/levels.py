"""Places in a run, from backward passes down to single ops, and the ways from one to the next.

A place is a step of the run or something inside one. Walking on a level visits, of each step, what
is on that level, and where a step has nothing as fine, the finest that it has; so a walk passes
each step, and the same places backwards as forwards.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Literal, get_args

from gradviz.model.index import Index
from gradviz.model.inside import Line, Op, Part, StageKind
from gradviz.model.part_order import Spot, order_of
from gradviz.model.query import step_at
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, Step

Level = Literal["pass", "node", "stage", "line", "op"]
LEVELS: tuple[Level, ...] = get_args(Level)
_ORDER: tuple[StageKind, ...] = get_args(StageKind)

Key = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A step, or something inside it.

    Attributes:
        step: Number of the step.
        stage: Which part of the step; None for the step as a whole.
        line: Position among the lines of that part; None for the stage as a whole.
        op: Position among the ops of that part; None for the stage or line as a whole.
    """

    step: int
    stage: StageKind | None = None
    line: int | None = None
    op: int | None = None

    @property
    def level(self) -> Level:
        """How fine it is; never ``pass``, which spans many steps."""
        if self.stage is None:
            return "node"
        if self.op is not None:
            return "op"
        return "stage" if self.line is None else "line"

    @property
    def key(self) -> Key:
        """Orders places as a walk into all of them comes upon them."""
        stage = -1 if self.stage is None else _ORDER.index(self.stage)
        line = -1 if self.line is None else self.line
        return (self.step, stage, line, -1 if self.op is None else self.op)


def stages_of(index: Index, step: Step | None) -> tuple[StageKind, ...]:
    """The stages of a step, in order; none of a step that only marks a moment.

    They follow from what the node level has, so every trace has them.
    """
    match step:
        case ForwardStep(call=None):
            saved = any(index.saved.get(node) for node in step.nodes)
            return ("forward", "save") if saved else ("forward",)
        case ForwardStep():
            return _stages_of_call(index, step)
        case NodeStep():
            return ("backward", "engine") if _engine_is_told(index, step) else ("backward",)
        case AccumulateStep():
            return ("accumulate",)
        case _:
            return ()


def _stages_of_call(index: Index, step: ForwardStep) -> tuple[StageKind, ...]:
    call = None if step.call is None else index.call.get(step.call)
    inside = index.inside.get(step.number)
    split = call is not None and call.style == "setup_context"
    if split and not step.finished:
        # Of a call that raised in forward, the rest never came.
        split = inside is not None and inside.part("setup_context") is not None
    stages: list[StageKind] = ["forward"]
    if split:
        stages.append("setup_context")
    if step.finished and step.node is not None:
        stages.append("save")
    return tuple(stages)


def _engine_is_told(index: Index, step: NodeStep) -> bool:
    """Whether there is something to tell of the engine's checks after a node."""
    if step.returned or any(each.change not in ("unchanged", "none") for each in step.passed):
        return True
    inside = index.inside.get(step.number)
    return inside is not None and inside.part("engine") is not None


def part_at(index: Index, place: Place) -> Part | None:
    """What was recorded in the stage of a place."""
    inside = index.inside.get(place.step)
    return None if inside is None or place.stage is None else inside.part(place.stage)


def line_at(index: Index, place: Place) -> Line | None:
    """The line of a place, or of the op that it is."""
    part = part_at(index, place)
    return None if part is None or place.line is None else part.lines[place.line]


def op_at(index: Index, place: Place) -> Op | None:
    """The op of a place."""
    part = part_at(index, place)
    return None if part is None or place.op is None else part.ops[place.op]


def depth_of(part: Part, line: int | None) -> int:
    """How many calls of the user's functions a line is below the method that torch called."""
    return 0 if line is None else order_of(part).depths[line]


def parent(index: Index, place: Place) -> Place | None:
    """What a place lies in; None for a step."""
    if place.op is not None:
        return replace(place, op=None)
    if place.line is not None:
        part = part_at(index, place)
        caller = None if part is None else part.frames[part.lines[place.line].frame].caller
        return replace(place, line=caller)
    return None if place.stage is None else Place(step=place.step)


def children(index: Index, place: Place) -> tuple[Place, ...]:
    """What lies directly in a place, in order."""
    if place.op is not None:
        return ()
    if place.stage is None:
        stages = stages_of(index, step_at(index, place.step))
        return tuple([Place(step=place.step, stage=stage) for stage in stages])
    part = part_at(index, place)
    if part is None:
        return ()
    return tuple([_at(place, spot) for spot in order_of(part).inside(place.line)])


def _at(place: Place, spot: Spot) -> Place:
    return Place(step=place.step, stage=place.stage, line=spot[0], op=spot[1])


def units(index: Index, number: int, level: Level) -> tuple[Place, ...]:
    """The places of one step that a walk on a level visits, in order.

    Args:
        index: The trace.
        number: Of the step.
        level: How fine; ``pass`` counts as ``node``. Lines of functions that other lines call
            are passed over, unless the walk is inside of them; ops are visited wherever they are.
    """
    whole = Place(step=number)
    if level in ("pass", "node"):
        return (whole,)
    stages = children(index, whole)
    if level == "stage" or not stages:
        return stages or (whole,)
    return tuple([unit for stage in stages for unit in _units_of(index, stage, level)])


def _units_of(index: Index, stage: Place, level: Level) -> list[Place]:
    return [_at(stage, spot) for spot in _spots_of(index, stage, level)] or [stage]


def _spots_of(index: Index, stage: Place, level: Level) -> list[Spot]:
    part = None if level == "stage" else part_at(index, stage)
    if part is None:
        return []
    return order_of(part).finest if level == "op" else order_of(part).outermost


def position_of(index: Index, place: Place, level: Level) -> tuple[int, int]:
    """Where among the `units` of its step a place is, from 0, and how many there are.

    A line that another one called counts as that one.
    """
    if place.stage is None:
        return 0, unit_count(index, place.step, level)
    before, count = 0, 0
    for stage in children(index, Place(step=place.step)):
        spots = _spots_of(index, stage, level)
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
    # In order of their lines.
    line = -1 if place.line is None else order.caller_at_top(place.line)
    return max(0, bisect_left(spots, line, key=lambda spot: spot[0] or 0))


def unit_count(index: Index, number: int, level: Level) -> int:
    """How many `units` a step has."""
    if level in ("pass", "node"):
        return 1
    stages = children(index, Place(step=number))
    return sum(max(1, len(_spots_of(index, stage, level))) for stage in stages) or 1


def unit_at(index: Index, number: int, level: Level, position: int) -> Place:
    """One of the `units` of a step.

    Raises:
        IndexError: If it has not so many.
    """
    whole = Place(step=number)
    stages = children(index, whole) if level not in ("pass", "node") else ()
    for stage in stages:
        spots = _spots_of(index, stage, level)
        if position < max(1, len(spots)):
            return _at(stage, spots[position]) if spots else stage
        position -= max(1, len(spots))
    if stages or position:
        raise IndexError(position)
    return whole


def next_place(index: Index, place: Place, level: Level) -> Place | None:
    """Where a walk on a level goes next; None at its end.

    Args:
        index: The trace.
        place: A place on the level, see `at_level`.
        level: How far a step goes.
    """
    return _beside(index, place, level, 1)


def previous_place(index: Index, place: Place, level: Level) -> Place | None:
    """Where a walk on a level came from; None at its beginning. See `next_place`."""
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
        return None if spot is None else _at(place, spot)
    line = None if place.line is None else order_of(part).line_beside(place.line, by)
    return None if line is None else _at(place, (line, None))


def _end_of(index: Index, place: Place, level: Level, by: int) -> Place:
    """The first of the units in a step or stage, or the last where the walk goes back."""
    end = 0 if by > 0 else -1
    if place.stage is None:
        stages = children(index, place)
        if LEVELS.index(level) <= LEVELS.index("node") or not stages:
            return place
        place = stages[end]
    return place if level == "stage" else _units_of(index, place, level)[end]


def _beside_in_passes(index: Index, place: Place, by: int) -> Place | None:
    starts = [phase.first for phase in index.phases]
    beside = [start for start in starts if (start - place.step) * by > 0]
    return Place(step=beside[0 if by > 0 else -1]) if beside else None


def into(index: Index, place: Place, level: Level) -> tuple[Place, Level] | None:
    """One level down: to the first of what lies in a place; None where nothing does.

    From a line that calls a function of the user, that is the first line of the function, even if
    ops ran before, for its arguments.
    """
    if level == "pass":
        return (place, "node")
    inside = children(index, place)
    called = [each for each in inside if place.level == each.level == "line"]
    first = next(iter(called or inside), None)
    return None if first is None else (first, first.level)


def out(index: Index, place: Place, level: Level) -> tuple[Place, Level] | None:
    """One level up: to what a place lies in; None from a pass, which lies in nothing."""
    if level == "pass":
        return None
    outer = parent(index, place)
    if outer is None:
        return (Place(step=_phase_start(index, place.step)), "pass")
    return (outer, outer.level)


def at_level(index: Index, place: Place, level: Level) -> Place:
    """The place on a level that is nearest: what a place lies in, or the first that it holds.

    On the level of passes that is the first step of the phase.
    """
    if level == "pass":
        return Place(step=_phase_start(index, place.step))
    while is_finer(place.level, level):
        place = parent(index, place) or Place(step=place.step)
    while is_finer(level, place.level):
        if place.level == "stage":
            # Of thousands of ops only the first is wanted.
            return _end_of(index, place, level, 1)
        inside = [each for each in children(index, place) if not is_finer(each.level, level)]
        if not inside:
            break
        place = inside[0]
    return place


def _phase_start(index: Index, number: int) -> int:
    starts = [phase.first for phase in index.phases if phase.first <= number]
    return starts[-1] if starts else number


def is_finer(level: Level, other: Level) -> bool:
    """Whether a level is further down than another."""
    return LEVELS.index(level) > LEVELS.index(other)
