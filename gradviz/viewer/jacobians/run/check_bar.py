"""The toolbar that starts a check; the header stops it, and the bottom bar shows its progress."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.jacobians.run.check_options import CheckOptionsButton, CheckOrderSwitch
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.focus_ring import focus_reason
from gradviz.viewer.widgets.plain_text import PlainLabel


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
        self.options = CheckOptionsButton(theme)
        self.form = self.options.form
        self.check_button = QPushButton(self.tr("Check"))
        self.check_button.setProperty("primary", True)
        self.check_button.setToolTip(
            self.tr("Compute both Jacobians, as torch's gradcheck and gradgradcheck do")
        )
        self._is_running = self._is_asked = False
        self._says = PlainLabel()
        self._says.setWordWrap(False)
        row = FlowLayout(self, gap=6)
        for part in (self.switch, self.options, self.check_button, self._says):
            row.addWidget(part)
        self.form.edited.connect(self._judge)
        self.form.submitted.connect(self.request)
        self.switch.order_changed.connect(self.order_changed)
        self.check_button.clicked.connect(self.request)
        set_theme_font(self.check_button, theme)
        set_theme_icon(self.check_button, theme, "run", "accent_text")
        self.show_running(False)

    @property
    def problem_text(self) -> str:
        """Reason why no check can start; empty if one can."""
        return self._says.text()

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
            self.check_requested.emit(settings, self.switch.order)

    def request(self) -> None:
        """Request a check with the settings of the fields, if one can start; else show why."""
        settings = self.settings()
        if settings is None:
            self.options.popup.open_again()
        elif self.check_button.isEnabled():
            self.options.popup.close()
            self.check_requested.emit(settings, self.switch.order)

    def request_order(self, order: int) -> None:
        """Choose the order, and request a check."""
        self.switch.choose(order)
        self.request()

    def show_options(self, place: QPoint) -> None:
        """Open the form of options at a place on the screen."""
        self.options.popup.open_at(place)

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
        self._says.show_short(text, 420)
        self._says.setVisible(bool(text))
