"""Selects the rows of the op table: stages, the lines below them, and the ops."""

from __future__ import annotations

from typing import Literal, NamedTuple

from gradviz.model.index import Index
from gradviz.model.inside import Op, Part, StageKind
from gradviz.model.places import Place, stages_of
from gradviz.model.query import step_at
from gradviz.model.source import user_line

Kind = Literal["stage", "line", "op", "more"]

Key = tuple[StageKind, int | None, int | None]
"""Stage, line and op of a place; cheaper to create and to look up than a `Place`."""


class Row(NamedTuple):
    """One row of the op table; compact, as a step may have very many.

    Attributes:
        kind: ``more`` represents ops that were not recorded.
        stage: The stage that contains it.
        line: Position of the line in the part; None if no line was recorded.
        op: Position of the op in the part; for a line, of its first op; -1 for none.
    """

    kind: Kind
    stage: StageKind
    line: int | None = None
    op: int = -1

    @property
    def key(self) -> Key:
        """The key of the place that the row leads to."""
        if self.kind == "op" or (self.kind == "line" and self.line is None):
            return (self.stage, self.line, self.op)
        return (self.stage, self.line, None)

    def place(self, step: int) -> Place:
        """Return the row's place; for a line that was not recorded, its first op."""
        stage, line, op = self.key
        return Place(step=step, stage=stage, line=line, op=op)


def rows_of(index: Index, number: int) -> tuple[Row, ...]:
    """Return the rows of a step: each stage, followed by its lines and their ops."""
    inside = index.inside.get(number)
    parts = () if inside is None else inside.parts
    at = {part.stage: part for part in parts}
    rows: list[Row] = []
    for stage in stages_of(index, step_at(index, number)):
        rows.append(Row("stage", stage))
        if stage in at:
            rows += _rows_of_part(at[stage])
    return tuple(rows)


def _rows_of_part(part: Part) -> list[Row]:
    rows: list[Row] = []
    stage = part.stage
    before: object = None
    for at, op in enumerate(part.ops):
        caller = op.line if op.line is not None else user_line(op.location)
        if caller is not before and caller is not None and caller != before:
            rows.append(Row("line", stage, op.line, at))
        before = caller
        rows.append(Row("op", stage, op.line, at))
    if part.more_ops:
        rows.append(Row("more", stage))
    return rows


def op_of(parts: dict[StageKind, Part], row: Row | None) -> Op | None:
    """Return the op of a row, or None for a heading."""
    return None if row is None or row.kind != "op" else parts[row.stage].ops[row.op]
