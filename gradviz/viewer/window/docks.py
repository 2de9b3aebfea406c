"""The docks around the graph, with their initial areas and sizes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QTabBar, QToolButton, QWidget

from gradviz.viewer.actions import without_mnemonic
from gradviz.viewer.panel_spec import DockArea
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.focus_ring import focus_reason
from gradviz.viewer.widgets.wayland import FloatingDockMover, is_wayland
from gradviz.viewer.window.dock_sizes import DockSizes, is_in_front
from gradviz.viewer.window.tab_order import is_stale, is_stop, stops_in


class DockSpace(QObject):
    """Hides docks for a tab and shows them again."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        super().__init__(window)
        self._docks = docks
        self._taken: list[tuple[QDockWidget, bool]] = []

    def hide_docks(self, wanted: Iterable[QDockWidget]) -> None:
        """Hide docks, except a guide that is being read, as it may have led here."""
        self.restore_docks()
        guide = self._docks["guide"]
        read = is_in_front(guide)
        for dock in wanted:
            kept = read and dock is guide
            if not dock.isHidden() and not dock.isFloating() and not kept:
                self._taken.append((dock, is_in_front(dock)))
        # In a second loop, since hiding a tab brings another one to the front.
        for dock, _ in self._taken:
            dock.hide()

    def restore_docks(self) -> None:
        """Show the hidden docks again and raise those that were in front."""
        taken, self._taken = self._taken, []
        for dock, _ in taken:
            dock.show()
        # `show` does not restore which tab was in front.
        for dock, in_front in taken:
            if in_front:
                dock.raise_()


WIDE = 1600
"""Width in pixels from which the source fits beside a tab with wide content."""

_FEATURE = QDockWidget.DockWidgetFeature

_LEAST_HEIGHT = 60
"""Minimum height of a panel on the right, fixed so that its content cannot resize the others."""


class Docks(QObject):
    """The docks of a window by name, in the order of the Panels menu.

    Args:
        window: The window.
        theme: Gives the text size.
        center: The view between the docks, to which the focus of a dock that is closed goes.
    """

    def __init__(self, window: QMainWindow, theme: Theme, center: QWidget) -> None:
        super().__init__(window)
        window.installEventFilter(self)
        self._window, self._center = window, center
        self._docks: dict[str, QDockWidget] = {}
        self._on_right: set[str] = set()
        self.sizes = DockSizes(window, theme)
        window.setDockNestingEnabled(True)
        area = Qt.DockWidgetArea
        # The side docks reach down to the bottom; those at the bottom are as wide as the graph.
        window.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)

    def add(self, name: str, title: str, area: DockArea) -> QDockWidget:
        """Create an empty dock; one for the left gets its place from `SidePanels`.

        Args:
            name: Identifies the dock in the stored layout; never shown and never changed.
            title: The title, with the mnemonic for the menu.
            area: The initial area.
        """
        dock = QDockWidget(without_mnemonic(title), self._window)
        toggle = dock.toggleViewAction()
        toggle.setText(title)
        # After the window has laid the dock out, or it could not take the focus.
        toggle.triggered.connect(partial(self._enter, dock), Qt.ConnectionType.QueuedConnection)
        # `saveState` and `restoreState` identify docks by their object names.
        dock.setObjectName(name)
        dock.installEventFilter(self)
        if is_wayland():
            dock.setFeatures(_FEATURE.DockWidgetClosable | _FEATURE.DockWidgetFloatable)
            FloatingDockMover(dock)
        dock.setWidget(_ground())
        self._docks[name] = dock
        if area == "right":
            self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
            self._on_right.add(name)
        self.sizes.add(dock)
        return dock

    def fill(self, name: str, panel: QWidget) -> None:
        """Put a panel into its dock."""
        ground = self._docks[name].widget()
        self._docks[name].setWidget(panel)
        if name in self._on_right:
            panel.setMinimumHeight(_LEAST_HEIGHT)
        if ground is not None:
            ground.deleteLater()

    def stack(self, front: str, *others: str) -> None:
        """Stack docks as tabs."""
        docks = [self._docks[name] for name in others]
        self.sizes.stack(front, *others)
        for before, after in pairwise((self._docks[front], *docks)):
            # Qt leaves an extra tab bar behind for each intermediate stack of two visible docks.
            after.hide()
            self._window.tabifyDockWidget(before, after)
        for dock in docks:
            dock.show()
        self._docks[front].raise_()

    def tabify_behind(self, name: str, front: str) -> None:
        """Add a dock as a hidden tab behind another one."""
        dock = self._docks[name]
        self.sizes.stack(front, name)
        # As in `stack`, Qt would otherwise leave a tab bar behind.
        dock.hide()
        self._window.tabifyDockWidget(self._docks[front], dock)
        # Raise it when it is shown, as it would otherwise stay hidden behind the other.
        dock.toggleViewAction().triggered.connect(dock.raise_)

    def _enter(self, dock: QDockWidget) -> None:
        """Bring a dock to the front that the user has shown, and give it the focus."""
        focus = QApplication.focusWidget()
        if dock.isHidden() or (focus is not None and dock.isAncestorOf(focus)):
            return
        dock.raise_()
        _focus_first(dock.widget(), Qt.FocusReason.ShortcutFocusReason)

    def _follow(self, dock: QDockWidget, event: QEvent) -> bool:
        """Return whether a dock is not to be closed; if it is hidden, take care of the focus."""
        if event.type() == QEvent.Type.Close and self._is_behind(dock):
            # Qt's action closes a tab behind others, though nobody sees that it is open.
            event.ignore()
            dock.toggleViewAction().setChecked(True)
            return True
        # A dock also gets the event when its window is hidden.
        if event.type() == QEvent.Type.Hide and dock.isHidden():
            focus = QApplication.focusWidget()
            if focus is not None and dock.isAncestorOf(focus):
                self._leave(dock, focus)
            elif isinstance(focus, QTabBar):
                # Which tabs remain is only known when Qt is done with hiding.
                QTimer.singleShot(0, dock, self._leave_stale_tabs)
        return False

    def _is_behind(self, dock: QDockWidget) -> bool:
        tabs = self._window.tabifiedDockWidgets(dock)
        return not is_in_front(dock) and any(map(is_in_front, tabs))

    def _leave(self, dock: QDockWidget, focus: QWidget) -> None:
        """Move the focus out of a dock that is being hidden, before Qt moves it anywhere."""
        reason = focus_reason(focus)
        tabs = self._window.tabifiedDockWidgets(dock)
        _focus_first(self._center, reason)
        heir = QApplication.focusWidget()

        def enter_front() -> None:
            self._lay_out()
            front = next((each for each in tabs if is_in_front(each)), None)
            if front is not None and QApplication.focusWidget() is heir:
                _focus_first(front.widget(), reason)

        # Which tab comes to the front is only known when Qt is done with hiding this one.
        QTimer.singleShot(0, dock, enter_front)

    def _leave_stale_tabs(self) -> None:
        """Move the focus out of a tab bar whose docks have all been hidden."""
        self._lay_out()
        focus = QApplication.focusWidget()
        if isinstance(focus, QTabBar) and is_stale(focus, self._window):
            _focus_first(self._center, focus_reason(focus))

    def _lay_out(self) -> None:
        layout = self._window.layout()
        assert layout is not None
        layout.activate()

    def bring_to_front(self, name: str) -> None:
        """Show a dock; if it covers the one with the focus, the focus goes with it."""
        dock, focus = self._docks[name], QApplication.focusWidget()
        dock.show()
        dock.raise_()
        covered = self._window.tabifiedDockWidgets(dock)
        if focus is not None and any(each.isAncestorOf(focus) for each in covered):
            self._enter(dock)

    def is_in_front(self, name: str) -> bool:
        """Whether a dock can be seen, which the tabs behind another one cannot."""
        return is_in_front(self._docks[name])

    def all(self) -> tuple[QDockWidget, ...]:
        """Return all docks, in the order of the Panels menu."""
        return tuple(self._docks.values())

    def in_area(self, areas: Qt.DockWidgetArea) -> tuple[QDockWidget, ...]:
        """Return the docks in some areas."""
        return tuple(dock for dock in self.all() if self._window.dockWidgetArea(dock) & areas)

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow docks that close, and prepare Qt's tab bars: full names, which scroll."""
        if isinstance(watched, QDockWidget):
            return self._follow(watched, event)
        # When a child is added, it is not fully constructed yet, so its class is unknown.
        if isinstance(event, QChildEvent) and event.polished():
            bar = event.child()
            if isinstance(bar, QTabBar):
                # After a layout is restored, Qt leaves bars where they were without any docks.
                bar.lower()
                bar.setAccessibleName(self.tr("Panels"))
                bar.setElideMode(Qt.TextElideMode.ElideNone)
                bar.setUsesScrollButtons(True)
                for button, name in zip(
                    bar.findChildren(QToolButton),
                    (self.tr("Scroll tabs left"), self.tr("Scroll tabs right")),
                    strict=True,
                ):
                    button.setAccessibleName(name)
        return False


def _focus_first(view: QWidget, reason: Qt.FocusReason) -> None:
    """Give the focus to a view, or else to the first widget in it that can have it."""
    first = view if is_stop(view) else next(stops_in(view), None)
    if first is not None:
        first.setFocus(reason)


def _ground() -> QWidget:
    """Return a placeholder shown until the panel is created."""
    ground = QWidget()
    ground.setAutoFillBackground(True)
    ground.setBackgroundRole(QPalette.ColorRole.Base)
    return ground
