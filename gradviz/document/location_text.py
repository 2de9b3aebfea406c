"""Titles and breadcrumbs for positions in a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import (
    TracePosition,
    depth_of,
    line_at,
    op_at,
    parent,
    stage_record_at,
)
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.model.inside import ExecutedLine, Op, StageKind
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, DispatchStep
from gradviz.text.position_names import subject_of_step

_MOST_CALL_CRUMBS = 12
_OUTER_CRUMBS = 2
"""The step and the stage."""


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """One entry of a breadcrumb trail.

    Attributes:
        text: Short label.
        place: The position it links to.
    """

    text: str
    place: TracePosition


def title_of_place(index: TraceIndex, place: TracePosition) -> str:
    """Return a title for a position inside a step; empty for a step as a whole."""
    op = op_at(index, place)
    if op is not None:
        return op_title(op)
    if place.stage is None:
        return ""
    stage = stage_title(index, place.step, place.stage)
    line = line_at(index, place)
    if line is None:
        return stage
    part = stage_record_at(index, place)
    number = line.location.line
    if part is not None and depth_of(part, place.line) and line.location.function:
        return say("place.line_3", function=_last_name(line.location.function), number=number)
    return say("place.line", stage=stage, number=number)


def stage_text(stage: StageKind) -> str:
    """Return the translated name of a stage."""
    return say(f"place.{stage}")


def _stage_word(index: TraceIndex, number: int, stage: StageKind) -> str:
    dispatched = isinstance(step_at(index, number), DispatchStep)
    return "__torch_function__" if dispatched else stage_text(stage)


def stage_title(index: TraceIndex, number: int, stage: StageKind) -> str:
    """Describe a stage and its subject, for example ``forward of LinearFunction``."""
    subject = _subject(index, number)
    if isinstance(step_at(index, number), DispatchStep):
        return say("place.torch_function", subject=subject)
    return say(f"place.stage.{stage}", subject=subject)


def op_title(op: Op) -> str:
    """Return ``aten::mm``, or ``aten::add.Tensor`` if it is not the default overload."""
    if op.overload in ("", "default"):
        return op.name
    return f"{op.name}.{op.overload}"


def line_text(line: ExecutedLine) -> str:
    """Return ``line 14``, or ``lines 14 to 16`` for a statement that spans several lines."""
    first, last = line.location.line, line.last_line
    if last > first:
        return say("place.lines", first=first, last=last)
    return say("place.line_2", first=first)


def location_title(location: Location) -> str:
    """Return ``line 14`` for a location of which only the line number is needed."""
    return say("place.line_2", first=location.line)


def location_text(location: Location) -> str:
    """Return the file name and line number, for example ``linear.py:14``."""
    return f"{PurePath(location.path).name or location.path}:{location.line}"


def location_words(index: TraceIndex, place: TracePosition | None) -> tuple[str, ...]:
    """Return the stage, line and op of a position as texts; empty for a step as a whole."""
    if place is None or place.stage is None:
        return ()
    line, op = line_at(index, place), op_at(index, place)
    words = [_stage_word(index, place.step, place.stage)]
    if line is not None:
        words.append(say("place.line_4", line=line.location.line))
    if op is not None:
        words.append(op.name)
    return tuple(words)


def crumbs(index: TraceIndex, place: TracePosition) -> tuple[Breadcrumb, ...]:
    """Return the breadcrumbs from the step down to the position itself.

    Of a deep recursion, only the innermost calls have one each.
    """
    places: list[TracePosition] = []
    current: TracePosition | None = place
    while current is not None:
        places.append(current)
        current = parent(index, current)
    inner, outer = places[:-_OUTER_CRUMBS], places[-_OUTER_CRUMBS:]
    shown, more = inner[:_MOST_CALL_CRUMBS], inner[_MOST_CALL_CRUMBS:]
    found = [breadcrumb_of(index, each) for each in shown]
    if len(more) > 1:
        text = say("place.more_calls", more=format_count(len(more)))
        found.append(Breadcrumb(text, more[0]))
    else:
        outer = more + outer
    found += [breadcrumb_of(index, each) for each in outer]
    return tuple(reversed(found))


def breadcrumb_of(index: TraceIndex, place: TracePosition) -> Breadcrumb:
    """Return a position with its short label."""
    return Breadcrumb(_short(index, place), place)


def _short(index: TraceIndex, place: TracePosition) -> str:
    op = op_at(index, place)
    if op is not None:
        return op_title(op)
    line = line_at(index, place)
    if line is not None:
        return line_text(line)
    if place.stage is not None:
        return _stage_word(index, place.step, place.stage)
    return say("place.step", number=format_count(place.step))


def _subject(index: TraceIndex, number: int) -> str:
    """Name what a stage belongs to: the Function, the op, the node or the gradient."""
    step = step_at(index, number)
    subject = subject_of_step(index, step)
    return f"{subject}.grad" if isinstance(step, AccumulateStep) else subject


def _last_name(function: str) -> str:
    """Strip the enclosing functions from a qualified name."""
    return function.rpartition("<locals>.")[2]
