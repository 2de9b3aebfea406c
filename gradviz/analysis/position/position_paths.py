"""Paths of places on the command line and in printed steps, such as ``5/backward/op2``.

A path consists of the step number, the stage, and the line or op, counted from 1 in the order in
which they ran in that stage.
"""

from __future__ import annotations

import re
from typing import get_args

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, stage_record_at, stages_of
from gradviz.catalogue.messages import say
from gradviz.model.inside import StageKind

_STAGES: tuple[StageKind, ...] = get_args(StageKind)
# ASCII, because `\d` would also match the digits of other scripts.
_NUMBER = r"([1-9]\d{0,17})"
_PATTERN = re.compile(rf"{_NUMBER}(?:/({'|'.join(_STAGES)})(?:/(line|op){_NUMBER})?)?", re.ASCII)


class UnknownPositionError(ValueError):
    """Raised for a path that leads to no place; the message is one sentence for people."""


def position_path(place: TracePosition) -> str:
    """The path of a place, such as ``5``, ``5/backward`` or ``5/backward/line3``."""
    if place.stage is None:
        return str(place.step)
    path = f"{place.step}/{place.stage}"
    if place.op is not None:
        return f"{path}/op{place.op + 1}"
    return path if place.line is None else f"{path}/line{place.line + 1}"


def is_position_path(text: str) -> bool:
    """Whether a text has the form of a path, even if no such place exists."""
    return _PATTERN.fullmatch(text) is not None


def position_at_path(index: TraceIndex, path: str) -> TracePosition:
    """The place that a path refers to.

    Raises:
        UnknownPositionError: If there is no such place.
    """
    match = _PATTERN.fullmatch(path)
    if match is None:
        raise UnknownPositionError(say("place.unreadable", path=path))
    number, kind, at = match[1], match[3], int(match[4] or 0) - 1
    step = step_at(index, int(number))
    if step is None:
        last = len(index.trace.steps)
        raise UnknownPositionError(say("export.no_step", number=number, last=last))
    stage = next((each for each in stages_of(index, step) if each == match[2]), None)
    if stage != match[2]:
        raise UnknownPositionError(say("place.no_stage", number=number, stage=match[2]))
    place = TracePosition(step=step.number, stage=stage)
    if kind is None:
        return place
    part = stage_record_at(index, place)
    if kind == "line" and part is not None and at < len(part.lines):
        return TracePosition(step=step.number, stage=stage, line=at)
    if kind == "op" and part is not None and at < len(part.ops):
        return TracePosition(step=step.number, stage=stage, line=part.ops[at].line, op=at)
    raise UnknownPositionError(say("place.nothing", path=path))
