"""Row of input fields for a new breakpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    BreakpointTarget,
    PassDirection,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.wheel_guard import WheelGuard

ConditionKind = Literal[
    "nan", "inf", "norm", "shape", "dtype", "sign", "printed", "raised", "function"
]
ConditionField = Literal["moment", "limit", "among", "name", "element", "side", "direction"]

FIELDS: dict[ConditionKind, tuple[ConditionField, ...]] = {
    "nan": ("moment",),
    "inf": ("moment",),
    "norm": ("limit", "among", "moment"),
    "shape": (),
    "dtype": (),
    "sign": ("name", "element", "side"),
    "printed": (),
    "raised": (),
    "function": ("name", "direction"),
}
"""Fields that each kind needs, in the order of display."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionDraft:
    """Contents of the input fields.

    Attributes:
        kind: What to stop at.
        appears: Whether to stop only where it appears.
        limit: Limit of a norm, as typed.
        gradients: Whether only gradients count.
        name: Name of a function, leaf or variable, as typed.
        element: Indices separated by commas, as typed.
        gradient: Whether a leaf's ``.grad`` is meant.
        direction: Which steps of a function count.
    """

    kind: ConditionKind
    appears: bool = True
    limit: str = ""
    gradients: bool = True
    name: str = ""
    element: str = ""
    gradient: bool = True
    direction: PassDirection = "both"


def read_condition(draft: ConditionDraft) -> BreakpointTarget | str:
    """Return the breakpoint target, or a sentence on what is missing."""
    name = draft.name.strip()
    match draft.kind:
        case "nan" | "inf":
            return WhenNotFinite(kind=draft.kind, appears=draft.appears)
        case "norm":
            return _norm(draft)
        case "sign":
            return _sign(draft, name)
        case "function":
            if not name:
                return translate(
                    "Breakpoints",
                    "Enter the name of a function, node or op, such as mul, MulBackward0 or "
                    "aten::mul.",
                )
            return AtFunction(name=name, direction=draft.direction)
        case "shape":
            return WhenShape()
        case "dtype":
            return WhenDtype()
        case "printed":
            return WhenPrinted()
        case "raised":
            return WhenRaised()


def _norm(draft: ConditionDraft) -> BreakpointTarget | str:
    try:
        limit = float(draft.limit)
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit) or limit < 0:
        return translate("Breakpoints", "The norm must be a number that is 0 or greater.")
    return WhenNorm(above=limit, gradients=draft.gradients, appears=draft.appears)


def _sign(draft: ConditionDraft, name: str) -> BreakpointTarget | str:
    if not name:
        return translate("Breakpoints", "Enter the name of a leaf or variable.")
    try:
        element = tuple([int(part) for part in draft.element.split(",") if part.strip()])
    except ValueError:
        element = (-1,)
    if any(at < 0 for at in element):
        return translate(
            "Breakpoints",
            "Enter the element's indices: whole numbers from 0, separated by commas, one per "
            "dimension.",
        )
    return WhenSign(name=name, element=element, gradient=draft.gradient)


_WIDTHS: dict[ConditionField, int] = {"limit": 80, "name": 150, "element": 70}
_HEIGHT = 26
_DIRECTIONS: dict[str, PassDirection] = {
    "both": "both",
    "forward": "forward",
    "backward": "backward",
}
_MOST_SAID = 460
_USUAL_LIMIT = "100"


class ConditionEditor(QWidget):
    """A kind of condition, the fields it needs, and a button to add the breakpoint.

    Signals:
        target_set: Target of the new breakpoint.
    """

    target_set = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = self._choice(
            self.tr("What to stop at"),
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
        self._label = QLabel(self.tr("Stop at"))
        self._label.setBuddy(self.kind)
        self.add = QPushButton(self.tr("Add"))
        self.add.setToolTip(self.tr("Add this breakpoint"))
        self._says = PlainLabel(muted=True)
        self.fields = self._make_fields()
        row = FlowLayout(self, gap=8)
        for widget in (self._label, self.kind, *self.fields.values(), self.add, self._says):
            row.addWidget(widget)
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.add.clicked.connect(self._on_add_clicked)
        self._theme = theme
        set_theme_font(self._label, theme)
        self.update_theme()
        self._on_kind_changed()

    def _make_fields(self) -> dict[ConditionField, QComboBox | QLineEdit]:
        return {
            "limit": self._text(self.tr("Norm"), _USUAL_LIMIT, self.tr("L2 norm, e.g. 100 or 1e3")),
            "among": self._choice(
                self.tr("Tensors to check"),
                ("gradients", self.tr("of a gradient")),
                ("any", self.tr("of any tensor")),
            ),
            "name": self._text(self.tr("Name"), "", self.tr("name")),
            "element": self._text(self.tr("Element"), "", self.tr("0, 1")),
            "side": self._choice(
                self.tr("Value or gradient"),
                ("gradient", self.tr("in .grad")),
                ("value", self.tr("in its value")),
            ),
            "moment": self._choice(
                self.tr("When"),
                ("appears", self.tr("where it appears")),
                ("is", self.tr("wherever it is present")),
            ),
            "direction": self._choice(
                self.tr("Direction"),
                ("both", self.tr("in both directions")),
                ("forward", self.tr("in forward")),
                ("backward", self.tr("in backward")),
            ),
        }

    def _choice(self, name: str, *entries: tuple[str, str]) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        for value, text in entries:
            box.addItem(text, value)
        WheelGuard(box)
        return box

    def _text(self, name: str, text: str, placeholder: str) -> QLineEdit:
        field = QLineEdit(text)
        field.setAccessibleName(name)
        field.setPlaceholderText(placeholder)
        field.textChanged.connect(self._judge)
        field.returnPressed.connect(self._on_add_clicked)
        return field

    @property
    def problem_text(self) -> str:
        """What is missing in the fields, as a sentence; empty if nothing is."""
        found = read_condition(self.draft())
        return found if isinstance(found, str) else ""

    def draft(self) -> ConditionDraft:
        """Return the contents of the fields."""
        return ConditionDraft(
            kind=self.kind.currentData(),
            appears=self._chosen("moment") == "appears",
            limit=self._typed("limit"),
            gradients=self._chosen("among") == "gradients",
            name=self._typed("name"),
            element=self._typed("element"),
            gradient=self._chosen("side") == "gradient",
            direction=_DIRECTIONS[self._chosen("direction")],
        )

    def offer(self, pinned: WhenSign | None) -> None:
        """Fill in the pinned element."""
        name, element = self.fields["name"], self.fields["element"]
        side = self.fields["side"]
        if pinned is None or self.kind.currentData() == "function":
            return
        if isinstance(name, QLineEdit) and isinstance(element, QLineEdit):
            name.setText(pinned.name)
            element.setText(", ".join(map(str, pinned.element)))
        if isinstance(side, QComboBox):
            side.setCurrentIndex(side.findData("gradient" if pinned.gradient else "value"))

    def update_theme(self) -> None:
        """Apply the theme's fonts and sizes."""
        for widget in (self.kind, *self.fields.values(), self.add):
            set_theme_font(widget, self._theme)
            widget.setFixedHeight(self._theme.px(_HEIGHT))
        for name, width in _WIDTHS.items():
            self.fields[name].setFixedWidth(self._theme.px(width))

    def _chosen(self, name: ConditionField) -> str:
        box = self.fields[name]
        return str(box.currentData()) if isinstance(box, QComboBox) else ""

    def _typed(self, name: ConditionField) -> str:
        field = self.fields[name]
        return field.text() if isinstance(field, QLineEdit) else ""

    def _judge(self) -> None:
        complaint = self.problem_text
        self.add.setEnabled(not complaint)
        self._says.show_short(complaint, _MOST_SAID)
        self._says.setVisible(bool(complaint))
        self._says.setToolTip(plain_tooltip(complaint))

    @Slot()
    def _on_kind_changed(self) -> None:
        needed = FIELDS[self.kind.currentData()]
        for name, field in self.fields.items():
            field.setVisible(name in needed)
        self._judge()

    @Slot()
    def _on_add_clicked(self) -> None:
        target = read_condition(self.draft())
        if not isinstance(target, str):
            self.target_set.emit(target)
