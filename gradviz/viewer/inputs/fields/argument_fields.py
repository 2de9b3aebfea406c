"""The fields of one argument: its kind, how it is created, and a preview."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFileDialog, QPushButton, QVBoxLayout, QWidget

from gradviz.model.element_encoding import INTEGER_RANGES
from gradviz.model.inputs import FILL_PARAMETERS, TENSOR_SUFFIXES, InputKind, InputSpec
from gradviz.viewer.inputs.elements.elements_field import ElementsPart
from gradviz.viewer.inputs.fields.field_choices import dtypes, fills, kinds
from gradviz.viewer.inputs.fields.field_grid import FieldGrid, FieldLine, FormComboBox
from gradviz.viewer.inputs.fields.field_reader import ArgumentReading, FieldName
from gradviz.viewer.inputs.fields.text_field import FieldMessage, FormTextField
from gradviz.viewer.inputs.form_draft import ArgumentDraft
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font

CAPTIONS = ("kind", "shape", "dtype", "fill", "fill_value", "literal")
"""Captions of the fields; the widest one sets the width of their column."""


class ArgumentFields(QWidget):
    """Shows a `ArgumentDraft` and reports edits without applying them.

    Args:
        own: The argument's original input in the scene or the file.
        theme: Colors and fonts.
        parent: Parent widget.

    Signals:
        edited: Name of the `ArgumentDraft` attribute, and its new value; ``parameter 0`` and
            ``parameter 1`` are the parameters of the fill.
        left: Typing in a field has ended.
    """

    edited = Signal(str, object)
    left = Signal()

    def __init__(self, own: InputSpec, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = own.name
        self._own = own
        self._grid = FieldGrid(theme)
        self.kind = FormComboBox(kinds())
        self.shape = FormTextField()
        self.dtype = FormComboBox(dtypes(own))
        self.fill = FormComboBox(fills(own))
        self.parameters = (FormTextField(), FormTextField())
        self.grad = QCheckBox("requires_grad")
        self.grad_note = FieldMessage("note", theme)
        self.text = FormTextField()
        self.text_note = FieldMessage("note", theme)
        self.browse = QPushButton(self.tr("Choose File…"))
        self.browse.hide()
        self.elements = ElementsPart(self._name, theme)
        self._lines: dict[FieldName, FieldLine] = {}
        self._add_lines(theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._grid)
        layout.addWidget(self.elements)
        self._name_fields()
        self._connect()

    @property
    def in_order(self) -> tuple[QWidget, ...]:
        """All editable widgets in tab order."""
        return (
            *(self.kind, self.text, self.browse, self.shape, self.dtype, self.fill),
            *self.parameters,
            self.grad,
            *self.elements.in_order,
        )

    def problem(self, field: FieldName) -> str:
        """The problem of a field as a sentence; empty if it is valid."""
        if field == "values":
            return self.elements.problem.text()
        return self._lines[field].problem.text()

    def show_draft(self, draft: ArgumentDraft, reading: ArgumentReading, seed: int) -> None:
        """Show a draft with its problems and notes."""
        tensor, given = draft.kind == "tensor", draft.fill == "given"
        self.kind.show_value(draft.kind)
        self.shape.show_text(draft.shape)
        self.dtype.show_value(draft.dtype)
        self.fill.show_value(draft.fill)
        self.text.show_text(draft.text)
        for line in (self._shape_line, self._dtype_line, self._fill_line):
            line.show(tensor)
        self._grad_line.show(tensor or draft.kind == "file")
        self._kind_line.show(draft.kind != "words")
        self._lines["text"].show(draft.kind not in ("tensor", "none"))
        self._show_text(draft.kind)
        is_own = draft.kind == "object" and draft.text == self._own.text
        self.text_note.say(self._own.note if is_own else "")
        self.shape.setEnabled(not given)
        self.dtype.setEnabled(not given)
        self._show_parameters(draft if tensor else None)
        self._show_gradient(draft)
        for name, line in self._lines.items():
            line.say(reading.problems.get(name, ""))
        self.elements.show_draft(draft, reading, seed)

    def arrange(self, captions: int, *, stacked: bool) -> None:
        """Position the captions; see `FieldGrid.arrange`."""
        self._grid.arrange(captions, stacked=stacked)

    def _show_parameters(self, draft: ArgumentDraft | None) -> None:
        names = () if draft is None else FILL_PARAMETERS.get(draft.fill, ())
        for at, field in enumerate(self.parameters):
            line = self._parameter_lines[at]
            line.caption.setText(names[at] if at < len(names) else "")
            line.show(at < len(names))
            if draft is not None and at < len(names):
                field.setAccessibleName(f"{self._name}: {names[at]}")
                field.show_text(draft.parameters[at])

    def _show_gradient(self, draft: ArgumentDraft) -> None:
        possible = draft.dtype not in INTEGER_RANGES
        with QSignalBlocker(self.grad):
            self.grad.setChecked(draft.requires_grad and possible)
        self.grad.setEnabled(possible)
        template = self.tr(
            "{0} tensors cannot require gradients. Choose a floating-point or complex dtype."
        )
        why = "" if possible or draft.kind != "tensor" else template.format(draft.dtype)
        self.grad_note.say(why)
        self.grad.setAccessibleDescription(why)

    def _add_lines(self, theme: Theme) -> None:
        grid = self._grid
        self._kind_line = grid.add("kind", self.kind)
        text = grid.add("literal", self.text)
        grid.add("", self.text_note)
        grid.add("", self.browse)
        self._shape_line = grid.add("shape", self.shape)
        self._dtype_line = grid.add("dtype", self.dtype)
        self._fill_line = grid.add("fill", self.fill)
        first, second = (grid.add("", field) for field in self.parameters)
        self._parameter_lines = (first, second)
        self._grad_line = grid.add("", self.grad)
        grid.add("", self.grad_note)
        self._lines = {
            "shape": self._shape_line,
            "fill": self._fill_line,
            "parameter 0": first,
            "parameter 1": second,
            "text": text,
        }
        set_theme_font(self.text, theme, mono=True)

    def _show_text(self, kind: InputKind) -> None:
        """Say what the text of an argument of a kind is."""
        caption, hint = self.tr("literal"), ""
        name, tip = self.tr("{0}: Python literal"), self.tr("A Python literal, like 3 or 'mean'")
        if kind == "words":
            caption, hint = "", self.tr("such as --lr 0.1")
            name, tip = self.tr("{0} of the script"), self.tr("Arguments as on the command line")
        elif kind == "file":
            caption, hint = self.tr("file"), self.tr("such as x.npy, or weights.pt:bias")
            name = self.tr("{0}: file")
            tip = self.tr("Path of a file with a tensor, and its name after a colon if needed")
        self._lines["text"].caption.setText(caption)
        self._lines["text"].caption.setVisible(bool(caption) and not self.text.isHidden())
        self.text.setPlaceholderText(hint)
        self.text.setAccessibleName(name.format(self._name))
        self.text.setToolTip(tip)
        self.browse.setVisible(kind == "file")

    def _name_fields(self) -> None:
        name = self._name
        self.kind.setAccessibleName(self.tr("{0}: kind").format(name))
        self.shape.setAccessibleName(self.tr("{0}: shape").format(name))
        self.dtype.setAccessibleName(self.tr("{0}: dtype").format(name))
        self.fill.setAccessibleName(self.tr("{0}: fill").format(name))
        self.grad.setAccessibleName(self.tr("{0}: requires_grad").format(name))
        self.kind.setToolTip(self.tr("What to pass: a tensor, None, or another object"))
        self.shape.setToolTip(self.tr("Shape, like 2×3; empty for a single number"))
        self.shape.setPlaceholderText(self.tr("scalar"))
        self.dtype.setToolTip(self.tr("dtype"))
        self.fill.setToolTip(self.tr("How to create the elements"))
        self.grad.setToolTip(self.tr("Whether to compute a gradient for it"))

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.dtype.currentIndexChanged.connect(self._on_dtype_changed)
        self.fill.currentIndexChanged.connect(self._on_fill_changed)
        self.shape.textEdited.connect(self._on_shape_edited)
        self.text.textEdited.connect(self._on_text_edited)
        self.browse.clicked.connect(self._on_browse_clicked)
        self.parameters[0].textEdited.connect(self._on_first_parameter_edited)
        self.parameters[1].textEdited.connect(self._on_second_parameter_edited)
        self.grad.toggled.connect(self._on_grad_toggled)
        self.elements.edited.connect(self._on_elements_edited)
        for field in (self.shape, self.text, *self.parameters, self.elements):
            field.left.connect(self.left)

    @Slot()
    def _on_kind_changed(self) -> None:
        self.edited.emit("kind", self.kind.value())

    @Slot()
    def _on_dtype_changed(self) -> None:
        self.edited.emit("dtype", self.dtype.value())

    @Slot()
    def _on_fill_changed(self) -> None:
        self.edited.emit("fill", self.fill.value())

    @Slot(str)
    def _on_shape_edited(self, text: str) -> None:
        self.edited.emit("shape", text)

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self.edited.emit("text", text)

    @Slot()
    def _on_browse_clicked(self) -> None:
        endings = " ".join(f"*{each}" for each in TENSOR_SUFFIXES)
        patterns = self.tr("Tensors ({0})").format(endings)
        title = self.tr("Choose a Tensor")
        chosen, _ = QFileDialog.getOpenFileName(self, title, self.text.text(), patterns)
        if chosen:
            self.edited.emit("text", chosen)

    @Slot(str)
    def _on_first_parameter_edited(self, text: str) -> None:
        self.edited.emit("parameter 0", text)

    @Slot(str)
    def _on_second_parameter_edited(self, text: str) -> None:
        self.edited.emit("parameter 1", text)

    @Slot(bool)
    def _on_grad_toggled(self, on: bool) -> None:
        self.edited.emit("requires_grad", on)

    @Slot(object)
    def _on_elements_edited(self, edit: object) -> None:
        self.edited.emit("cells", edit)
