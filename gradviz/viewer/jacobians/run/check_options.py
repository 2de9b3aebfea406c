"""A menu with the additional checks and modes of a check."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget, QWidgetAction

from gradviz.model.check_settings import CheckSettings, ForwardModeSetting
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.segment_switch import SegmentSwitch

ORDERS = (1, 2)
_SIDE = 7


class CheckOrderSwitch(SegmentSwitch):
    """Selects gradcheck or gradgradcheck.

    Signals:
        order_changed: 1 or 2, chosen by mouse or keyboard.
    """

    order_changed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        first = translate("OrderSwitch", "First order: does backward return the correct gradient?")
        second = translate(
            "OrderSwitch",
            "Second order: can backward be differentiated, and is the result correct?",
        )
        segments = (("gradcheck", first), ("gradgradcheck", second))
        name = translate("OrderSwitch", "Order of the check")
        super().__init__(theme, name, segments, _SIDE)
        self.segment_chosen.connect(self._on_segment_chosen)

    @property
    def order(self) -> int:
        """Selected order, 1 or 2."""
        return ORDERS[self.place]

    def button(self, order: int) -> QToolButton:
        """Button of an order."""
        return self.segment(ORDERS.index(order))

    def choose(self, order: int) -> None:
        """Select an order without emitting a signal."""
        self.button(order).setChecked(True)

    def _on_segment_chosen(self, place: int) -> None:
        self.order_changed.emit(ORDERS[place])


_SWITCHES = (
    "cast",
    "masked",
    "backward_mode",
    "batched",
    "batched_forward",
    "undefined",
    "noncontiguous",
    "fast",
    "battery",
    "variations",
)


class CheckOptionsButton(QToolButton):
    """Opens the menu and shows how many options differ from the defaults.

    Signals:
        changed: The user switched an option.
        reference_requested: Whether to compare with a reference implementation.
    """

    changed = Signal()
    reference_requested = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._menu = QMenu(self)
        # By default Qt shows no tooltips in menus.
        self._menu.setToolTipsVisible(True)
        self._actions: dict[str, QAction] = {}
        self.modes: dict[ForwardModeSetting, QAction] = {}
        self._numbers: tuple[str, ...] = ()
        self._fill()
        # setMenu does not take ownership, so the menu has this button as its parent.
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        # By default, a QToolButton takes the focus only by Tab, not by a click.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show_settings(CheckSettings())
        set_theme_font(self, theme)
        set_theme_icon(self, theme, "more")
        set_theme_font(self._menu, theme)

    def action(self, name: str) -> QAction:
        """Menu action of a field of `CheckSettings`; for ``forward_mode``, the one for ``on``."""
        return self.modes["on"] if name == "forward_mode" else self._actions[name]

    def settings(self, others: CheckSettings) -> CheckSettings:
        """Options from the menu, combined with the other settings."""
        chosen: dict[str, Any] = {name: self._actions[name].isChecked() for name in _SWITCHES}
        mode = next(mode for mode, each in self.modes.items() if each.isChecked())
        return replace(others, **chosen, forward_mode=mode)

    def show_settings(self, settings: CheckSettings) -> None:
        """Show these options without emitting a signal."""
        for name in _SWITCHES:
            self._actions[name].setChecked(getattr(settings, name))
        self._actions["reference"].setChecked(bool(settings.reference))
        self.modes[settings.forward_mode].setChecked(True)
        self._count()

    def place_fields(self, fields: QWidget) -> None:
        """Put fields above the entries of the menu."""
        action = QWidgetAction(self._menu)
        action.setDefaultWidget(fields)
        first = self._menu.actions()[0]
        self._menu.insertAction(first, action)
        self._menu.insertSeparator(first)

    def show_numbers(self, changed: tuple[str, ...]) -> None:
        """Count numbers that differ from the defaults, each as ``eps 1e-05``."""
        self._numbers = changed
        self._count()

    def _fill(self) -> None:
        for name, (text, tip) in self._entries().items():
            action = self._menu.addAction(text)
            action.setCheckable(True)
            action.setToolTip(plain_tooltip(tip))
            self._actions[name] = action
        self._menu.addSeparator()
        # The parent keeps the group alive, and only a group makes the modes exclude each other.
        group = QActionGroup(self)
        modes: tuple[tuple[ForwardModeSetting, str], ...] = (
            ("auto", self.tr("Forward Mode If There Is a jvp")),
            ("on", self.tr("Forward Mode Must Agree")),
            ("off", self.tr("No Forward Mode")),
        )
        for mode, text in modes:
            action = self._menu.addAction(text)
            action.setCheckable(True)
            group.addAction(action)
            self.modes[mode] = action
        # `triggered`, unlike `toggled`, stays silent when `show_settings` checks an action.
        self._menu.triggered.connect(self._on_menu_triggered)

    def _entries(self) -> dict[str, tuple[str, str]]:
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
            "reference": (
                self.tr("Compare with Reference Implementation…"),
                self.tr("Enter a function that computes the same with PyTorch operations"),
            ),
        }

    def _count(self) -> None:
        usual = CheckSettings()
        others = self.settings(usual)
        count = sum(getattr(others, each) != getattr(usual, each) for each in _SWITCHES)
        count += others.forward_mode != usual.forward_mode
        count += self._actions["reference"].isChecked() + len(self._numbers)
        text = self.tr("Options")
        self.setText(self.tr("Options ({count})").format(count=count) if count else text)
        checked = [each.text() for each in self._menu.actions() if each.isChecked()]
        chosen = [*self._numbers, *checked]
        self.setAccessibleDescription(", ".join(chosen))
        self.setToolTip(plain_tooltip("\n".join((self.tr("The check includes:"), *chosen))))

    def _adjust(self, chosen: QAction) -> None:
        """Switch what the chosen action excludes or needs, so that a check can always start."""
        needs_forward = chosen.isChecked() and chosen is self._actions["batched_forward"]
        needs_forward |= not self._actions["backward_mode"].isChecked()
        if chosen in (self.modes["auto"], self.modes["off"]):
            self._actions["batched_forward"].setChecked(False)
            self._actions["backward_mode"].setChecked(True)
        elif chosen in (self._actions["batched"], self._actions["variations"]):
            self._actions["backward_mode"].setChecked(True)
        elif needs_forward:
            self.modes["on"].setChecked(True)
        if not self._actions["backward_mode"].isChecked():
            self._actions["batched"].setChecked(False)
            self._actions["variations"].setChecked(False)

    def _on_menu_triggered(self, action: QAction) -> None:
        self._adjust(action)
        self._count()
        if action is self._actions["reference"]:
            self.reference_requested.emit(action.isChecked())
        else:
            self.changed.emit()
