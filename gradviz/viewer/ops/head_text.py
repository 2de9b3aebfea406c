"""Texts about a built-in node: op, calling line, formula and saved values."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from gradviz.model.index import Index
from gradviz.model.phrases import value_phrase
from gradviz.viewer.inspector.builtin_facts import (
    builtin_node,
    called_from,
    formula_at,
    forward_of,
    is_complex,
)
from gradviz.viewer.places import location_text

_BETWEEN = "     "


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadText:
    """The texts above the ops of a built-in node's step.

    Attributes:
        node: Name of the node.
        called: The forward op and the line that called it; empty if unknown.
        formula: The derivative formula; empty if there is none.
        note: A remark on the formula; may be empty.
        saved: The values saved for backward; empty if none.
        made_at: Number of the step that created the node; None if it is this step or unknown.
    """

    node: str
    called: str
    formula: str
    note: str
    saved: str
    made_at: int | None


def head_text_of(index: Index, number: int) -> HeadText | None:
    """Return the texts for a step, or None if it has no built-in node."""
    node = builtin_node(index, number)
    if node is None:
        return None
    step = forward_of(index, node.id)
    # A formula that does not hold here is left to the inspector, which explains why.
    formula = None if is_complex(index, node, number) else formula_at(node)
    called = ""
    if step is not None and step.call is None:
        place = called_from(step)
        called = _tr("created by {op}").format(op=step.op)
        if place is not None:
            text = _tr("created by {op}, called in {place}")
            called = text.format(op=step.op, place=location_text(place))
    saved = ", ".join(value_phrase(index, slot.item) for slot in index.saved.get(node.id, ()))
    return HeadText(
        node=node.name.removeprefix("torch::autograd::"),
        called=called,
        formula="" if formula is None else _BETWEEN.join(formula.equations),
        note="" if formula is None else formula.note,
        saved=_tr("saved: {values}").format(values=saved) if saved else "",
        made_at=step.number if called and step is not None and step.number != number else None,
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Ops", text)
