"""The toolbar that starts a check; the header stops it, and the bottom bar shows its progress."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.forms.controls import read_decimal
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.jacobians.run.check_options import CheckOptionsButton, CheckOrderSwitch
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.focus_ring import focus_reason
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip, show_text

_REFERENCE, _NUMBER = 160, 76
"""Width of the reference field and of a number, in pixels at font scale 1."""


class CheckBar(QWidget):
    """Order, Options and Check.

    Signals:
        check_requested: The `CheckSettings` and the order, 1 or 2.
        order_changed: The order that the user chose, 1 or 2.
    """

    check_requested = Signal(object, int)
    order_changed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._reason = ""
        self.switch = CheckOrderSwitch(theme)
        self._rest = CheckSettings()
        self.options = CheckOptionsButton(theme)
        self.reference = QLineEdit()
        self.reference.setAccessibleName(self.tr("Reference implementation"))
        self.reference.setPlaceholderText(self.tr("FILE.py:NAME or NAME"))
        self.reference.setToolTip(
            plain_tooltip(
                self.tr(
                    "A function that computes the same with PyTorch operations; NAME is "
                    "in the checked file"
                )
            )
        )
        self.reference.hide()
        self.numbers = FieldForm(theme, row=QHBoxLayout())
        self.numbers.setContentsMargins(9, 9, 9, 9)
        tips = {
            "eps": self.tr("Step size of the central difference, in units of the input"),
            "atol": self.tr("Absolute tolerance"),
            "rtol": self.tr("Tolerance relative to the numerical value"),
        }
        self.fields = {
            name: self.numbers.add_text(name, name, tip=tip, width=_NUMBER)
            for name, tip in tips.items()
        }
        self._show_numbers(CheckSettings())
        self.check_button = QPushButton(self.tr("Check"))
        self.check_button.setProperty("primary", True)
        self.check_button.setToolTip(
            self.tr("Compute both Jacobians, as torch's gradcheck and gradgradcheck do")
        )
        self._is_running = self._is_asked = False
        self._says = PlainLabel()
        self._lay_out()
        self._connect()
        self._theme = theme
        for part in (self.check_button, self.reference):
            set_theme_font(part, theme)
        set_theme_icon(self.check_button, theme, "run", "accent_text")
        self.update_theme()
        self.show_running(False)

    @property
    def problem_text(self) -> str:
        """Reason why no check can start; empty if one can."""
        return self._says.text()

    def settings(self) -> CheckSettings | None:
        """Settings from all fields; None if a number is not valid."""
        numbers = self._numbers()
        if None in numbers.values():
            return None
        reference = "" if self.reference.isHidden() else self.reference.text().strip()
        rest = self.options.settings(replace(self._rest, reference=reference))
        return replace(rest, **numbers)

    def show_settings(self, settings: CheckSettings) -> None:
        """Put other settings into the fields and the menu, as if the user had entered them."""
        self._rest = replace(settings, nudge=0.0)  # Inputs are shifted for one check only.
        self._show_numbers(settings)
        self.options.show_settings(settings)
        show_text(self.reference, settings.reference)
        self._on_numbers_edited()

    def start(self, settings: CheckSettings) -> None:
        """Request a check with other settings, which stay in the fields."""
        self.show_settings(settings)
        if self.check_button.isEnabled():
            self.check_requested.emit(settings, self.switch.order)

    def request(self) -> None:
        """Request a check with the settings of the fields, if one can start."""
        settings = self.settings()
        if settings is not None and self.check_button.isEnabled():
            self.options.menu().close()
            self.check_requested.emit(settings, self.switch.order)

    def request_order(self, order: int) -> None:
        """Choose the order, and request a check."""
        self.switch.choose(order)
        self.request()

    def show_options(self, place: QPoint) -> None:
        """Open the menu of options, which has the fields, at a place on the screen."""
        self.options.menu().popup(place)
        self.fields["eps"].setFocus()

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

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self.reference.setFixedWidth(self._theme.px(_REFERENCE))

    def _lay_out(self) -> None:
        row = FlowLayout(self, gap=6)
        row.addWidget(self.switch)
        self.options.place_fields(self.numbers)
        row.addWidget(self.options)
        row.addWidget(self.reference)
        self._says.setWordWrap(False)
        for part in (self.check_button, self._says):
            row.addWidget(part)

    def _connect(self) -> None:
        self.numbers.edited.connect(self._on_numbers_edited)
        self.numbers.submitted.connect(self.request)
        self.reference.returnPressed.connect(self.request)
        self.options.reference_requested.connect(self._on_options_reference_requested)
        self.switch.order_changed.connect(self.order_changed)
        self.check_button.clicked.connect(self.request)

    def _judge(self) -> None:
        bad = [name for name, number in self._numbers().items() if number is None]
        text = self._reason
        if bad and bad[0] == "eps":
            text = self.tr("eps must be a number greater than 0.")
        elif bad:
            text = self.tr("{name} must be a number greater than or equal to 0.").format(
                name=bad[0]
            )
        self.check_button.setEnabled(not text and not self._is_running)
        self._says.show_short(text, 420)
        self._says.setVisible(bool(text))

    def _numbers(self) -> dict[str, float | None]:
        """The numbers of the fields, None where a text is not valid."""
        return {
            name: read_decimal(field.text(), is_positive=name == "eps")
            for name, field in self.fields.items()
        }

    def _show_numbers(self, settings: CheckSettings) -> None:
        for name, field in self.fields.items():
            field.show_value(f"{getattr(settings, name):g}")

    def _on_numbers_edited(self) -> None:
        usual = CheckSettings()
        changed = (name for name, each in self._numbers().items() if each != getattr(usual, name))
        self.options.show_numbers(tuple(f"{name} {self.fields[name].text()}" for name in changed))
        self._judge()

    def _on_options_reference_requested(self, wanted: bool) -> None:
        self.reference.setVisible(wanted)
        if wanted:
            self.reference.setFocus()
