"""Selects the rows of the op table: stages, the lines below them, and the ops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, stage_record_at, stages_of
from gradviz.document.facts.step_facts import source_line
from gradviz.document.location_text import line_text, location_title, stage_title
from gradviz.model.inside import Op, StageKind, StageRecord
from gradviz.model.source import user_line
from gradviz.viewer.ops.cell_text import count_text, more_text, no_op_text


@dataclass(frozen=True, slots=True)
class OpHeading:
    """The content of a row that is not an op.

    Attributes:
        title: Text at the start.
        code: Source code after the title; may be empty.
        hint: Text at the end; may be empty.
        outer: Whether this is a top-level heading.
    """

    title: str
    code: str = ""
    hint: str = ""
    outer: bool = False

    @property
    def text(self) -> str:
        """The whole text in one line."""
        return ": ".join(part for part in (self.title, self.code, self.hint) if part)


def op_heading_of(index: TraceIndex, step: int, row: OpRow) -> OpHeading:
    """Return the heading for a stage, a line, or the ops that were not recorded."""
    part = stage_record_at(index, TracePosition(step=step, stage=row.stage))
    if row.kind == "stage" or part is None:
        title = stage_title(index, step, row.stage)
        ops = 0 if part is None else len(part.ops) + part.more_ops
        return OpHeading(title, hint=count_text(ops) if ops else no_op_text(), outer=True)
    if row.kind == "more":
        return OpHeading(more_text(part.more_ops))
    return _of_line(index, part, part.ops[row.op])


def _of_line(index: TraceIndex, part: StageRecord, op: Op) -> OpHeading:
    line = None if op.line is None else part.lines[op.line]
    location = user_line(op.location) if line is None else line.location
    assert location is not None
    code = source_line(index, location)
    if line is not None and line.last_line > location.line:
        code = f"{code} …"
    return OpHeading(location_title(location) if line is None else line_text(line), code)


OpRowKind = Literal["stage", "line", "op", "more"]

OpRowKey = tuple[StageKind, int | None, int | None]
"""Stage, line and op of a place; cheaper to create and to look up than a `TracePosition`."""


class OpRow(NamedTuple):
    """One row of the op table; compact, as a step may have very many.

    Attributes:
        kind: ``more`` represents ops that were not recorded.
        stage: The stage that contains it.
        line: Position of the line in the part; None if no line was recorded.
        op: Position of the op in the part; for a line, of its first op; -1 for none.
    """

    kind: OpRowKind
    stage: StageKind
    line: int | None = None
    op: int = -1

    @property
    def key(self) -> OpRowKey:
        """The key of the place that the row leads to."""
        if self.kind == "op" or (self.kind == "line" and self.line is None):
            return (self.stage, self.line, self.op)
        return (self.stage, self.line, None)

    def place(self, step: int) -> TracePosition:
        """Return the row's place; for a line that was not recorded, its first op."""
        stage, line, op = self.key
        return TracePosition(step=step, stage=stage, line=line, op=op)


def op_rows_of(index: TraceIndex, number: int) -> tuple[OpRow, ...]:
    """Return the rows of a step: each stage, followed by its lines and their ops."""
    inside = index.inside.get(number)
    parts = () if inside is None else inside.parts
    at = {part.stage: part for part in parts}
    rows: list[OpRow] = []
    for stage in stages_of(index, step_at(index, number)):
        rows.append(OpRow("stage", stage))
        if stage in at:
            rows += _rows_of_part(at[stage])
    return tuple(rows)


def _rows_of_part(part: StageRecord) -> list[OpRow]:
    rows: list[OpRow] = []
    stage = part.stage
    before: object = None
    for at, op in enumerate(part.ops):
        caller = op.line if op.line is not None else user_line(op.location)
        if caller is not before and caller is not None and caller != before:
            rows.append(OpRow("line", stage, op.line, at))
        before = caller
        rows.append(OpRow("op", stage, op.line, at))
    if part.more_ops:
        rows.append(OpRow("more", stage))
    return rows


def op_of(parts: dict[StageKind, StageRecord], row: OpRow | None) -> Op | None:
    """Return the op of a row, or None for a heading."""
    return None if row is None or row.kind != "op" else parts[row.stage].ops[row.op]
