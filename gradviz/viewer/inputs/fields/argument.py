"""One argument of the form: a header, and below it the fields to edit it."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from msgspec import structs
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QPushButton, QVBoxLayout, QWidget

from gradviz.model.fill_values import filled_value
from gradviz.model.inputs import FillKind, InputSpec
from gradviz.model.tensor import computed_record
from gradviz.viewer.commands.context_menu import ContextMenu
from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.elements.pasted_tensor import parse_pasted
from gradviz.viewer.inputs.elements.typed_cells import TypedCells
from gradviz.viewer.inputs.fields.argument_fields import ArgumentFields
from gradviz.viewer.inputs.fields.argument_header import ArgumentHeader
from gradviz.viewer.inputs.fields.field_reader import ArgumentReading, read_argument
from gradviz.viewer.inputs.form_draft import (
    ArgumentDraft,
    with_cells,
    with_dtype,
    with_fill,
    with_shape,
)
from gradviz.viewer.inputs.history import FormHistory
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.layouts import lay_out


def python_of(spec: InputSpec | None) -> str:
    """An input as ``torch.tensor(...)``; empty if its elements are not known."""
    value = None if spec is None or spec.kind != "tensor" else filled_value(spec)
    if spec is None or value is None:
        return ""
    from gradviz.export.tensor.python_source import python_source

    record = computed_record(0, value)
    # The elements are in a dtype that is wide enough for all of them.
    record = structs.replace(record, dtype=spec.dtype, requires_grad=spec.requires_grad)
    return python_source(record, value)


MARGIN = 12
"""Free space left and right of the fields, in pixels."""

_TYPED = ("shape", "text", "parameter 0", "parameter 1")
"""Fields that are edited one character at a time."""


class ArgumentRow(QWidget):
    """Shows and edits one argument of a `FormHistory`.

    Args:
        at: Position of the argument, from 0.
        own: The argument's original input in the scene or the file.
        first: The original input as form fields.
        history: The form's fields.
        theme: Colors and fonts.

    Signals:
        unfolded: This row if its fields were shown, None if they were hidden.
    """

    unfolded = Signal(object)

    def __init__(
        self, at: int, own: InputSpec, first: ArgumentDraft, history: FormHistory, theme: Theme
    ) -> None:
        super().__init__()
        self._at = at
        self._own = own
        self._first = first
        self._history = history
        self._reading = read_argument(first, own)
        self.header = ArgumentHeader(own.name, theme)
        self._theme = theme
        self._arranged = (0, False)
        self._fields: ArgumentFields | None = None
        self.reset = QPushButton(self.tr("Reset"))
        self.reset.setAccessibleName(self.tr("{0}: reset").format(own.name))
        self.reset.setToolTip(self.tr("Restore the original input"))
        self._body = QWidget()
        self._inside = lay_out(
            QVBoxLayout(self._body),
            (self.reset, 0, Qt.AlignmentFlag.AlignLeft),
            margins=(MARGIN, 2, MARGIN, 10),
            gap=6,
        )
        lay_out(QVBoxLayout(self), self.header, self._body, gap=0)
        self._body.hide()
        # On the header, whether folded or not.
        self._menu = ContextMenu(self.header, self._fill_menu, lambda: self.header.rect().center())
        self.header.toggled.connect(self._on_header_toggled)
        self.reset.clicked.connect(self._on_reset_clicked)

    @property
    def name(self) -> str:
        """Name of the argument."""
        return self._own.name

    @property
    def fields(self) -> ArgumentFields:
        """The fields of the argument; created when the row is first unfolded, as few rows are."""
        if self._fields is None:
            made = self._fields = ArgumentFields(self._own, self._theme)
            made.arrange(self._arranged[0], stacked=self._arranged[1])
            made.edited.connect(self._on_fields_edited)
            made.left.connect(self._history.end_typing)
            self._inside.insertWidget(0, made)
        return self._fields

    @property
    def reading(self) -> ArgumentReading:
        """The parsed fields."""
        return self._reading

    @property
    def in_order(self) -> tuple[QWidget, ...]:
        """All focusable widgets in tab order."""
        fields = () if self._fields is None else self._fields.in_order
        return (self.header, *fields, self.reset)

    @property
    def problem(self) -> str:
        """A sentence on the first invalid field; empty if all are valid."""
        first = next(iter(self._reading.problems.values()), "")
        return f"{self.name}: {first}" if first else ""

    @property
    def changed(self) -> bool:
        """Whether the argument differs from the original input."""
        draft = self._history.argument(self._at)
        return draft != self._first and self._reading.spec != self._own

    def open(self, opened: bool = True) -> None:
        """Show or hide the fields."""
        self.header.setChecked(opened)

    def paste(self, text: str) -> None:
        """Replace the argument with the tensor in a text; say why if the text contains none."""
        draft = self._history.argument(self._at)
        if draft is None:
            return
        self.open()
        try:
            cells = parse_pasted(text).cells
        except FieldError as error:
            self.fields.refuse(str(error))
            return
        self.fields.refuse("")
        pasted = with_cells(replace(draft, kind="tensor"), cells)
        self._history.change_argument(self._at, pasted, self._title("cells"))

    def show_own(self, own: InputSpec) -> None:
        """Replace the original input, of which the file has created other elements."""
        self._own = own

    def show_draft(self, draft: ArgumentDraft, seed: int) -> None:
        """Show the argument's part of the form's draft."""
        self._reading = read_argument(draft, self._own)
        self.header.show_draft(draft, problem=self.problem, changed=self.changed)
        if self.header.isChecked():
            self.fields.show_draft(draft, self._reading, seed)
            self.reset.setVisible(self.changed)

    def arrange(self, captions: int, *, stacked: bool) -> None:
        """Position the captions; see `FieldGrid.arrange`."""
        self._arranged = (captions, stacked)
        if self._fields is not None:
            self._fields.arrange(captions, stacked=stacked)

    def _fill_menu(self, menu: QMenu, at: QPoint | None) -> None:
        clipboard, text = QGuiApplication.clipboard(), python_of(self._reading.spec)
        copy = menu.addAction(translate("Inputs", "&Copy as torch.tensor(…)"))
        copy.setEnabled(bool(text))
        copy.triggered.connect(lambda: clipboard.setText(text))
        paste = menu.addAction(translate("Inputs", "&Paste Elements"))
        paste.setEnabled(bool(clipboard.text().strip()))
        paste.triggered.connect(lambda: self.paste(clipboard.text()))
        menu.addSeparator()
        reset = menu.addAction(translate("Inputs", "&Reset"))
        reset.setEnabled(self.changed)
        reset.triggered.connect(self.reset.click)

    def _edited(self, field: str, value: object) -> ArgumentDraft | None:
        """The draft after an edit; None while the form is empty."""
        draft = self._history.argument_before_typing(self._at, field)
        if draft is None:
            return None
        match field:
            case "shape":
                return with_shape(draft, str(value))
            case "dtype":
                return with_dtype(draft, str(value))
            case "fill":
                return with_fill(draft, cast(FillKind, value), self._reading.spec)
            case "cells":
                return with_cells(draft, cast(TypedCells, value))
            case "parameter 0" | "parameter 1":
                parameters = list(draft.parameters)
                parameters[int(field[-1])] = str(value)
                return replace(draft, parameters=tuple(parameters))
            case _:
                edited: ArgumentDraft = replace(draft, **{field: value})  # type: ignore[arg-type]
                return edited

    def _title(self, field: str) -> str:
        """Name of an edit in the Edit menu."""
        titles = {
            "shape": self.tr("shape of {0}"),
            "dtype": self.tr("dtype of {0}"),
            "fill": self.tr("fill of {0}"),
            "kind": self.tr("kind of {0}"),
            "requires_grad": self.tr("requires_grad of {0}"),
            "cells": self.tr("elements of {0}"),
        }
        return titles.get(field, self.tr("value of {0}")).format(self.name)

    def _on_header_toggled(self, opened: bool) -> None:
        draft = self._history.draft
        self._body.setVisible(opened)
        if opened and draft is not None:
            self.show_draft(draft.arguments[self._at], draft.seed)
        self.unfolded.emit(self if opened else None)

    def _on_fields_edited(self, field: str, value: object) -> None:
        key = field if field in _TYPED or field.startswith("cell ") else ""
        field = "cells" if field.startswith("cell ") else field
        draft = self._edited(field, value)
        if draft is not None:
            self._history.change_argument(self._at, draft, self._title(field), key)

    def _on_reset_clicked(self) -> None:
        title = self.tr("reset of {0}").format(self.name)
        self._history.change_argument(self._at, self._first, title)
