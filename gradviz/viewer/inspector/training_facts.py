"""Facts about an optimizer step: each parameter before and after, and its gradient."""

from __future__ import annotations

import numpy as np

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.moves import Move, moves_of
from gradviz.model.phrases import number_text
from gradviz.model.step import OptimizerStep
from gradviz.viewer.inspector.facts import ChangeRow, Row, Section, TextRow, ValueRow, tr, values

_MOST_SECTIONS = 12
"""Number of parameters that get a section; of further ones only the names are listed."""


def optimizer_sections(index: Index, step: OptimizerStep) -> tuple[Section, ...]:
    """Sections on each parameter and its gradient, changed ones first, and the settings."""
    moves = sorted(moves_of(step), key=lambda move: move.how != "moved")
    sections = [_parameter(index, move) for move in moves[:_MOST_SECTIONS]]
    if moves[_MOST_SECTIONS:]:
        names = ", ".join(move.before.name for move in moves[_MOST_SECTIONS:])
        title = tr("{0:,} more parameters").format(len(moves) - _MOST_SECTIONS)
        more = (TextRow(text=names),)
        sections.append(Section(key="more_parameters", title=title, rows=more, folded=True))
    given = tuple(item for item in step.settings if item.kind != "none")
    if given:
        rows = values(given)
        sections.append(Section(key="settings", title=tr("settings"), rows=rows, folded=True))
    return tuple(sections)


def _parameter(index: Index, move: Move) -> Section:
    name = move.before.name
    before = ValueRow(name=tr("before"), item=move.before)
    gradient = ValueRow(name=tr("{name}.grad").format(name=name), item=move.gradient)
    rows: tuple[Row, ...] = (before, gradient)
    if move.how == "moved" and move.after is not None:
        after = ValueRow(name=tr("after"), item=move.after)
        change = ChangeRow(before=before, after=after, change=_change(index, move), tone="accent")
        rows = (gradient, change)
    hint = {
        "same": tr("unchanged"),
        "without": tr("unchanged, no gradient"),
        "unknown": tr("the step did not return"),
    }.get(move.how, "")
    return Section(key=f"parameter {name}", title=name, hint=hint, rows=rows)


def _change(index: Index, move: Move) -> str:
    """Largest change of an element, if all elements were kept."""
    before, after = _elements(index, move.before), _elements(index, move.after)
    if before is None or after is None or before.shape != after.shape or not before.size:
        return tr("moved")
    farthest = float(np.abs(after - before).max())
    if not np.isfinite(farthest):
        return tr("moved")
    return tr("moved by up to {0}").format(number_text(farthest))


def _elements(index: Index, item: Item | None) -> np.ndarray | None:
    number = None if item is None else item.tensor
    record = None if number is None else index.tensor.get(number)
    if number is None or record is None or record.content != "whole":
        return None
    value = index.value(number) if record.dtype in ("float64", "float32") else None
    return None if value is None else value.array()
