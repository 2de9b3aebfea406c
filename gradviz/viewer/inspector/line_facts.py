"""Facts about a line: what it changed, read, returned and called, and all local variables."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace

from gradviz.model.index import Index
from gradviz.model.inside import Line, Part
from gradviz.model.item import Item
from gradviz.model.part_order import order_of
from gradviz.model.places import Place, part_at
from gradviz.model.sentences.part_facts import facts_of
from gradviz.model.source import lines_of
from gradviz.viewer.inspector.facts import PlacesRow, Row, Section, TextRow, ValueRow, tr, values
from gradviz.viewer.inspector.op_facts import change_rows
from gradviz.viewer.places import crumb_of
from gradviz.viewer.source.ran import reach_to
from gradviz.viewer.widgets.pill import Tag

MOST_PLACES = 12
_MOST_LINES = 16


def line_sections(index: Index, place: Place, part: Part, at: int) -> tuple[Section, ...]:
    """Sections on everything that is known about a line.

    Args:
        index: The trace.
        place: Place of the line.
        part: The stage that contains the line.
        at: Position of the line in the stage.
    """
    line = part.lines[at]
    code = code_of(index, line)
    known = reach_to(part, at, over=True).locals(line.frame)
    changed = {item.name for item in line.changes}
    read = _names_read(code)
    # A variable that is both read and changed is already shown with both values.
    reads = [each.item for each in known if each.item.name in read - changed]
    others = [each.item for each in known if each.item.name not in read | changed]
    result = () if line.result is None else (line.result,)
    sections = (
        _code(code),
        Section(key="line-changes", title=tr("changes"), rows=_changes(index, part, at)),
        Section(key="line-result", title=tr("returns"), rows=values(result)),
        inner_section(index, place),
        Section(key="line-reads", title=tr("reads"), rows=values(tuple(reads))),
        Section(
            key="locals", title=tr("other local variables"), rows=values(tuple(others)), folded=True
        ),
    )
    return tuple(section for section in sections if section.rows)


def inner_section(index: Index, place: Place) -> Section:
    """Links to everything directly inside a place."""
    part = part_at(index, place)
    # Create only as many places as are shown, since a stage can have very many ops.
    inside = [] if part is None else order_of(part).inside(place.line)
    places = (replace(place, line=line, op=op) for line, op in inside[:MOST_PLACES])
    shown = tuple(crumb_of(index, each) for each in places)
    rows: tuple[Row, ...] = (PlacesRow(text=tr("into"), places=shown),) if shown else ()
    hidden = len(inside) - len(shown)
    if hidden:
        text = tr("and {count:,} more, listed in Ops and Source")
        rows = (*rows, TextRow(text=text.format(count=hidden)))
    return Section(key="inside", title=tr("inside"), rows=rows)


def code_of(index: Index, line: Line) -> str:
    """The text of a statement without its indentation; empty if unknown."""
    number = line.location.source
    source = None if number is None else index.source.get(number)
    lines = () if source is None else lines_of(source.text)
    return textwrap.dedent("\n".join(lines[line.location.line - 1 : line.last_line]))


def _code(code: str) -> Section:
    lines = lines_of(code)
    text = "\n".join([*lines[:_MOST_LINES], *(["…"] if len(lines) > _MOST_LINES else [])])
    rows = (TextRow(text=text, block=True),) if text else ()
    return Section(key="code", title=tr("line"), rows=rows)


def _changes(index: Index, part: Part, at: int) -> tuple[Row, ...]:
    line, facts = part.lines[at], facts_of(part)
    rows: list[Row] = []
    for item in line.changes:
        before = facts.before(at, item.name)
        if _are_two_tensors(index, before, item) and before is not None:
            same = _storages(index, before) == _storages(index, item)
            change = tr("changed in place") if same else tr("refers to another tensor from here on")
            rows += change_rows(index, before, item, change, f"change {item.name}")
        else:
            tags = (Tag(tr("new"), "accent"),) if before is None else ()
            rows.append(ValueRow(name=item.name, item=item, tags=tags))
    if line.removed:
        text = tr("deleted: {names}").format(names=", ".join(line.removed))
        rows.append(TextRow(text=text))
    if not line.finished:
        text = tr("It was interrupted by an exception or by the end of the run.")
        rows.append(TextRow(text=text, tone="warning"))
    return tuple(rows)


def _are_two_tensors(index: Index, before: Item | None, after: Item) -> bool:
    if before is None or before.tensor is None or after.tensor is None:
        return False
    known = before.tensor in index.tensor and after.tensor in index.tensor
    return known and before.tensor != after.tensor


def _storages(index: Index, item: Item) -> int | None:
    return None if item.tensor is None else index.tensor.bare(item.tensor).storage


def _names_read(code: str) -> frozenset[str]:
    """The names that a statement, or the header of a compound one, reads."""
    for text in (code, f"{code}\n    pass"):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        return frozenset(node.id for node in nodes if isinstance(node.ctx, ast.Load))
    return frozenset()
