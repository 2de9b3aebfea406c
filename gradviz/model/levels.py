"""Places in a run, from backward passes down to single ops, and the ways from one to the next.

A place is a step of the run or something inside one. Walking on a level visits, of each step, what
is on that level, and where a step has nothing as fine, the finest that it has; so a walk passes
each step, and the same places backwards as forwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from gradviz.model.index import Index
from gradviz.model.inside import Line, Op, Part, StageKind
from gradviz.model.phases import phases_of
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
    depth = 0
    caller = None if line is None else part.frames[part.lines[line].frame].caller
    while caller is not None:
        depth += 1
        caller = part.frames[part.lines[caller].frame].caller
    return depth


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
    return tuple(sorted(_inside(part, place), key=lambda each: each.key))


def _inside(part: Part, place: Place) -> list[Place]:
    callers = [part.frames[line.frame].caller for line in part.lines]
    lines = [
        Place(step=place.step, stage=place.stage, line=at)
        for at, caller in enumerate(callers)
        if caller == place.line
    ]
    ops = [replace(place, op=at) for at, op in enumerate(part.ops) if op.line == place.line]
    return [*ops, *lines]


def units(index: Index, number: int, level: Level, depth: int | None = 0) -> tuple[Place, ...]:
    """The places of one step that a walk on a level visits, in order.

    Args:
        index: The trace.
        number: Of the step.
        level: How fine; ``pass`` counts as ``node``.
        depth: How deep into functions that the user's lines call, where ``level`` is ``line``.
            None for all the way; ops are always visited wherever they are.
    """
    whole = Place(step=number)
    if level in ("pass", "node"):
        return (whole,)
    stages = children(index, whole)
    if level == "stage":
        return stages or (whole,)
    found: list[Place] = []
    for stage in stages:
        part = part_at(index, stage)
        found += [stage] if part is None else _units_of(part, stage, level, depth)
    return tuple(found) or (whole,)


def _units_of(part: Part, stage: Place, level: Level, depth: int | None) -> list[Place]:
    lines = [
        replace(stage, line=at)
        for at in range(len(part.lines))
        if level == "op" or depth is None or depth_of(part, at) <= depth
    ]
    if level == "line":
        return lines or [stage]
    ops = [replace(stage, line=op.line, op=at) for at, op in enumerate(part.ops)]
    busy = {op.line for op in part.ops} | {part.frames[line.frame].caller for line in part.lines}
    idle = [line for line in lines if line.line not in busy]
    return sorted([*ops, *idle], key=lambda each: each.key) or [stage]


def next_place(index: Index, place: Place, level: Level) -> Place | None:
    """Where a walk on a level goes next; None at its end."""
    if level == "pass":
        return _next_phase(index, place)
    found = _units(index, place, level)
    after = next((each for each in found if each.key > place.key), None)
    if after is None and place.step < len(index.trace.steps):
        after = units(index, place.step + 1, level)[0]
    return after


def previous_place(index: Index, place: Place, level: Level) -> Place | None:
    """Where a walk on a level came from; None at its beginning."""
    if level == "pass":
        return _previous_phase(index, place)
    found = _units(index, place, level)
    before = next((each for each in reversed(found) if each.key < place.key), None)
    if before is None and place.step > 1:
        before = units(index, place.step - 1, level)[-1]
    return before


def _units(index: Index, place: Place, level: Level) -> tuple[Place, ...]:
    part = part_at(index, place)
    depth = 0 if part is None else depth_of(part, place.line)
    return units(index, place.step, level, depth)


def _next_phase(index: Index, place: Place) -> Place | None:
    after = [phase.first for phase in phases_of(index) if phase.first > place.step]
    return Place(step=after[0]) if after else None


def _previous_phase(index: Index, place: Place) -> Place | None:
    before = [phase.first for phase in phases_of(index) if phase.first < place.step]
    return Place(step=before[-1]) if before else None


def into(index: Index, place: Place, level: Level) -> tuple[Place, Level] | None:
    """One level down: to the first of what lies in a place; None where nothing does."""
    if level == "pass":
        return (place, "node")
    inside = children(index, place)
    return (inside[0], inside[0].level) if inside else None


def out(index: Index, place: Place, level: Level) -> tuple[Place, Level] | None:
    """One level up: to what a place lies in; None from a pass, which lies in nothing."""
    if level == "pass":
        return None
    outer = parent(index, place)
    return (Place(step=place.step), "pass") if outer is None else (outer, outer.level)


def at_level(index: Index, place: Place, level: Level) -> Place:
    """The place on a level that is nearest: what a place lies in, or the first that it holds."""
    while LEVELS.index(place.level) > max(LEVELS.index(level), 1):
        place = parent(index, place) or Place(step=place.step)
    if LEVELS.index(place.level) < LEVELS.index(level):
        found = [each for each in units(index, place.step, level) if each.key >= place.key]
        return found[0] if found else place
    return place
