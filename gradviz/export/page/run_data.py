"""What the script of a page reads: the steps of a run with their values, places and source."""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import PurePath
from typing import Any

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.finding_positions import finding_position, grouped_findings
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
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.document.facts.current_facts import current_facts
from gradviz.document.facts.fact_rows import (
    ChangeRow,
    FactRow,
    FactSection,
    HiddenRow,
    MoreRow,
    PlacesRow,
    ScaleRow,
    TextRow,
    ValueRow,
)
from gradviz.document.source_excerpt import lines_at_position
from gradviz.document.tag import Tag
from gradviz.drawing.appearance.color_map import shared_color_limit
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.syntax_colors import MOST_PARSED, syntax_spans
from gradviz.export.page.guide_articles import guide_names
from gradviz.export.page.page_steps import PagePart, parts_notes
from gradviz.export.page.page_tensors import MOST_ELEMENTS, PageTensors
from gradviz.export.steps.text import end_text, step_phase
from gradviz.model.inside import StageRecord
from gradviz.model.source import source_lines
from gradviz.text.position_names import position_name
from gradviz.text.repeated_findings import finding_text
from gradviz.text.scope import scope_sentences
from gradviz.text.titles import origin_title
from gradviz.text.what_if import changes_line

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


class PageValues:
    """Builds what the page shows of places."""

    def __init__(self, index: TraceIndex, tensors: PageTensors, paths: Collection[str]) -> None:
        """Set the trace, where its tensors are listed, and the places that links can lead to."""
        self._index = index
        self._tensors = tensors
        self._paths = paths
        self._pool: dict[str, int] = {}

    def at(self, place: TracePosition) -> dict[str, Any]:
        """Build ``{sentence, sections, console}``; a place inside a step has no console."""
        data = self._told(RevealedTrace.of_all(self._index), place)
        printed = () if place.stage else self._index.printed.get(place.step, ())
        if printed:
            data["console"] = visible_text("".join(each.text for each in printed), lines=True)
        return data

    def questions(self, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Build ``{sentence, sections}`` in place of each answer, by the position of its step."""
        return {
            at: self._told(RevealedTrace.before_answer(self._index, number), place)
            for at, number in enumerate(numbers)
            if has_quiz_answer(step_at(self._index, number))
            for place in (TracePosition(step=number),)
        }

    @property
    def sections(self) -> list[dict[str, Any]]:
        """The sections of all places, each once."""
        return [json.loads(each) for each in self._pool]

    def _pooled(self, section: dict[str, Any]) -> int:
        return self._pool.setdefault(json.dumps(section), len(self._pool))

    def _told(self, revealed: RevealedTrace, place: TracePosition) -> dict[str, Any]:
        facts = current_facts(revealed, place.step, place=place)
        assert facts is not None
        shown = (self._section(place, each) for each in facts.sections)
        return {
            "sentence": visible_text(facts.sentence, lines=True),
            "sections": [self._pooled(each) for each in shown if "rows" in each],
        }

    def _section(self, place: TracePosition, section: FactSection) -> dict[str, Any]:
        rows = (self._row(place, row) for row in section.rows)
        return _known(
            key=visible_text(section.key),
            title=visible_text(section.title),
            hint=visible_text(section.hint),
            folded=section.folded,
            rows=[row for row in rows if row is not None],
        )

    def _row(self, place: TracePosition, row: FactRow) -> dict[str, Any] | None:
        """A row; None for one that only the window can use."""
        match row:
            case ValueRow():
                return self._value(place, row)
            case ChangeRow(before=before, after=after, change=change) if before.item == after.item:
                tags = (*before.tags, *after.tags, Tag(change))
                return self._value(place, replace(before, tags=tags))
            case ChangeRow(before=before, after=after, change=change):
                # A value and what becomes of it share a color scale.
                kept = [self._tensors.whole(each.item.tensor) for each in (before, after)]
                limit = shared_color_limit([each.array() for each in kept if each is not None])
                pair = [self._value(place, each, limit) for each in (before, after)]
                return {"before": pair[0], "change": visible_text(change), "after": pair[1]}
            case TextRow(text=text, block=block, tone=tone):
                return _known(text=visible_text(text, lines=True), block=block, tone=tone)
            case PlacesRow(text=text, places=places):
                inside = [(visible_text(each.text), position_path(each.place)) for each in places]
                return {"text": visible_text(text), "links": self._links(inside)}
            case HiddenRow(name=name):
                return {"hidden": visible_text(name)}
            case ScaleRow() | MoreRow():
                return None

    def _value(
        self, place: TracePosition, row: ValueRow, limit: float | None = None
    ) -> dict[str, Any]:
        tags = [self._tag(place, tag) for tag in row.tags]
        return self._tensors.item(row.item, row.name, limit) | _known(tags=tags)

    def _tag(self, place: TracePosition, tag: Tag) -> dict[str, Any]:
        text, tip, path = visible_text(tag.text), visible_text(tag.tip), ""
        if tag.jump is not None:
            to = "" if tag.jump.node is None else str(self._step_of(place, tag.jump.node))
            # Without a place to go to, the tip would promise one.
            tip, path = (tip, to) if to in self._paths else ("", "")
        return _known(text=text, tone=tag.tone, tip=tip, path=path)

    def _step_of(self, place: TracePosition, node: int) -> int | None:
        """The next step that executes a node, or else the one that created it."""
        visits = self._index.visits.get(node, ())
        later = (each for each in visits if each > place.step)
        return next(later, self._index.made_at.get(node))

    def _links(self, links: Iterable[tuple[str, str]]) -> list[list[str]]:
        return [[text, path] if path in self._paths else [text] for text, path in links]


def _known(**members: Any) -> dict[str, Any]:
    """The members that say something, as a page has thousands of rows."""
    return {name: each for name, each in members.items() if each and each != "plain"}


def run_data(index: TraceIndex, parts: Sequence[PagePart]) -> dict[str, Any]:
    """Build what the page shows of a run, except for graph and Jacobians.

    Args:
        index: The trace.
        parts: The steps of the page.

    Returns:
        ``{title, about, notes, end, total, count, iterations, phases, places, orders, sources,
        findings, quiz, sections, tensors}``. An iteration is ``[number, first step, last step]``,
        of its steps in the page. A place has the sentence of ``gradviz steps`` and the sections of
        the window's inspector, as positions in the list ``sections``, whose rows have the positions
        of their tensors.
    """
    trace = index.trace
    numbers = [number for part in parts for number in part.numbers]
    whole = whole_steps(index, numbers)
    places = places_of(index, numbers, whole)
    tensors = PageTensors(index)
    shown = PageValues(index, tensors, {position_path(place) for place in places})
    members = place_members(index, places)
    # Each part of the page has its share of the elements.
    rooms = {each.numbers[0]: MOST_ELEMENTS * len(each.numbers) // len(numbers) for each in parts}
    for place, member in zip(places, members["places"], strict=True):
        tensors.make_room(rooms.pop(place.step, 0))
        member |= shown.at(place)
    origin = trace.origin
    return {
        "title": visible_text(origin_title(origin)),
        "about": visible_text(f"{origin.subject}, {origin.device}"),
        "notes": [visible_text(each) for each in _notes(index, parts, whole)],
        "end": [visible_text(each) for each in end_text(trace)],
        "total": len(trace.steps),
        "count": len(numbers),
        "iterations": [
            [each.iteration.number, each.numbers[0], each.numbers[-1]]
            for each in parts
            if each.iteration is not None
        ],
        "phases": [step_phase(trace.steps[number - 1]) for number in numbers],
        **members,
        "findings": _findings(index, {*numbers}),
        "quiz": shown.questions(numbers) or None,
        "sections": shown.sections,
        "tensors": tensors.tensors,
    }


def _notes(index: TraceIndex, parts: Sequence[PagePart], whole: int) -> list[str]:
    """What the page leaves out, and how the recording was limited."""
    trace = index.trace
    found = [*scope_sentences(trace.scope), *([changes_line(trace)] if trace.changes else [])]
    found += parts_notes(index, parts)
    if whole < sum(len(each.numbers) for each in parts):
        found.append(say("page.first_insides", count=format_count(whole)))
    return found


def _findings(index: TraceIndex, steps: Container[int]) -> list[dict[str, Any]]:
    found, pages = [], guide_names(index)
    for group in grouped_findings(index, index.trace.findings):
        finding, location = group[0], group[0].location
        place, about = finding_position(index, finding), finding_kind(finding.code).page
        is_here = place is not None and place.step in steps
        found.append(
            {
                "severity": finding.severity,
                "message": visible_text(finding_text(group), lines=True),
                "place": position_path(place) if place is not None and is_here else None,
                "step": finding.step,
                "page": about if about in pages else None,
                "line": None if location is None else [location.source, location.line],
            }
        )
    return found
