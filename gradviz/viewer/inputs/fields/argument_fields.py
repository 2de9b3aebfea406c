"""The fields of one argument: its kind, how it is created, and a preview."""

from __future__ import annotations

from functools import partial
from typing import Any, get_args

from PySide6.QtWidgets import QWidget

from gradviz.model.element_encoding import INTEGER_RANGES
from gradviz.model.inputs import DTYPES, FILL_PARAMETERS, TENSOR_SUFFIXES, InputKind, InputSpec
from gradviz.viewer.forms.controls import (
    FormCheckBox,
    FormComboBox,
    FormEntry,
    FormTextField,
)
from gradviz.viewer.forms.form import FieldForm, FieldMessage
from gradviz.viewer.inputs.elements.elements_field import ElementsPart
from gradviz.viewer.inputs.fields.field_reader import ArgumentReading, FieldName
from gradviz.viewer.inputs.form_draft import ArgumentDraft
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate

CAPTIONS = ("kind", "shape", "dtype", "fill", "fill_value", "literal")
"""Captions of the fields; the widest one sets the width of their column."""


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

    ``parameter 0`` and ``parameter 1`` are the names of the fill's parameters, ``cells`` that of
    the elements.

    Args:
        own: The argument's original input in the scene or the file.
        theme: Colors and fonts.
    """

    def __init__(self, own: InputSpec, theme: Theme) -> None:
        super().__init__(theme, is_muted=True, has_history=True)
        self._name = own.name
        self._own = own
        self.grad_note = FieldMessage("note", theme)
        self.text_note = FieldMessage("note", theme)
        self.elements = ElementsPart(self._name, theme)
        self._add_value()
        self._add_tensor()
        self.add_wide(self.elements)
        self.elements.edited.connect(partial(self.edited.emit, "cells"))
        self.elements.left.connect(self.left)

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
        return (*super().in_order, *self.elements.in_order)

    def problem(self, field: FieldName) -> str:
        """The problem of a field as a sentence; empty if it is valid."""
        is_elements = field == "values"
        return self.elements.problem.text() if is_elements else self.lines[field].problem_text

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
        self.elements.show_draft(draft, reading, seed)

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
