"""The places of a run in a flat list, with the moves between them and their source lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.navigation import (
    next_place,
    positions_in_step,
    previous_place,
    step_into,
)
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import (
    Level,
    TracePosition,
    children,
    parent,
    stage_record_at,
)
from gradviz.catalogue.visible_text import visible_text
from gradviz.document.source_excerpt import lines_at_position
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.syntax_colors import MOST_PARSED, syntax_spans
from gradviz.model.inside import StageRecord
from gradviz.model.source import source_lines
from gradviz.text.position_names import position_name

PAGE_LEVELS: tuple[Level, ...] = ("node", "stage", "line", "op")
MOST_PLACES = 4_000
"""Places that a page has at most; a step beyond has only itself."""

CODE_COLORS: tuple[PaletteRole, ...] = (
    "code_keyword",
    "code_string",
    "code_number",
    "code_name",
    "code_comment",
)
"""Colors of source code, which the page names by their positions here."""

_MOST_LINES = 1_500
_MOST_COLUMNS = 2_000
_AROUND = 30


def whole_steps(index: TraceIndex, numbers: Sequence[int]) -> int:
    """How many of the steps, from the first, have their inside in the page."""
    left = MOST_PLACES - len(numbers)
    for at, number in enumerate(numbers):
        left -= len(_places_inside(index, number))
        if left < 0:
            return at
    return len(numbers)


def places_of(index: TraceIndex, numbers: Sequence[int], whole: int) -> list[TracePosition]:
    """Every place of some steps, each followed by those inside of it.

    Args:
        index: The trace.
        numbers: The steps.
        whole: How many of them, from the first, have their inside too.
    """
    found = []
    for at, number in enumerate(numbers):
        found.append(TracePosition(step=number))
        if at < whole:
            found += _places_inside(index, number)
    return found


def _places_inside(index: TraceIndex, number: int) -> list[TracePosition]:
    """Stages with their lines and ops, in the order of ``gradviz steps --format json``."""
    found = []
    for stage in children(index, TracePosition(step=number)):
        found.append(stage)
        part = stage_record_at(index, stage)
        if part is not None:
            found += _lines_and_ops(stage, part)
    return found


def _lines_and_ops(stage: TracePosition, part: StageRecord) -> Iterable[TracePosition]:
    step, name = stage.step, stage.stage
    for at in range(len(part.lines)):
        yield TracePosition(step=step, stage=name, line=at)
    for at, op in enumerate(part.ops):
        yield TracePosition(step=step, stage=name, line=op.line, op=at)


def place_members(index: TraceIndex, places: Sequence[TracePosition]) -> dict[str, Any]:
    """Build ``{places, orders, sources}``.

    Args:
        index: The trace.
        places: The places, which others are named by: their positions in this list.
    """
    at = {place: number for number, place in enumerate(places)}
    passages = _Passages(index)
    members = [_place(index, place, at, passages) for place in places]
    return {
        "places": members,
        "orders": {level: _order(index, places, at, level) for level in PAGE_LEVELS},
        "sources": passages.sources(),
    }


def _order(
    index: TraceIndex,
    places: Sequence[TracePosition],
    at: dict[TracePosition, int],
    level: Level,
) -> list[int]:
    """The places that stepping on a level visits, in order."""
    found = []
    for place in places:
        if place.stage is None:
            visited = positions_in_step(index, place.step, level)
            # A step without its inside in the page stands for it.
            found += [at[each] for each in visited if each in at] or [at[place]]
    return found


def _place(
    index: TraceIndex, place: TracePosition, at: dict[TracePosition, int], passages: _Passages
) -> dict[str, Any]:
    into, outer = step_into(index, place, place.level), parent(index, place)
    data: dict[str, Any] = {
        "path": position_path(place),
        "step": place.step,
        "level": place.level,
        "name": visible_text(position_name(index, place)),
        "into": None if into is None else at.get(into[0]),
        "out": None if outer is None else at[outer],
        "source": passages.of(place),
    }
    if place.level == "line" and outer is not None and outer.line is not None:
        # Stepping over lines leaves out those of called functions, except inside of them.
        moves = previous_place(index, place, "line"), next_place(index, place, "line")
        data["beside"] = [None if each is None else at.get(each) for each in moves]
    return data


class _Passages:
    """Collects the source lines that places refer to."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._used: dict[int, set[int]] = {}

    def of(self, place: TracePosition) -> dict[str, Any] | None:
        """Build ``{file, first, last, exact}``; None if the place has no source."""
        lines = lines_at_position(self._index, place)
        if lines is None:
            return None
        self._used.setdefault(lines.file, set()).update((lines.first, lines.last))
        return asdict(lines)

    def sources(self) -> dict[str, Any]:
        """Build ``{file: {name, first, lines, colors}}``, with all lines of short files."""
        found = {}
        for number, used in self._used.items():
            source = self._index.source[number]
            lines = [visible_text(each.expandtabs(8)) for each in source_lines(source.text)]
            first, last = 1, len(lines)
            if len(lines) > _MOST_LINES:
                first = max(1, min(used) - _AROUND)
                last = min(max(used) + _AROUND, first + _MOST_LINES)
            found[str(number)] = {
                "name": visible_text(PurePath(source.path).name),
                "first": first,
                "lines": lines[first - 1 : last],
                "colors": _syntax_colors(lines)[first - 1 : last],
            }
        return found


def _syntax_colors(lines: Sequence[str]) -> list[list[int]]:
    """For each line, start, length and color of each span in one list; empty if it is too long."""
    if sum(map(len, lines)) > MOST_PARSED:
        return []
    spans = syntax_spans(lines, _MOST_COLUMNS)
    return [
        [each for start, length, role in line for each in (start, length, CODE_COLORS.index(role))]
        for line in spans
    ]
