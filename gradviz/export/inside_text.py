"""Stages, lines and ops inside a step, as indented plain text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from gradviz.model.index import Index
from gradviz.model.inside import Part
from gradviz.model.messages import say
from gradviz.model.narrate import sentence_at
from gradviz.model.part_order import order_of
from gradviz.model.place_paths import place_path
from gradviz.model.places import Level, Place, children, is_finer, part_at
from gradviz.model.source import Location, user_line

_STEP = 2
_LABEL = 8


def inside_text(index: Index, number: int, level: Level) -> Iterator[str]:
    """Yield a line for each place inside a step down to a level.

    It begins with the last word of the place's path, like ``op2``; see `place_path`.
    """
    if is_finer("stage", level):
        return
    for stage in children(index, Place(step=number)):
        yield _row(index, stage, 0)
        part = part_at(index, stage)
        if part is not None and level in ("line", "op"):
            yield from _lines_and_ops(index, stage, part, level)


def _lines_and_ops(index: Index, stage: Place, part: Part, level: Level) -> Iterator[str]:
    order, file = order_of(part), ""
    for line, op in order.everything:
        place = Place(step=stage.step, stage=stage.stage, line=line, op=op)
        if is_finer(place.level, level):
            continue
        depth = 1 if line is None else 1 + order.depths[line] + (op is not None)
        if line is not None and op is None and part.lines[line].location.path != file:
            file = part.lines[line].location.path
            name = PurePath(file).name
            yield f"{'':{_STEP * depth}}{say('steps.file', file=name)}"
        yield _row(index, place, depth, part.ops[op].location if op is not None else None)


def _row(index: Index, place: Place, depth: int, location: Location | None = None) -> str:
    label = place_path(place).rpartition("/")[2]
    text = " ".join(sentence_at(index, place).split())
    where = user_line(location)
    if place.line is None and where is not None:
        # If no lines were recorded, an op shows its own line.
        text = say("error.at", sentence=text, line=where.line, file=PurePath(where.path).name)
    return f"{'':{_STEP * depth}}{label:<{_LABEL}}  {text}"
