"""Editor for a new value: element by element, one number for all, or a factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.compare.exact_differences import RunAlignment
from gradviz.analysis.compare.what_if_targets import (
    Candidate,
    Changeable,
    candidate_for,
    candidates_at,
    candidates_of,
    candidates_of_node,
)
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.element_encoding import shortest_text
from gradviz.model.inputs import MOST_VALUES, Number, Offer
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.what_if import ChangeTarget, WhatIfChange
from gradviz.model.what_if_values import (
    apply_change,
    can_set,
    change_between,
    content_key,
    element_bytes,
    elements_at,
)
from gradviz.text.phrases import record_shape_text
from gradviz.text.what_if import change_sentence, target_name
from gradviz.viewer.forms.controls import FieldError, FormComboBox, FormTextField
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.inputs.elements.cells_editor import CellsEditor
from gradviz.viewer.inputs.elements.typed_cells import TypedCells, read_cells
from gradviz.viewer.inputs.fields.parsing import parse_element
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce


class OriginalValues:
    """Finds changeable values; their contents always come from the run without changes."""

    def __init__(self, state: ViewerState, session: Session) -> None:
        self._state = state
        self._session = session
        self.alignment: RunAlignment | None = None

    @property
    def offer(self) -> Offer | None:
        """What the original run was made from; None if it cannot be run again."""
        return self._session.offer

    def at_current_step(self) -> tuple[Candidate, ...]:
        """Return what can be changed at the current step."""
        index = self._original()
        number = self._old(self._state.number)
        if index is None or number is None:
            return ()
        return candidates_at(index, number, self._before())

    def of_node(self, node: int) -> tuple[Candidate, ...]:
        """Return what can be changed about a node, if both runs have the node."""
        index = self._original()
        if index is None or node not in index.node:
            return ()
        return candidates_of_node(index, node, self._before())

    def of_tensor(self, tensor: int, number: int) -> tuple[Candidate, ...]:
        """Return the changeable values behind a tensor of the run that is shown."""
        shown = self._state.index
        return () if shown is None else self.of_run(shown, tensor, number)

    def of_run(self, index: TraceIndex, tensor: int, number: int) -> tuple[Candidate, ...]:
        """Return the changeable values behind a tensor of the original run or a changed one."""
        found = candidates_of(index, tensor, number, self._before())
        if index is self._original():
            return found
        return tuple(each for each in map(self._in_original, found) if each is not None)

    def subject(self, candidate: Candidate) -> ChangeSubject | None:
        """Return a candidate with its value in the original run, or None."""
        index = self._original()
        if index is None or candidate.tensor not in index.tensor:
            return None
        record = index.tensor.bare(candidate.tensor)
        value = index.value(candidate.tensor) if record.content == "whole" else None
        return ChangeSubject(target=candidate.target, record=record, value=value)

    def of_target(self, target: ChangeTarget) -> Candidate | None:
        """Return the original run's candidate for an already changed target, or None."""
        index = self._original()
        return None if index is None else candidate_for(index, target, self._before())

    def _in_original(self, candidate: Candidate) -> Candidate | None:
        return self.of_target(candidate.target)

    def _original(self) -> TraceIndex | None:
        baseline = self._session.baseline
        return self._state.index if baseline is None else baseline.index

    def _old(self, number: int) -> int | None:
        if self._session.baseline is None or self.alignment is None:
            return number
        return self.alignment.old(number)

    def _before(self) -> Changeable:
        return Changeable.of(self.offer)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSubject:
    """A value before it is changed.

    Attributes:
        target: Identifies the value.
        record: Its tensor record.
        value: Its elements; None unless all of them were stored.
    """

    target: ChangeTarget
    record: TensorRecord
    value: TensorValue | None

    @property
    def has_cells(self) -> bool:
        """Whether its elements can be edited one by one."""
        few = self.record.count <= MOST_VALUES
        return self.value is not None and few and can_set(self.record.dtype)

    @property
    def can_fill(self) -> bool:
        """Whether all its elements can be set to one number."""
        return can_set(self.record.dtype)

    def cells(self, change: WhatIfChange | None) -> TypedCells:
        """Return the elements as text, after applying a change if one is given."""
        value = self.value
        if value is not None and change is not None:
            value = apply_change(change, value) or value
        if value is None:
            return TypedCells(shape=self.record.shape, texts=())
        numbers = value.array().flatten().tolist()
        texts = tuple(shortest_text(each, value.dtype) for each in numbers)
        return TypedCells(shape=value.shape, texts=texts)

    def set_to(self, texts: tuple[str, ...], numbers: tuple[Number, ...]) -> WhatIfChange | None:
        """Return the change that sets new elements; None if no element changes.

        Args:
            texts: Texts of all elements; an element whose text is unchanged keeps its bits.
            numbers: The numbers that the texts stand for.

        Raises:
            UnrepresentableNumberError: If the dtype cannot represent a number even approximately.
        """
        assert self.value is not None
        before = self.cells(None).texts
        size = len(self.value.data) // max(1, len(before))
        data = bytearray(self.value.data)
        for at, (old, new, number) in enumerate(zip(before, texts, numbers, strict=True)):
            if old != new:
                data[at * size : (at + 1) * size] = element_bytes(number, self.value.dtype)
        new_value = TensorValue(dtype=self.value.dtype, shape=self.value.shape, data=bytes(data))
        return change_between(self.target, self.value, new_value)

    def filled(self, number: Number) -> WhatIfChange:
        """Return the change that sets all elements to one number.

        Raises:
            UnrepresentableNumberError: If the dtype cannot represent the number even approximately.
        """
        return self._whole(way="fill", bits=element_bytes(number, self.record.dtype).hex())

    def scaled(self, factor: float) -> WhatIfChange:
        """Return the change that multiplies all elements by a factor."""
        return self._whole(way="scale", factor=factor)

    def with_new_original(self, change: WhatIfChange) -> WhatIfChange:
        """Update a change that was made when this value was different."""
        same = (change.dtype, change.shape) == (self.record.dtype, self.record.shape)
        if not same or change.seal == self._seal():
            return change
        old_bits = ""
        if self.value is not None and change.way == "elements":
            old_bits = elements_at(self.value, change.positions).hex()
        return replace(change, seal=self._seal(), old_bits=old_bits)

    def _whole(self, **how: Any) -> WhatIfChange:
        dtype, shape = self.record.dtype, self.record.shape
        return WhatIfChange(target=self.target, dtype=dtype, shape=shape, seal=self._seal(), **how)

    def _seal(self) -> str:
        return "" if self.value is None else content_key(self.value)


_KINDS = ("elements", "fill", "scale")


class ValueEditor(QWidget):
    """Edits one value; nothing changes until the edit is applied.

    Signals:
        applied: The new `WhatIfChange`.
        left: The edit was canceled.
    """

    applied = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._subject: ChangeSubject | None = None
        self._cells = TypedCells(shape=(0,), texts=())
        self._change: WhatIfChange | None = None
        self._refusal = ""
        self.title = PlainLabel(bold=True)
        self._fields = FieldForm(theme, row=QHBoxLayout())
        kind, number = FormComboBox(()), FormTextField()
        self.kind = self._fields.add_field("kind", kind, title=self.tr("Kind of change"))
        self.number = self._fields.add_field("number", number, title=self.tr("Number"))
        self.cells = CellsEditor(self.tr("New values"), theme)
        self.note = PlainLabel(muted=True)
        self.apply_button = QPushButton(self.tr("Add Change"))
        self.leave_button = QPushButton(self.tr("Cancel"))
        self._lay_out()
        self.kind.edited.connect(self._on_kind_edited)
        self.number.edited.connect(self._update)
        self._fields.submitted.connect(self._on_apply_clicked)
        self.cells.edited.connect(self._on_cells_edited)
        self.cells.refused.connect(self._on_cells_refused)
        self.apply_button.clicked.connect(self._on_apply_clicked)
        self.leave_button.clicked.connect(self.left)
        for each in (self.apply_button, self.leave_button):
            set_theme_font(each, theme)

    def _lay_out(self) -> None:
        done = lay_out(QHBoxLayout(), self.apply_button, self.leave_button, 1)
        column = lay_out(QVBoxLayout(), self._fields, self.note, 1, done, gap=6)
        # Side by side, since the panel is wide and low.
        fields = lay_out(
            QHBoxLayout(), (column, 1), (self.cells, 1, Qt.AlignmentFlag.AlignTop), gap=10
        )
        lay_out(QVBoxLayout(self), self.title, (fields, 1), margins=(10, 6, 10, 6), gap=6)

    def edit(self, subject: ChangeSubject, change: WhatIfChange | None) -> None:
        """Start editing another value.

        Args:
            subject: The value to change.
            change: The existing change of this value, if any.
        """
        self._subject = subject
        title = self.tr("{0} ({1}, {2})")
        name = target_name(subject.target)
        shape = record_shape_text(subject.record)
        self.title.setText(title.format(name, shape, subject.record.dtype))
        self._fill_kinds(subject)
        self.number.setText("")
        self._cells = subject.cells(change)
        if change is not None and change.way in ("fill", "scale") and not subject.has_cells:
            self.kind.show_value(change.way)
        self._show_kind()
        self.focus_first()

    def focus_first(self) -> None:
        """Set the focus to the field for the new value."""
        field = self.cells.view if self.kind.value() == "elements" else self.number
        field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill_kinds(self, subject: ChangeSubject) -> None:
        texts = {
            "elements": self.tr("Individual elements"),
            "fill": self.tr("Set all elements to"),
            "scale": self.tr("Multiply by"),
        }
        available = {"elements": subject.has_cells, "fill": subject.can_fill, "scale": True}
        self.kind.show_entries((way, texts[way]) for way in _KINDS if available[way])

    def _show_kind(self) -> None:
        way = self.kind.value()
        self.cells.setVisible(way == "elements")
        self.number.setVisible(way != "elements")
        self._update()

    def _update(self) -> None:
        subject = self._subject
        if subject is None:
            return
        if self.kind.value() == "elements":
            self.cells.show_cells(self._cells, subject.record.dtype)
        self._change, note = None, self._refusal
        if not note:
            try:
                self._change = self._made(subject)
                note = self._note(subject)
            except FieldError as error:
                note = str(error)
        self.note.setText(note)
        self.apply_button.setEnabled(self._change is not None)

    def _made(self, subject: ChangeSubject) -> WhatIfChange | None:
        if self.kind.value() == "elements":
            found = read_cells(self._cells, subject.record.dtype)
            if found.problem:
                raise FieldError(found.problem)
            return subject.set_to(self._cells.texts, found.numbers)
        if not self.number.text().strip():
            return None
        if self.kind.value() == "fill":
            return subject.filled(parse_element(self.number.text(), subject.record.dtype)[0])
        factor, _ = parse_element(self.number.text(), "float64")
        assert not isinstance(factor, complex)
        return subject.scaled(float(factor))

    def _note(self, subject: ChangeSubject) -> str:
        if self._change is not None:
            return change_sentence(self._change)
        if self.kind.value() != "elements":
            return self.tr("Enter a number.")
        return self.tr("Enter new values.")

    def _on_kind_edited(self) -> None:
        self._refusal = ""
        self._show_kind()
        self.focus_first()

    def _on_cells_edited(self, name: str, cells: TypedCells) -> None:
        self._refusal = ""
        subject = self._subject
        if subject is not None and cells.shape != subject.record.shape:
            # Pasted data may have another shape, but the changed value must keep its own.
            self._refusal = self.tr("The shape must stay {0}.").format(
                record_shape_text(subject.record)
            )
        else:
            self._cells = cells
        self._update()

    def _on_cells_refused(self, reason: str) -> None:
        self._refusal = reason
        self._update()

    def _on_apply_clicked(self) -> None:
        if self._change is not None:
            announce(self, change_sentence(self._change))
            self.applied.emit(self._change)
