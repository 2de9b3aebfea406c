"""What the rows say that stand above ops: stages, lines, and how many ops were not kept."""

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
    """What a row says that is no op.

    Attributes:
        title: At its beginning.
        code: The source after that; may be empty.
        hint: At its end; may be empty.
        outer: Whether it stands above other headings.
    """

    title: str
    code: str = ""
    hint: str = ""
    outer: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        return ": ".join(part for part in (self.title, self.code, self.hint) if part)


def heading_of(index: Index, step: int, row: Row) -> Heading:
    """The heading that a row of a stage, a line or ops that were not kept shows."""
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
