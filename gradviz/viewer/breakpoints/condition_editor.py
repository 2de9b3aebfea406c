"""Row of input fields for a new breakpoint."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

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
from gradviz.viewer.forms.controls import read_decimal
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_FIELDS: dict[str, tuple[str, ...]] = {
    "nan": ("moment",),
    "inf": ("moment",),
    "norm": ("limit", "among", "moment"),
    "sign": ("name", "element", "side"),
    "function": ("name", "direction"),
}
"""Fields that a kind needs."""

_PLAIN: dict[str, type[WhenShape | WhenDtype | WhenPrinted | WhenRaised]] = {
    "shape": WhenShape,
    "dtype": WhenDtype,
    "printed": WhenPrinted,
    "raised": WhenRaised,
}
"""Targets of the kinds that need no field."""

_DIRECTIONS: dict[str, PassDirection] = {
    "both": "both",
    "forward": "forward",
    "backward": "backward",
}


def read_condition(values: Mapping[str, str]) -> BreakpointTarget | str:
    """Return the target for the values of the fields, or a sentence on what is missing."""
    name, appears = values["name"].strip(), values["moment"] == "appears"
    match values["kind"]:
        case "nan":
            return WhenNotFinite(kind="nan", appears=appears)
        case "inf":
            return WhenNotFinite(kind="inf", appears=appears)
        case "norm":
            return _norm(values, appears)
        case "sign":
            return _sign(values, name)
        case "function":
            if not name:
                return translate(
                    "Breakpoints",
                    "Enter the name of a function, node or op, such as mul, MulBackward0 or "
                    "aten::mul.",
                )
            return AtFunction(name=name, direction=_DIRECTIONS[values["direction"]])
        case kind:
            return _PLAIN[kind]()


def _norm(values: Mapping[str, str], appears: bool) -> BreakpointTarget | str:
    limit = read_decimal(values["limit"])
    if limit is None:
        return translate("Breakpoints", "The norm must be a number that is 0 or greater.")
    return WhenNorm(above=limit, gradients=values["among"] == "gradients", appears=appears)


def _sign(values: Mapping[str, str], name: str) -> BreakpointTarget | str:
    if not name:
        return translate("Breakpoints", "Enter the name of a leaf or variable.")
    try:
        element = tuple([int(part) for part in values["element"].split(",") if part.strip()])
    except ValueError:
        element = (-1,)
    if any(at < 0 for at in element):
        return translate(
            "Breakpoints",
            "Enter the element's indices: whole numbers from 0, separated by commas, one per "
            "dimension.",
        )
    return WhenSign(name=name, element=element, gradient=values["side"] == "gradient")


_MOST_SAID = 460


class ConditionEditor(FieldForm):
    """A kind of condition, the fields it needs, and a button to add the breakpoint.

    Signals:
        target_set: Target of the new breakpoint.
    """

    target_set = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent, row=FlowLayout(gap=8))
        self.kind = self.add_choice(
            "kind",
            self.tr("Stop at"),
            title=self.tr("What to stop at"),
            entries=(
                ("nan", self.tr("a NaN")),
                ("inf", self.tr("an Inf")),
                ("norm", self.tr("a norm above")),
                ("shape", self.tr("a shape change")),
                ("dtype", self.tr("a dtype change")),
                ("sign", self.tr("a sign change of")),
                ("printed", self.tr("a print")),
                ("raised", self.tr("an exception")),
                ("function", self.tr("each")),
            ),
        )
        self._add_details()
        self.add_button = QPushButton(self.tr("Add"))
        self.add_button.setToolTip(self.tr("Add this breakpoint"))
        self._says = PlainLabel(muted=True)
        for widget in (self.add_button, self._says):
            self.add(widget)
        self.edited.connect(self._judge)
        self.submitted.connect(self._on_self_submitted)
        self.add_button.clicked.connect(self._on_self_submitted)
        self._judge()

    def _add_details(self) -> None:
        hint = self.tr("L2 norm, e.g. 100 or 1e3")
        self.add_text("limit", title=self.tr("Norm"), hint=hint, width=80).setText("100")
        self.add_choice(
            "among",
            title=self.tr("Tensors to check"),
            entries=(
                ("gradients", self.tr("of a gradient")),
                ("any", self.tr("of any tensor")),
            ),
        )
        self._name = self.add_text("name", title=self.tr("Name"), hint=self.tr("name"), width=150)
        self._element = self.add_text(
            "element", title=self.tr("Element"), hint=self.tr("0, 1"), width=70
        )
        self._side = self.add_choice(
            "side",
            title=self.tr("Value or gradient"),
            entries=(("gradient", self.tr("in .grad")), ("value", self.tr("in its value"))),
        )
        self.add_choice(
            "moment",
            title=self.tr("When"),
            entries=(
                ("appears", self.tr("where it appears")),
                ("is", self.tr("wherever it is present")),
            ),
        )
        self.add_choice(
            "direction",
            title=self.tr("Direction"),
            entries=(
                ("both", self.tr("in both directions")),
                ("forward", self.tr("in forward")),
                ("backward", self.tr("in backward")),
            ),
        )

    @property
    def problem_text(self) -> str:
        """What is missing in the fields, as a sentence; empty if nothing is."""
        found = read_condition(self.values())
        return found if isinstance(found, str) else ""

    def offer(self, pinned: WhenSign | None) -> None:
        """Fill in the pinned element."""
        if pinned is None or self.kind.value() == "function":
            return
        self._name.show_value(pinned.name)
        self._element.show_value(", ".join(map(str, pinned.element)))
        self._side.show_value("gradient" if pinned.gradient else "value")
        self._judge()

    def _judge(self) -> None:
        needed = ("kind", *_FIELDS.get(self.kind.value(), ()))
        for name, line in self.lines.items():
            line.show(name in needed)
        complaint = self.problem_text
        self.add_button.setEnabled(not complaint)
        self._says.show_short(complaint, _MOST_SAID)
        self._says.setVisible(bool(complaint))
        self._says.setToolTip(plain_tooltip(complaint))

    def _on_self_submitted(self) -> None:
        target = read_condition(self.values())
        if not isinstance(target, str):
            self.target_set.emit(target)
