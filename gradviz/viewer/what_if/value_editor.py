"""Editor for a new value: element by element, one number for all, or a factor."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.model.what_if import WhatIfChange
from gradviz.text.phrases import record_shape_text
from gradviz.text.what_if import change_sentence, target_name
from gradviz.viewer.inputs.elements.cells_editor import CellsEdit, CellsEditor
from gradviz.viewer.inputs.elements.element_parsing import parse_element
from gradviz.viewer.inputs.elements.typed_cells import TypedCells, read_cells
from gradviz.viewer.inputs.fields.parsing import FieldError
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.what_if.change_subject import ChangeSubject
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce
from gradviz.viewer.widgets.wheel_guard import WheelGuard

_KINDS = ("elements", "fill", "scale")


class ValueEditor(QWidget):
    """Edits one value; nothing changes until the edit is applied.

    Signals:
        applied: The new `WhatIfChange`.
        left: The edit was canceled.
    """

    applied = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._subject: ChangeSubject | None = None
        self._cells = TypedCells(shape=(0,), texts=())
        self._change: WhatIfChange | None = None
        self._refusal = ""
        self.title = PlainLabel(bold=True)
        self.kind = QComboBox()
        self.number = QLineEdit()
        self.cells = CellsEditor(self.tr("New values"), theme)
        self.note = PlainLabel(muted=True)
        self.apply_button = QPushButton(self.tr("Add Change"))
        self.leave_button = QPushButton(self.tr("Cancel"))
        self._lay_out()
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.number.textEdited.connect(self._update)
        self.number.returnPressed.connect(self._on_apply_clicked)
        self.cells.edited.connect(self._on_cells_edited)
        self.cells.refused.connect(self._on_cells_refused)
        self.apply_button.clicked.connect(self._on_apply_clicked)
        self.leave_button.clicked.connect(self.left)
        for each in (self.kind, self.number, self.apply_button, self.leave_button):
            set_theme_font(each, theme)

    def _lay_out(self) -> None:
        WheelGuard(self.kind)
        self.kind.setAccessibleName(self.tr("Kind of change"))
        self.number.setAccessibleName(self.tr("Number"))
        how = QHBoxLayout()
        how.addWidget(self.kind)
        how.addWidget(self.number, 1)
        done = QHBoxLayout()
        done.addWidget(self.apply_button)
        done.addWidget(self.leave_button)
        done.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addLayout(how)
        column.addWidget(self.note)
        column.addStretch(1)
        column.addLayout(done)
        # Side by side, since the panel is wide and low.
        fields = QHBoxLayout()
        fields.setSpacing(10)
        fields.addLayout(column, 1)
        fields.addWidget(self.cells, 1, Qt.AlignmentFlag.AlignTop)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(10, 6, 10, 6)
        whole.setSpacing(6)
        whole.addWidget(self.title)
        whole.addLayout(fields, 1)

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
            self.kind.setCurrentIndex(self.kind.findData(change.way))
        self._show_kind()
        self.focus_first()

    def focus_first(self) -> None:
        """Set the focus to the field for the new value."""
        field = self.cells.view if self._chosen_kind() == "elements" else self.number
        field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill_kinds(self, subject: ChangeSubject) -> None:
        texts = {
            "elements": self.tr("Individual elements"),
            "fill": self.tr("Set all elements to"),
            "scale": self.tr("Multiply by"),
        }
        available = {"elements": subject.has_cells, "fill": subject.can_fill, "scale": True}
        with QSignalBlocker(self.kind):
            self.kind.clear()
            for way in _KINDS:
                if available[way]:
                    self.kind.addItem(texts[way], way)

    def _chosen_kind(self) -> str:
        return str(self.kind.currentData())

    def _show_kind(self) -> None:
        way = self._chosen_kind()
        self.cells.setVisible(way == "elements")
        self.number.setVisible(way != "elements")
        self._update()

    def _update(self) -> None:
        subject = self._subject
        if subject is None:
            return
        if self._chosen_kind() == "elements":
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
        if self._chosen_kind() == "elements":
            found = read_cells(self._cells, subject.record.dtype)
            if found.problem:
                raise FieldError(found.problem)
            return subject.set_to(self._cells.texts, found.numbers)
        if not self.number.text().strip():
            return None
        if self._chosen_kind() == "fill":
            return subject.filled(parse_element(self.number.text(), subject.record.dtype)[0])
        factor, _ = parse_element(self.number.text(), "float64")
        assert not isinstance(factor, complex)
        return subject.scaled(float(factor))

    def _note(self, subject: ChangeSubject) -> str:
        if self._change is not None:
            return change_sentence(self._change)
        if self._chosen_kind() != "elements":
            return self.tr("Enter a number.")
        return self.tr("Enter new values.")

    @Slot()
    def _on_kind_changed(self) -> None:
        self._refusal = ""
        self._show_kind()
        self.focus_first()

    @Slot(object)
    def _on_cells_edited(self, edit: CellsEdit) -> None:
        self._refusal = ""
        subject = self._subject
        if subject is not None and edit.cells.shape != subject.record.shape:
            # Pasted data may have another shape, but the changed value must keep its own.
            self._refusal = self.tr("The shape must stay {0}.").format(
                record_shape_text(subject.record)
            )
        else:
            self._cells = edit.cells
        self._update()

    @Slot(str)
    def _on_cells_refused(self, reason: str) -> None:
        self._refusal = reason
        self._update()

    @Slot()
    def _on_apply_clicked(self) -> None:
        if self._change is not None:
            announce(self, change_sentence(self._change))
            self.applied.emit(self._change)
