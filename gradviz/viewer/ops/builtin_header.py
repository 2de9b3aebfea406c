"""The header above the ops of a built-in node: its formula, and what created it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.document.facts.builtin_facts import (
    builtin_node,
    called_from,
    formula_at,
    forward_of,
    is_complex,
)
from gradviz.document.location_text import location_text
from gradviz.document.tag import DocumentLink, Tag
from gradviz.text.phrases import value_phrase
from gradviz.viewer.tensor_view.small.tensor_head import TagPills
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow, stack
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_BETWEEN = "     "


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinSummary:
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


def builtin_summary_of(index: TraceIndex, number: int) -> BuiltinSummary | None:
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
        called = translate("Ops", "created by {op}").format(op=step.op)
        if place is not None:
            called = translate("Ops", "created by {op}, called in {place}").format(
                op=step.op, place=location_text(place)
            )
    saved = ", ".join(value_phrase(index, slot.item) for slot in index.saved.get(node.id, ()))
    return BuiltinSummary(
        node=node.name.removeprefix("torch::autograd::"),
        called=called,
        formula="" if formula is None else _BETWEEN.join(formula.equations),
        note="" if formula is None else formula.note,
        saved=translate("Ops", "saved: {values}").format(values=saved) if saved else "",
        made_at=step.number if called and step is not None and step.number != number else None,
    )


_LEFT, _TOP, _BOTTOM, _GAP, _SPACING = 8, 4, 4, 2, 12


class BuiltinHeader(ColumnLayoutWidget):
    """One line with the node and the op that created it; formula and saved values below.

    Signals:
        jump_requested: The `DocumentLink` of the tag that leads to the forward step.
    """

    jump_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._text: BuiltinSummary | None = None
        self._low = False
        self._name = PlainLabel(bold=True, parent=self)
        self._called = PlainLabel(muted=True, parent=self)
        self._formula = PlainLabel(mono=True, parent=self)
        self._short = PlainLabel(mono=True, parent=self)
        self._saved = PlainLabel(muted=True, parent=self)
        self._pills = TagPills(theme, self)
        self._pills.jump_requested.connect(self.jump_requested)
        self.hide()
        self.update_theme()

    @property
    def texts(self) -> tuple[str, ...]:
        """The visible texts."""
        return tuple(label.text() for label in self._labels() if not label.isHidden())

    @property
    def jump(self) -> DocumentLink | None:
        """The target of the tag; None if there is no tag."""
        return next((pill.tag.jump for pill in self._pills.pills), None)

    def show_step(self, index: TraceIndex | None, number: int) -> None:
        """Show a step; hide the header if the step has no built-in node."""
        self._text = None if index is None else builtin_summary_of(index, number)
        self.setVisible(self._text is not None)
        self._show()

    def set_low(self, low: bool) -> None:
        """Reduce the header to one line if the panel is low."""
        if low != self._low:
            self._low = low
            self._show()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out name, caller and tag in a row, then the formula, then the saved values."""
        text = self._text
        if text is None:
            return 0
        available_width = width - 2 * _LEFT
        if self._low:
            return self._place_in_line(text, available_width, move) + _BOTTOM
        self._name.show_short(text.node, available_width)
        self._called.show_short(text.called, available_width)
        parts = (self._name, self._called, *self._pills.pills)
        y = flow(parts, available_width, _SPACING, move=move, top=_TOP, left=_LEFT)
        return self._place_below(available_width, y + _GAP, move) + _BOTTOM

    def _place_in_line(self, text: BuiltinSummary, available_width: int, move: bool) -> int:
        parts = (self._name, *self._pills.pills, self._short)
        if not move:
            # The height must not depend on the width, and measuring must not change the labels.
            return _TOP + max(part.sizeHint().height() for part in parts)
        self._name.show_short(text.node, available_width)
        taken = sum(part.sizeHint().width() + _SPACING for part in parts[:-1])
        space = max(0, available_width - taken - _SPACING)
        # Never elide a formula, as that would change its meaning.
        fits = self._short.fontMetrics().horizontalAdvance(text.formula) <= space
        self._short.show_short(text.formula if fits else "…", space)
        self._short.setToolTip(plain_tooltip("" if fits else text.formula))
        return flow(parts, available_width, _SPACING, move=True, top=_TOP, left=_LEFT)

    def _place_below(self, available_width: int, top: int, move: bool) -> int:
        """Put the saved values beside the formula if both are short."""
        below = [label for label in (self._formula, self._saved) if not label.isHidden()]
        widths = [_width(label) for label in below]
        if len(below) < 2 or sum(widths) + _SPACING > available_width:
            return stack(below, available_width, _GAP, move=move, top=top, left=_LEFT)
        height = max(label.heightForWidth(available_width) for label in below)
        left = _LEFT
        for label, width in zip(below, widths, strict=True) if move else ():
            label.setGeometry(left, top, width, height)
            left += width + _SPACING
        return top + height

    def _show(self) -> None:
        text = self._text
        if text is None:
            return
        self._formula.setText(text.formula)
        self._formula.setAccessibleDescription(text.note)
        self._saved.setText(text.saved)
        self._called.setVisible(bool(text.called) and not self._low)
        self._formula.setVisible(bool(text.formula) and not self._low)
        self._saved.setVisible(bool(text.saved) and not self._low)
        self._short.setVisible(bool(text.formula) and self._low)
        self._pills.show(() if text.made_at is None else (self._tag(text.made_at),))
        self.refresh()

    def _labels(self) -> tuple[PlainLabel, ...]:
        return (self._name, self._called, self._formula, self._short, self._saved)

    def _tag(self, number: int) -> Tag:
        tip = self.tr("Go to step {number}").format(number=number)
        return Tag(
            self.tr("step {number}").format(number=number), "plain", tip, DocumentLink(step=number)
        )


def _width(label: PlainLabel) -> int:
    """Return the width of the text in one line."""
    return label.fontMetrics().horizontalAdvance(label.text()) + 2
