"""Row of input fields for a new breakpoint."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    BreakpointTarget,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.viewer.forms.controls import (
    FieldError,
    FormComboBox,
    FormDecimalField,
    FormTextField,
)
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_TARGETS: dict[str, tuple[Callable[..., BreakpointTarget], tuple[str, ...]]] = {
    "nan": (partial(WhenNotFinite, kind="nan"), ("appears",)),
    "inf": (partial(WhenNotFinite, kind="inf"), ("appears",)),
    "norm": (WhenNorm, ("above", "gradients", "appears")),
    "shape": (WhenShape, ()),
    "dtype": (WhenDtype, ()),
    "sign": (WhenSign, ("name", "element", "gradient")),
    "printed": (WhenPrinted, ()),
    "raised": (WhenRaised, ()),
    "function": (AtFunction, ("name", "direction")),
}
"""The target of each kind, and its attributes, which are the fields that the kind needs."""


def _read_element(text: str) -> tuple[int, ...]:
    try:
        element = tuple([int(part) for part in text.split(",") if part.strip()])
    except ValueError:
        element = (-1,)
    if all(at >= 0 for at in element):
        return element
    raise FieldError(
        translate(
            "Breakpoints",
            "Enter the element's indices: whole numbers from 0, separated by commas, one per "
            "dimension.",
        )
    )


_MOST_SAID = 460


class ConditionEditor(FieldForm):
    """A kind of condition, the fields it needs, and a button to add the breakpoint.

    Signals:
        target_set: Target of the new breakpoint.
    """

    target_set = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent, row=FlowLayout(gap=8))
        self.kind = self.add_field(
            "kind",
            FormComboBox(
                (
                    ("nan", self.tr("a NaN")),
                    ("inf", self.tr("an Inf")),
                    ("norm", self.tr("a norm above")),
                    ("shape", self.tr("a shape change")),
                    ("dtype", self.tr("a dtype change")),
                    ("sign", self.tr("a sign change of")),
                    ("printed", self.tr("a print")),
                    ("raised", self.tr("an exception")),
                    ("function", self.tr("each")),
                )
            ),
            self.tr("Stop at"),
            title=self.tr("What to stop at"),
        )
        for name, (title, control) in self._details().items():
            self.add_field(name, control, title=title, shown=partial(_is_needed, name))
        self.add_button = QPushButton(self.tr("Add"))
        self.add_button.setToolTip(self.tr("Add this breakpoint"))
        self._says = PlainLabel(muted=True)
        for widget in (self.add_button, self._says):
            self.add(widget)
        self.edited.connect(self._judge)
        self.submitted.connect(self._on_self_submitted)
        self.add_button.clicked.connect(self._on_self_submitted)
        self._judge()

    def _details(self) -> dict[str, tuple[str, FormComboBox | FormTextField]]:
        """Title and field of each attribute of a target."""
        norm = translate("Breakpoints", "The norm must be a number that is 0 or greater.")
        above = FormDecimalField(norm, width=80)
        above.setPlaceholderText(self.tr("L2 norm, e.g. 100 or 1e3"))
        above.show_value(100)
        gradients = ((True, self.tr("of a gradient")), (False, self.tr("of any tensor")))
        sides = ((True, self.tr("in .grad")), (False, self.tr("in its value")))
        moments = (
            (True, self.tr("where it appears")),
            (False, self.tr("wherever it is present")),
        )
        directions = (
            ("both", self.tr("in both directions")),
            ("forward", self.tr("in forward")),
            ("backward", self.tr("in backward")),
        )
        name = FormTextField(hint=self.tr("name"), read=self._read_name, width=150)
        element = FormTextField(
            hint=self.tr("0, 1"),
            read=_read_element,
            write=lambda index: ", ".join(map(str, index)),
            width=70,
        )
        return {
            "above": (self.tr("Norm"), above),
            "gradients": (self.tr("Tensors to check"), FormComboBox(gradients)),
            "name": (self.tr("Name"), name),
            "element": (self.tr("Element"), element),
            "gradient": (self.tr("Value or gradient"), FormComboBox(sides)),
            "appears": (self.tr("When"), FormComboBox(moments)),
            "direction": (self.tr("Direction"), FormComboBox(directions)),
        }

    def target(self) -> BreakpointTarget:
        """Return the target that the fields describe.

        Raises:
            FieldError: If a field is not valid.
        """
        values = self.values()
        make, _ = _TARGETS[values.pop("kind")]
        return make(**values)

    def offer(self, pinned: WhenSign | None) -> None:
        """Fill in the pinned element."""
        if pinned is None or self.kind.value() == "function":
            return
        self.show_values(pinned)
        self._judge()

    def _read_name(self, text: str) -> str:
        if text.strip():
            return text.strip()
        function = translate(
            "Breakpoints",
            "Enter the name of a function, node or op, such as mul, MulBackward0 or aten::mul.",
        )
        leaf = translate("Breakpoints", "Enter the name of a leaf or variable.")
        raise FieldError(function if self.kind.value() == "function" else leaf)

    def _judge(self) -> None:
        complaint = self.problem_text
        self.add_button.setEnabled(not complaint)
        self._says.show_short(complaint, _MOST_SAID)
        self._says.setVisible(bool(complaint))
        self._says.setToolTip(plain_tooltip(complaint))

    def _on_self_submitted(self) -> None:
        if self.add_button.isEnabled():
            self.target_set.emit(self.target())


def _is_needed(name: str, values: dict[str, Any]) -> bool:
    return name in _TARGETS[values["kind"]][1]
