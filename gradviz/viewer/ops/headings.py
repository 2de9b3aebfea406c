"""Headings between ops: stages, source lines, and the number of ops not recorded."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.index import Index
from gradviz.model.inside import Op, Part
from gradviz.model.places import Place, part_at
from gradviz.model.source import user_line
from gradviz.viewer.inspector.step_facts import source_line
from gradviz.viewer.ops.rows import Row
from gradviz.viewer.ops.words import count_text, more_text, no_op_text
from gradviz.viewer.places import line_text, location_title, stage_title


@dataclass(frozen=True, slots=True)
class Heading:
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


def heading_of(index: Index, step: int, row: Row) -> Heading:
    """Return the heading for a stage, a line, or the ops that were not recorded."""
    part = part_at(index, Place(step=step, stage=row.stage))
    if row.kind == "stage" or part is None:
        title = stage_title(index, step, row.stage)
        ops = 0 if part is None else len(part.ops) + part.more_ops
        return Heading(title, hint=count_text(ops) if ops else no_op_text(), outer=True)
    if row.kind == "more":
        return Heading(more_text(part.more_ops))
    return _of_line(index, part, part.ops[row.op])


def _of_line(index: Index, part: Part, op: Op) -> Heading:
    line = None if op.line is None else part.lines[op.line]
    location = user_line(op.location) if line is None else line.location
    assert location is not None
    code = source_line(index, location)
    if line is not None and line.last_line > location.line:
        code = f"{code} …"
    return Heading(location_title(location) if line is None else line_text(line), code)
