"""What is known of a step of torch's own: the op, who called it, its formula, what it saved."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gradviz.model.index import Index
from gradviz.model.phrases import value_phrase
from gradviz.viewer.inspector.builtin_facts import (
    builtin_node,
    called_from,
    formula_at,
    forward_of,
)
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.places import location_text
from gradviz.viewer.tensor_view.tag_pills import TagPills
from gradviz.viewer.widgets.column import Column, flow, stack
from gradviz.viewer.widgets.pill import Jump, Tag
from gradviz.viewer.widgets.plain_text import PlainLabel

_LEFT, _TOP, _BOTTOM, _GAP, _BESIDE = 8, 4, 4, 2, 12


class BuiltinHead(Column):
    """Name and formula in one line, where there is room, and what was saved in the next.

    Signals:
        jump_requested: The `Jump` of the sign that leads to the forward step.
    """

    jump_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts = ("", "", "")
        self._name = PlainLabel(bold=True, parent=self)
        self._called = PlainLabel(muted=True, parent=self)
        self._formula = PlainLabel(mono=True, parent=self)
        self._saved = PlainLabel(muted=True, parent=self)
        self._pills = TagPills(theme, self)
        self._pills.jump_requested.connect(self.jump_requested)
        self.hide()
        self.set_theme(theme)

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that it says."""
        labels = (self._name, self._called, self._formula, self._saved)
        return tuple(label.text() for label in labels if not label.isHidden())

    @property
    def jump(self) -> Jump | None:
        """Where its sign leads; None where there is none."""
        return next((pill.tag.jump for pill in self._pills.pills), None)

    def show_step(self, index: Index | None, number: int) -> None:
        """Shows another step; it hides at a step that has no node of torch's own."""
        node = None if index is None else builtin_node(index, number)
        self.setVisible(node is not None)
        if index is None or node is None:
            return
        step, formula = forward_of(index, node.id), formula_at(node)
        called = ""
        tags: tuple[Tag, ...] = ()
        if step is not None and step.call is None:
            place = called_from(step)
            called = self.tr("made by {op}").format(op=step.op)
            if place is not None:
                text = self.tr("made by {op}, called in {place}")
                called = text.format(op=step.op, place=location_text(place))
            tags = () if step.number == number else (self._tag(step.number),)
        equations = () if formula is None else formula.equations
        saved = [value_phrase(index, slot.item) for slot in index.saved.get(node.id, ())]
        self._texts = (node.name.removeprefix("torch::autograd::"), called, "     ".join(equations))
        note = "" if formula is None else formula.note
        self._formula.setAccessibleDescription(note)
        self._pills.show(tags)
        self._say(self._saved, self.tr("saved: {values}").format(values=", ".join(saved)), saved)
        self._say(self._called, called, called)
        self._say(self._formula, self._texts[2], equations)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        for label in (self._name, self._called, self._formula, self._saved):
            label.set_theme(theme)
        self._pills.set_theme(theme)
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Name, call and way there side by side, then the formula, then what was saved."""
        room = width - 2 * _LEFT
        self._name.show_short(self._texts[0], room)
        self._called.show_short(self._texts[1], room)
        parts = (self._name, self._called, *self._pills.pills)
        y = flow(parts, room, _BESIDE, move=move, top=_TOP, left=_LEFT)
        return self._place_below(room, y + _GAP, move) + _BOTTOM

    def _place_below(self, room: int, top: int, move: bool) -> int:
        """What was saved stands beside the formula, where both are short."""
        below = [label for label in (self._formula, self._saved) if not label.isHidden()]
        widths = [_width(label) for label in below]
        if len(below) < 2 or sum(widths) + _BESIDE > room:
            return stack(below, room, _GAP, move=move, top=top, left=_LEFT)
        height = max(label.heightForWidth(room) for label in below)
        left = _LEFT
        for label, width in zip(below, widths, strict=True) if move else ():
            label.setGeometry(left, top, width, height)
            left += width + _BESIDE
        return top + height

    def _say(self, label: PlainLabel, text: str, there: object) -> None:
        label.setVisible(bool(there))
        if label is not self._called:
            label.setText(text)

    def _tag(self, number: int) -> Tag:
        tip = self.tr("Goes to step {number}").format(number=number)
        return Tag(self.tr("step {number}").format(number=number), "plain", tip, Jump(step=number))


def _width(label: PlainLabel) -> int:
    """Of a text in one line."""
    return label.fontMetrics().horizontalAdvance(label.text()) + 2
