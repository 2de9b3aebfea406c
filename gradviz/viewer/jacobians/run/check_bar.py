"""The toolbar that starts a check; the header stops it, and the bottom bar shows its progress."""

from __future__ import annotations

from msgspec import structs
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.forms.controls import (
    FieldError,
    FormCheckBox,
    FormComboBox,
    FormDecimalField,
    FormTextField,
)
from gradviz.viewer.forms.form import FieldForm, FormPopup
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.focus_ring import focus_reason
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.segment_switch import SegmentSwitch


def _order_switch(theme: Theme) -> SegmentSwitch:
    first = translate("OrderSwitch", "First order: does backward return the correct gradient?")
    second = translate(
        "OrderSwitch", "Second order: can backward be differentiated, and is the result correct?"
    )
    segments = (("gradcheck", first), ("gradgradcheck", second))
    return SegmentSwitch(theme, translate("OrderSwitch", "Order of the check"), segments, side=7)


class CheckForm(FieldForm):
    """The fields of `CheckSettings`."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        positive = self.tr("eps must be a number greater than 0.")
        other = self.tr("{name} must be a number greater than or equal to 0.")
        for name, tip in (
            ("eps", self.tr("Step size of the central difference, in units of the input")),
            ("atol", self.tr("Absolute tolerance")),
            ("rtol", self.tr("Tolerance relative to the numerical value")),
        ):
            is_step = name == "eps"
            problem = positive if is_step else other.format(name=name)
            field = FormDecimalField(problem, is_positive=is_step)
            self.add_field(name, field, name, tip=tip)
        for name, (text, tip) in self._switches().items():
            self.add_field(name, FormCheckBox(text), tip=tip)
        modes = (
            ("auto", self.tr("If There Is a jvp")),
            ("on", self.tr("Must Agree")),
            ("off", self.tr("Off")),
        )
        self.add_field("forward_mode", FormComboBox(modes), self.tr("Forward mode"))
        self.add_field(
            "reference",
            FormTextField(hint=self.tr("FILE.py:NAME or NAME"), read=str.strip),
            self.tr("Reference"),
            title=self.tr("Reference implementation"),
            tip=self.tr(
                "A function that computes the same with PyTorch operations; NAME is in the checked "
                "file"
            ),
        )
        self.arrange(self.caption_width + theme.px(8))
        self.edited.connect(self._on_self_edited)
        self.show_settings(CheckSettings())

    def _switches(self) -> dict[str, tuple[str, str]]:
        """Text and tooltip of each switch."""
        return {
            "cast": (
                self.tr("Cast Inputs to float64"),
                self.tr("Avoid differences caused by rounding in a lower precision"),
            ),
            "masked": (
                self.tr("Masked Sparse Inputs"),
                self.tr("Vary only the specified elements of sparse inputs"),
            ),
            "backward_mode": (
                self.tr("Backward Mode"),
                self.tr("Compare backward; without it, only forward mode is compared"),
            ),
            "batched": (
                self.tr("Batched Gradients"),
                self.tr("Compare vmap over backward with a loop over it"),
            ),
            "batched_forward": (
                self.tr("Batched Forward Mode"),
                self.tr("Compare vmap over forward mode with a loop over it"),
            ),
            "undefined": (
                self.tr("Undefined Gradients"),
                self.tr("Try undefined gradients and tangents, as gradcheck does"),
            ),
            "noncontiguous": (
                self.tr("Non-contiguous Gradients"),
                self.tr("For gradgradcheck, draw incoming gradients that are not contiguous"),
            ),
            "fast": (
                self.tr("Fast Mode"),
                self.tr(
                    "Compare products with random vectors first, and full matrices only if needed"
                ),
            ),
            "battery": (
                self.tr("Other Incoming Gradients"),
                self.tr("Try gradients that gradcheck never tries: expanded, zeros, None, NaN…"),
            ),
            "variations": (
                self.tr("Input Variations"),
                self.tr("Vary the inputs: size 1, empty, other strides, None…"),
            ),
        }

    def show_settings(self, settings: CheckSettings) -> None:
        """Show other settings; those that have no field count for the next check, too."""
        # Inputs are shifted for one check only, and an element is sampled by one only.
        self._rest = structs.replace(settings, nudge=0.0, curve=None)
        self.show_values(settings)

    def settings(self) -> CheckSettings:
        """Return the settings of the next check.

        Raises:
            FieldError: If a number is not valid.
        """
        return structs.replace(self._rest, **self.values())

    def changed(self) -> list[str]:
        """Names of the fields that differ from gradcheck's defaults."""
        return [name for name in self.controls if self._is_changed(name)]

    def included(self) -> list[str]:
        """What the check includes, and each changed number and text, as shown to the user."""
        texts: list[str] = []
        for name, control in self.controls.items():
            match control:
                case FormTextField() if self._is_changed(name):
                    texts.append(f"{self.lines[name].caption.text()} {control.text()}")
                case FormCheckBox() if control.value():
                    texts.append(control.text())
                case FormComboBox():
                    texts.append(f"{self.lines[name].caption.text()}: {control.currentText()}")
        return texts

    def _is_changed(self, name: str) -> bool:
        try:
            is_changed: bool = self.controls[name].value() != getattr(CheckSettings(), name)
        except FieldError:
            return True
        return is_changed

    def _on_self_edited(self, name: str) -> None:
        settings = compatible(structs.replace(CheckSettings(), **self.choices), name)
        for each in self.choices:
            self.controls[each].show_value(getattr(settings, each))


def compatible(settings: CheckSettings, name: str) -> CheckSettings:
    """Switch what a chosen setting excludes or needs, so that a check can always start.

    Args:
        settings: The settings after the choice.
        name: Name of the setting that was chosen.
    """
    if name == "forward_mode" and settings.forward_mode != "on":
        settings = structs.replace(settings, batched_forward=False, backward_mode=True)
    elif name in ("batched", "variations"):
        settings = structs.replace(settings, backward_mode=True)
    elif settings.batched_forward or not settings.backward_mode:
        settings = structs.replace(settings, forward_mode="on")
    if not settings.backward_mode:
        settings = structs.replace(settings, batched=False, variations=False)
    return settings


class CheckOptionsButton(QToolButton):
    """Opens the form and shows how many settings differ from the defaults."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.form = CheckForm(theme)
        self.popup = FormPopup(self.form, self)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        # By default, a QToolButton takes the focus only by Tab, not by a click.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(self._on_clicked)
        self.show_changed()
        set_theme_font(self, theme)
        set_theme_icon(self, theme, "more")

    def show_changed(self) -> None:
        """Show what differs from the defaults."""
        count, included = len(self.form.changed()), self.form.included()
        text = self.tr("Options")
        self.setText(self.tr("Options ({count})").format(count=count) if count else text)
        self.setAccessibleDescription(", ".join(included))
        self.setToolTip(plain_tooltip("\n".join((self.tr("The check includes:"), *included))))

    def _on_clicked(self) -> None:
        self.popup.open_at(self.mapToGlobal(self.rect().bottomLeft()))


class CheckBar(QWidget):
    """Order, Options and Check.

    Signals:
        check_requested: The `CheckSettings` and the order, 1 or 2.

    Attributes:
        problem: Reason why no check can start; without a text if one can.
    """

    check_requested = Signal(object, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._reason = ""
        self.switch = _order_switch(theme)
        self.options = CheckOptionsButton(theme)
        self.form = self.options.form
        self.check_button = QPushButton(self.tr("Check"))
        self.check_button.setProperty("primary", True)
        self.check_button.setToolTip(
            self.tr("Compute both Jacobians, as torch's gradcheck and gradgradcheck do")
        )
        self._is_running = self._is_asked = False
        self.problem = PlainLabel()
        self.problem.setWordWrap(False)
        row = FlowLayout(self, gap=6)
        for part in (self.switch, self.options, self.check_button, self.problem):
            row.addWidget(part)
        self.form.edited.connect(self._judge)
        self.form.submitted.connect(self.request)
        self.check_button.clicked.connect(self.request)
        set_theme_font(self.check_button, theme)
        set_theme_icon(self.check_button, theme, "run", "accent_text")
        self.show_running(False)

    @property
    def order(self) -> int:
        """Selected order: 1 for gradcheck, 2 for gradgradcheck."""
        return self.switch.place + 1

    def choose_order(self, order: int) -> None:
        """Select an order without a signal."""
        self.switch.segment(order - 1).setChecked(True)

    def settings(self) -> CheckSettings | None:
        """Settings from all fields; None if a number is not valid."""
        return None if self.form.problem_text else self.form.settings()

    def show_settings(self, settings: CheckSettings) -> None:
        """Put other settings into the fields, as if the user had entered them."""
        self.form.show_settings(settings)
        self._judge()

    def start(self, settings: CheckSettings) -> None:
        """Request a check with other settings, which stay in the fields."""
        self.show_settings(settings)
        if self.check_button.isEnabled():
            self.check_requested.emit(settings, self.order)

    def request(self) -> None:
        """Request a check with the settings of the fields, if one can start; else show why."""
        settings = self.settings()
        if settings is None:
            self.options.popup.open_again()
        elif self.check_button.isEnabled():
            self.options.popup.close()
            self.check_requested.emit(settings, self.order)

    def request_order(self, order: int) -> None:
        """Choose the order, and request a check."""
        self.choose_order(order)
        self.request()

    def set_reason(self, reason: str) -> None:
        """Set the reason why nothing can be checked; empty if a check can start."""
        self._reason = reason
        self._judge()

    def show_running(self, running: bool) -> None:
        """Show whether a check is running; the next one can be prepared meanwhile."""
        focused = self.window().focusWidget()
        if running and focused is self.check_button:
            # It is disabled now, and gets the focus back.
            self._is_asked = True
            self.options.setFocus(focus_reason(self.check_button))
        self._is_running = running
        # The maps that grow are of this order.
        self.switch.setEnabled(not running)
        self._judge()
        if not running:
            if self._is_asked and focused is self.options:
                self.check_button.setFocus(focus_reason(self.options))
            self._is_asked = False

    def _judge(self) -> None:
        text = self.form.problem_text or self._reason
        self.check_button.setEnabled(not text and not self._is_running)
        self.options.show_changed()
        self.problem.show_short(text, 420)
        self.problem.setVisible(bool(text))
