"""The fields of one argument: its kind, how it is created, and a preview."""

from __future__ import annotations

import math
from typing import Any, get_args

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.model.element_encoding import INTEGER_RANGES
from gradviz.model.fill_values import filled_value
from gradviz.model.inputs import (
    DTYPES,
    FILL_PARAMETERS,
    MOST_VALUES,
    RANDOM_FILLS,
    TENSOR_SUFFIXES,
    InputKind,
    InputSpec,
)
from gradviz.model.tensor import TensorValue
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.forms.controls import FormCheckBox, FormComboBox, FormEntry, FormTextField
from gradviz.viewer.forms.form import FieldForm, FieldMessage
from gradviz.viewer.inputs.elements.cells_editor import CellsEditor
from gradviz.viewer.inputs.fields.field_reader import ArgumentReading, FieldName
from gradviz.viewer.inputs.form_draft import ArgumentDraft
from gradviz.viewer.tensor_view.cell_painter import paint_thumbnail, thumbnail_size
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.layouts import lay_out

CAPTIONS = ("kind", "shape", "dtype", "fill", "fill_value", "literal")
"""Captions of the fields; the widest one sets the width of their column."""


_SCALE = 1.2
"""Thumbnails are drawn for the graph; here they are enlarged to match the text."""
_MOST_HEIGHT = 96


class FillPreview(QWidget):
    """Shows the elements of a fill; hidden without a tensor."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._value: TensorValue | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def value(self) -> TensorValue | None:
        """The tensor that is shown; None without one."""
        return self._value

    def show_value(self, value: TensorValue | None) -> None:
        """Show a tensor, or hide the preview."""
        if value != self._value:
            self._value = value
            self._fit()
        self.setVisible(value is not None)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self._fit()

    def _fit(self) -> None:
        height = 0.0 if self._value is None else self._size(self._value).height()
        self.setFixedHeight(round(height * self._factor()) + 2)
        self.update()

    def _factor(self) -> float:
        return _SCALE * self._theme.scale

    def _size(self, value: TensorValue) -> QSizeF:
        most = QSizeF(max(20.0, (self.width() - 2) / self._factor()), _MOST_HEIGHT)
        return thumbnail_size(value, most)

    def sizeHint(self) -> QSize:
        """Any width, at the height that the tensor needs."""
        return QSize(120, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height to the new width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tensor."""
        if self._value is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(1, 1)
        painter.scale(self._factor(), self._factor())
        box = QRectF(QPointF(0, 0), self._size(self._value))
        paint_thumbnail(painter, box, self._value, self._theme)
        painter.end()


def _origin(spec: InputSpec, seed: int) -> str:
    """Say where the elements come from if they are not shown."""
    if spec.fill in RANDOM_FILLS:
        return translate("Inputs", "Random elements, drawn during the run with seed {0}.").format(
            seed
        )
    if spec.fill == "given":
        return translate("Inputs", "As created by the file; choose another fill to change it.")
    if math.prod(spec.shape) > MOST_VALUES:
        return translate("Inputs", "Only tensors of up to {0} elements are shown here.").format(
            format_count(MOST_VALUES)
        )
    return ""


def _kinds() -> tuple[FormEntry, ...]:
    """Kinds of arguments: tensor, None, literal or file."""
    return (
        (
            "tensor",
            translate("Inputs", "tensor"),
            translate("Inputs", "A tensor with the elements below"),
        ),
        ("none", "None", translate("Inputs", "None, for instance for a bias that is left out")),
        (
            "object",
            translate("Inputs", "literal"),
            translate("Inputs", "A Python literal: a number, a string, a list …"),
        ),
        (
            "file",
            translate("Inputs", "file"),
            translate("Inputs", "A tensor in a file of NumPy, torch or safetensors"),
        ),
    )


def _dtypes(own: InputSpec) -> tuple[FormEntry, ...]:
    """All dtypes, including an unusual one of the original tensor."""
    names = DTYPES if own.kind != "tensor" or own.dtype in DTYPES else (*DTYPES, own.dtype)
    with_gradient, without = (
        translate("Inputs", "can require gradients"),
        translate("Inputs", "cannot require gradients"),
    )
    return tuple(
        (name, name, without if name in INTEGER_RANGES else with_gradient) for name in names
    )


def _fills(own: InputSpec) -> tuple[FormEntry, ...]:
    """The ways to create elements; ``given`` only if the file creates the tensor itself."""
    offered = (
        (
            "arange",
            translate("Inputs", "0, 1, 2 and so on, row by row: torch.arange(…).reshape(…)"),
        ),
        (
            "linspace",
            translate("Inputs", "Evenly spaced from start to end: torch.linspace(…).reshape(…)"),
        ),
        ("zeros", translate("Inputs", "All 0: torch.zeros")),
        ("ones", translate("Inputs", "All 1: torch.ones")),
        ("full", translate("Inputs", "All the same number: torch.full")),
        ("eye", translate("Inputs", "1 on the diagonal, 0 elsewhere: torch.eye")),
        (
            "randn",
            translate(
                "Inputs", "Random numbers from the standard normal distribution: torch.randn"
            ),
        ),
        (
            "rand",
            translate(
                "Inputs", "Random numbers from the uniform distribution on [0, 1): torch.rand"
            ),
        ),
        ("randint", translate("Inputs", "Random integers from low to below high: torch.randint")),
        ("values", translate("Inputs", "Typed one by one, or pasted")),
        ("given", translate("Inputs", "As created by the file")),
    )
    has_own = own.kind == "tensor" and own.fill == "given"
    return tuple((name, name, tip) for name, tip in offered if name != "given" or has_own)


def _is_tensor(values: dict[str, Any]) -> bool:
    kind: str | None = values["kind"]
    return kind == "tensor"


class ArgumentFields(FieldForm):
    """Shows a `ArgumentDraft` and reports edits without applying them.

    The elements are shown if they are known, otherwise where they come from. ``parameter 0`` and
    ``parameter 1`` are the names of the fill's parameters, ``cells`` that of all elements, and
    ``cell 3`` that of an element that is being typed, whose value are all elements, too.

    Args:
        own: The argument's original input in the scene or the file.
        theme: Colors and fonts.
    """

    def __init__(self, own: InputSpec, theme: Theme) -> None:
        super().__init__(theme, is_muted=True, has_history=True)
        self._name = own.name
        self._own = own
        self.editor: CellsEditor | None = None
        self.preview = FillPreview(theme)
        self.preview.setAccessibleName(self.tr("{0}: preview of the fill").format(own.name))
        self.refusal = FieldMessage("error", theme)
        self.elements_problem = FieldMessage("error", theme)
        self.elements_note = FieldMessage("note", theme)
        self.grad_note = FieldMessage("note", theme)
        self.text_note = FieldMessage("note", theme)
        self._add_value()
        self._add_tensor()
        elements = QWidget()
        messages = (self.refusal, self.elements_problem, self.elements_note)
        self._elements = lay_out(QVBoxLayout(elements), self.preview, *messages, gap=4)
        self.add_wide(elements)

    def _add_value(self) -> None:
        self.kind = self.add_field(
            "kind",
            FormComboBox(_kinds()),
            "kind",
            title=self.tr("{0}: kind").format(self._name),
            tip=self.tr("What to pass: a tensor, None, or another object"),
            # The arguments of a script are text, whatever else is chosen.
            shown=lambda values: values["kind"] is not None,
        )
        self.text = self.add_field(
            "text",
            FormTextField(mono=True),
            "literal",
            shown=lambda values: values["kind"] not in ("tensor", "none"),
        )
        self.add(self.text_note)
        endings = " ".join(f"*{each}" for each in TENSOR_SUFFIXES)
        self.browse = self.add_browse(
            "text",
            self.tr("Choose File…"),
            title=self.tr("Choose a Tensor"),
            patterns=self.tr("Tensors ({0})").format(endings),
        )
        self.browse.hide()

    def _add_tensor(self) -> None:
        name = self._name
        self.shape = self.add_field(
            "shape",
            FormTextField(hint=self.tr("scalar")),
            "shape",
            title=self.tr("{0}: shape").format(name),
            tip=self.tr("Shape, like 2×3; empty for a single number"),
            shown=_is_tensor,
        )
        self.dtype = self.add_field(
            "dtype",
            FormComboBox(_dtypes(self._own)),
            "dtype",
            title=self.tr("{0}: dtype").format(name),
            tip=self.tr("dtype"),
            shown=_is_tensor,
        )
        self.fill = self.add_field(
            "fill",
            FormComboBox(_fills(self._own)),
            "fill",
            title=self.tr("{0}: fill").format(name),
            tip=self.tr("How to create the elements"),
            shown=_is_tensor,
        )
        self.parameters = tuple(
            self.add_field(each, FormTextField()) for each in ("parameter 0", "parameter 1")
        )
        self.grad = self.add_field(
            "requires_grad",
            FormCheckBox("requires_grad"),
            title=self.tr("{0}: requires_grad").format(name),
            tip=self.tr("Whether to compute a gradient for it"),
            shown=lambda values: values["kind"] in ("tensor", "file"),
        )
        self.add(self.grad_note)

    @property
    def in_order(self) -> tuple[QWidget, ...]:
        """All editable widgets in tab order."""
        return (*super().in_order, *(() if self.editor is None else self.editor.fields))

    def problem(self, field: FieldName) -> str:
        """The problem of a field as a sentence; empty if it is valid."""
        is_elements = field == "values"
        return self.elements_problem.text() if is_elements else self.lines[field].problem_text

    def refuse(self, sentence: str) -> None:
        """Show why a paste failed; an empty sentence removes the message."""
        self.refusal.say(sentence)
        if self.editor is not None:
            self.editor.view.setAccessibleDescription(sentence)

    def show_draft(self, draft: ArgumentDraft, reading: ArgumentReading, seed: int) -> None:
        """Show a draft with its problems and notes."""
        is_tensor, is_given = draft.kind == "tensor", draft.fill == "given"
        self.show_values(draft)
        self._show_text(draft.kind)
        is_own = draft.kind == "object" and draft.text == self._own.text
        self.text_note.say(self._own.note if is_own else "")
        self.shape.setEnabled(not is_given)
        self.dtype.setEnabled(not is_given)
        self._show_parameters(draft if is_tensor else None)
        self._show_gradient(draft)
        for field in get_args(FieldName):
            if field in self.lines:
                self.lines[field].say(reading.problems.get(field, ""))
        self._show_elements(draft, reading, seed)

    def _show_elements(self, draft: ArgumentDraft, reading: ArgumentReading, seed: int) -> None:
        typed = draft.kind == "tensor" and draft.fill == "values" and "fill" not in reading.problems
        if typed and draft.cells is not None:
            self._made_editor().show_cells(draft.cells, draft.dtype)
        if self.editor is not None:
            self.editor.setVisible(typed)
        self.elements_problem.say(reading.problems.get("values", ""))
        spec = reading.spec if draft.kind == "tensor" else None
        self.preview.show_value(None if spec is None or typed else filled_value(spec))
        origin_notes = [] if spec is None else [_origin(spec, seed)]
        self.elements_note.say(join_sentences((*origin_notes, *reading.notes)))

    def _made_editor(self) -> CellsEditor:
        if self.editor is None:
            # A grid costs more than all other fields together, and few arguments need one.
            self.editor = CellsEditor(self._name, self._theme)
            self.editor.edited.connect(self.edited)
            self.editor.left.connect(self.left)
            self.editor.refused.connect(self.refuse)
            self._elements.insertWidget(0, self.editor)
        return self.editor

    def _show_parameters(self, draft: ArgumentDraft | None) -> None:
        names = () if draft is None else FILL_PARAMETERS.get(draft.fill, ())
        for at, field in enumerate(self.parameters):
            line = self.lines[f"parameter {at}"]
            line.caption.setText(names[at] if at < len(names) else "")
            line.show(at < len(names))
            if draft is not None and at < len(names):
                field.setAccessibleName(f"{self._name}: {names[at]}")
                field.show_value(draft.parameters[at])

    def _show_gradient(self, draft: ArgumentDraft) -> None:
        possible = draft.dtype not in INTEGER_RANGES
        self.grad.show_value(draft.requires_grad and possible)
        self.grad.setEnabled(possible)
        template = self.tr(
            "{0} tensors cannot require gradients. Choose a floating-point or complex dtype."
        )
        why = "" if possible or draft.kind != "tensor" else template.format(draft.dtype)
        self.grad_note.say(why)
        self.grad.setAccessibleDescription(why)

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
        self.lines["text"].caption.setText(caption)
        self.lines["text"].caption.setVisible(bool(caption) and not self.text.isHidden())
        self.text.setPlaceholderText(hint)
        self.text.setAccessibleName(name.format(self._name))
        self.text.setToolTip(tip)
        self.browse.setVisible(kind == "file")
