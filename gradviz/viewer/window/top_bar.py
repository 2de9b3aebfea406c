"""The header: what is shown, the tabs, and Run, which becomes Stop while something runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QMenu,
    QMenuBar,
    QPushButton,
    QSizePolicy,
    QTabBar,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.position.view_target import ViewTab
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_icon
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip

if TYPE_CHECKING:
    from gradviz.protocol.messages import Device
    from gradviz.viewer.session.work_status import CurrentWork

TABS: tuple[ViewTab, ...] = ("graph", "jacobians", "compare", "training")

_SIDE = 380
"""Width of what is left and right of the tabs, unless the window is narrower."""


_HEIGHT = 52
"""Height in pixels, with the line below it."""

_BETWEEN = 12
"""Space for the margins of the bar at each side."""


class TopBar(QToolBar):
    """A fixed toolbar at the top of the window.

    Args:
        theme: Colors and fonts.
        actions: The window's commands.
        menus: The menu bar, which opens from a button unless the system shows it elsewhere. It
            keeps its keys.
        parent: The window.

    Signals:
        tab_changed: One of `TABS`.
    """

    tab_changed = Signal(str)

    def __init__(
        self, theme: Theme, actions: Actions, menus: QMenuBar, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._menus = menus
        self.setObjectName("top-bar")
        self.setWindowTitle(self.tr("Top Bar"))
        self.setMovable(False)
        self.toggleViewAction().setVisible(False)
        self.subject = ElidedLabel(bold=True, pixels=15, wraps=True)
        self.hint = ElidedLabel(pixels=SMALL_PIXELS)
        self.hint.hide()
        self.menu = self._make_menu()
        self.device = QComboBox()
        self.device.setAccessibleName(self.tr("Device"))
        self.device.setToolTip(self.tr("Device on which inputs are created"))
        self.device.addItem("cpu", "cpu")
        self.device.hide()
        self._actions = actions
        self._run_text, self._stop_text = self.tr("Run again with these inputs"), self.tr("Stop")
        actions.run.setToolTip(tip_of(actions.run, self._run_text))
        actions.stop.setToolTip(tip_of(actions.stop, self.tr("Stop what is running")))
        self._stops = False
        self._problem = ""
        self._invites = False
        self.run = self._make_run()
        self.tabs = QTabBar()
        self.tabs.setObjectName("views")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        # With large text, the bar would hide tabs rather than grow.
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setAccessibleName(self.tr("View"))
        texts = (self.tr("Graph"), self.tr("Jacobians"), self.tr("Compare"), self.tr("Training"))
        for text in texts:
            self.tabs.addTab(text)
        self._lay_out()
        self._theme = theme
        self.update_theme()
        self.tabs.currentChanged.connect(self._on_tabs_changed)
        shows = (
            actions.show_graph,
            actions.show_jacobians,
            actions.show_compare,
            actions.show_training,
        )
        for name, action in zip(TABS, shows, strict=True):
            action.triggered.connect(partial(self.show_tab, name))

    def show_devices(self, devices: tuple[Device, ...]) -> None:
        """Replace the devices, keeping the selected one if possible."""
        chosen = self.device.currentData()
        from gradviz.protocol.messages import Device

        # Filling the list again is not a choice by the user.
        with QSignalBlocker(self.device):
            self.device.clear()
            for device in devices or (Device(name="cpu", title="cpu", has_float64=True),):
                text = device.title
                self.device.addItem(text, device.name)
                if not device.has_float64:
                    at = self.device.count() - 1
                    tip = self.tr("no float64: inputs are created as float32")
                    self.device.setItemData(at, tip, Qt.ItemDataRole.ToolTipRole)
            self.device.setCurrentIndex(max(0, self.device.findData(chosen)))
        self.device.setVisible(self.device.count() > 1)
        self._fit()

    def show_work(self, doing: CurrentWork | None) -> None:
        """Let the button stop the current work, or run again if there is none."""
        self._stops = doing is not None and doing.cancellable
        self._show_button()

    def show_invitation(self, invites: bool) -> None:
        """Leave running to the large button of the graph's page while that invites to run."""
        self._invites = invites
        self._show_button()

    def _show_button(self) -> None:
        run, stops, actions = self.run, self._stops, self._actions
        has_large_one = self._invites and TABS[self.tabs.currentIndex()] in ("graph", "training")
        run.setVisible(stops or not has_large_one)
        run.setText(self._stop_text if stops else self.tr("Run"))
        run.setAccessibleName(run.text())
        # Work that has just ended must not disable it, which would move the focus.
        run.setEnabled(stops or actions.run.isEnabled())
        tip = actions.stop.toolTip() if stops else self._problem or actions.run.toolTip()
        run.setToolTip(tip)
        run.setAccessibleDescription("" if stops else self.hint.text() or self._run_text)
        role: PaletteRole = "text" if stops else "accent_text"
        set_theme_icon(run, self._theme, "stop" if stops else "run", role)
        if run.property("primary") == stops:
            run.setProperty("primary", not stops)
            run.style().unpolish(run)
            run.style().polish(run)

    def show_form(self, problem: str, *, unrun: bool) -> None:
        """Show next to Run whether the inputs are valid and whether they have changed.

        Args:
            problem: Why the inputs cannot be run; empty if they can.
            unrun: Whether they differ from those of the last run.
        """
        keys = self._actions.run.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        changed = self.tr("inputs changed: {0} runs them").format(keys)
        self.hint.setText(problem or (changed if unrun else ""))
        self.hint.setForegroundRole(
            QPalette.ColorRole.BrightText if problem else QPalette.ColorRole.PlaceholderText
        )
        self.hint.setVisible(bool(self.hint.text()))
        self._problem = plain_tooltip(problem) if problem else ""
        self._show_button()

    def place_right(self, widget: QWidget) -> None:
        """Add a widget left of Run."""
        self._right.insertWidget(self._right.count() - 1, widget)

    def show_tab(self, name: str) -> None:
        """Switch to a tab by name."""
        self.tabs.setCurrentIndex(TABS.index(name))

    def update_theme(self) -> None:
        """Repaint with another theme."""
        # Reserve both lines, so that the graph does not move when a hint appears.
        lines = (self.subject, self.hint)
        self._names.setMinimumHeight(sum(line.minimumSizeHint().height() for line in lines))
        self._show_button()
        set_theme_icon(self.menu, self._theme, "menu")
        # Larger text makes it as high as it needs to be.
        self.setMinimumHeight(_HEIGHT)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave space for the title."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Keep the tabs centered."""
        spare = (self.width() - self.tabs.sizeHint().width()) // 2 - _BETWEEN
        for widget in self._sides:
            # Equal widths on both sides keep the tabs centered. Where they are too wide, Qt would
            # hide the tabs and what follows.
            widget.setMinimumWidth(max(1, min(_SIDE, spare)))

    def _make_menu(self) -> QToolButton:
        button = QToolButton()
        button.setObjectName("menu")
        button.setAutoRaise(True)
        button.setIconSize(QSize(20, 20))
        button.setAccessibleName(self.tr("Menu"))
        button.setToolTip(self.tr("Menu"))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(self._on_menu_about_to_show)
        button.setMenu(menu)
        if self._menus.isNativeMenuBar():
            button.hide()
        else:
            # Still visible to Qt, so that Alt and a letter open its menus.
            self._menus.setFixedHeight(0)
            for each in self._menus.findChildren(QToolButton):
                each.setAccessibleName(button.accessibleName())
                each.setToolTip(button.toolTip())
        return button

    def _make_run(self) -> QPushButton:
        button = QPushButton(self._stop_text)
        button.setProperty("primary", True)
        button.setIconSize(QSize(16, 16))
        button.setMinimumHeight(30)
        policy = button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        button.setSizePolicy(policy)
        # A click keeps the focus where it is, and disabling the button cannot lose it.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self._on_run_clicked)
        self._actions.run.enabledChanged.connect(self._show_button)
        self._actions.stop.enabledChanged.connect(self._show_button)
        return button

    def _lay_out(self) -> None:
        self._sides = left, right = QWidget(), QWidget()
        row = lay_out(QHBoxLayout(left), margins=(14, 2, 24, 2), gap=10)
        self._names = QWidget()
        # Without a hint, a long title takes both lines.
        self.subject.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        lay_out(QVBoxLayout(self._names), self.subject, self.hint, gap=0)
        row.addWidget(self.menu)
        row.addWidget(self._names, 1)
        row.addWidget(self.device)
        self._right = lay_out(QHBoxLayout(right), 1, self.run, margins=(24, 6, 14, 6), gap=10)
        for side in (left, right):
            side.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(left)
        self.addWidget(self.tabs)
        self.addWidget(right)

    def _on_menu_about_to_show(self) -> None:
        self.menu.menu().clear()
        self.menu.menu().addActions(self._menus.actions())

    def _on_run_clicked(self) -> None:
        (self._actions.stop if self._stops else self._actions.run).trigger()

    def _on_tabs_changed(self, at: int) -> None:
        self._show_button()
        self.tab_changed.emit(TABS[at])
