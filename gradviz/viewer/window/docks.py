"""The docks around the graph, with their initial areas and sizes."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QWidget

from gradviz.viewer.look.theme import Theme

_LIBRARY, _INSPECTOR = 270, 350
_LIBRARY_SHARE, _INSPECTOR_SHARE = 0.23, 0.29
"""Initial widths, and the shares of the window up to which they grow with the text."""

_USUAL_WIDTH = 1440
_NEAR = 3
"""Maximum deviation in pixels of a dock that counts as not resized by the user."""

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical

LOW = 850
"""Height in pixels below which a window is low, as on a projector."""

_BOTTOM, _BOTTOM_IN_LOW = 250, 212
"""Height of the bottom docks, normally and in a low window: tabs and seven source lines."""

_LEAST_AT_BOTTOM = 60
"""Minimum height of a bottom panel, fixed so that its content cannot resize the graph."""


class Docks(QObject):
    """The docks of a window by name, in the order of the Panels menu."""

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        super().__init__(window)
        window.installEventFilter(self)
        self._window, self._theme = window, theme
        self._docks: dict[str, QDockWidget] = {}
        self._at_bottom: set[str] = set()
        window.setDockNestingEnabled(True)
        area = Qt.DockWidgetArea
        window.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)

    def add(self, name: str, title: str, area: Qt.DockWidgetArea) -> QDockWidget:
        """Create an empty dock.

        Args:
            name: Identifies the dock in the stored layout; never shown and never changed.
            title: The title, with the mnemonic for the menu.
            area: The initial area.
        """
        dock = QDockWidget(title.replace("&", ""), self._window)
        dock.toggleViewAction().setText(title)
        dock.setObjectName(name)
        dock.setWidget(_ground())
        self._window.addDockWidget(area, dock)
        self._docks[name] = dock
        if area == Qt.DockWidgetArea.BottomDockWidgetArea:
            self._at_bottom.add(name)
        return dock

    def fill(self, name: str, panel: QWidget) -> None:
        """Put a panel into its dock."""
        ground = self._docks[name].widget()
        self._docks[name].setWidget(panel)
        if name in self._at_bottom:
            panel.setMinimumHeight(_LEAST_AT_BOTTOM)
        if ground is not None:
            ground.deleteLater()

    def stack(self, front: str, *others: str) -> None:
        """Stack docks as tabs."""
        docks = [self._docks[name] for name in others]
        for before, after in pairwise((self._docks[front], *docks)):
            # Qt leaves an extra tab bar behind for each intermediate stack of two visible docks.
            after.hide()
            self._window.tabifyDockWidget(before, after)
        for dock in docks:
            dock.show()
        self._docks[front].raise_()

    def put_behind(self, name: str, front: str) -> None:
        """Add a dock as a hidden tab behind another one."""
        dock = self._docks[name]
        self._window.tabifyDockWidget(self._docks[front], dock)
        dock.hide()
        # Raise it when it is shown, as it would otherwise stay hidden behind the other.
        dock.toggleViewAction().triggered.connect(dock.raise_)

    def all(self) -> tuple[QDockWidget, ...]:
        """Return all docks, in the order of the Panels menu."""
        return tuple(self._docks.values())

    @property
    def is_low(self) -> bool:
        """Whether the window is too low for a bottom panel below a tall view."""
        window = self._window
        if window.isVisible():
            return window.height() < LOW
        return window.screen().availableGeometry().height() < LOW

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def size(self) -> None:
        """Set the initial sizes of all docks."""
        docks = self._docks
        resize = self._window.resizeDocks
        resize([docks["library"], docks["inspector"]], [*self._widths()], _ACROSS)
        resize([docks["library"], docks["inputs"]], [300, 340], _DOWN)
        bottom = _BOTTOM_IN_LOW if self.is_low else _BOTTOM
        resize([docks["source"]], [self._theme.px(bottom)], _DOWN)

    def set_theme(self, theme: Theme) -> None:
        """Widen the side docks with the text size, unless the user has resized them."""
        before, self._theme = self._widths(), theme
        sides = (self._docks["library"], self._docks["inspector"])
        for dock, old, new in zip(sides, before, self._widths(), strict=True):
            if dock.isVisible() and not dock.isFloating() and abs(dock.width() - old) <= _NEAR:
                self._window.resizeDocks([dock], [new], _ACROSS)

    def _widths(self) -> tuple[int, int]:
        """Return the initial widths of library and inspector."""
        room = self._window.width() if self._window.isVisible() else _USUAL_WIDTH
        grow = self._theme.px
        return (
            max(_LIBRARY, min(grow(_LIBRARY), round(room * _LIBRARY_SHARE))),
            max(_INSPECTOR, min(grow(_INSPECTOR), round(room * _INSPECTOR_SHARE))),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Set an accessible name for the tab bars that Qt creates for stacked docks."""
        if isinstance(event, QChildEvent) and event.polished():
            bar = event.child()
            if isinstance(bar, QTabBar):
                bar.setAccessibleName(self.tr("Panels"))
        return False


def _ground() -> QWidget:
    """Return a placeholder shown until the panel is created."""
    ground = QWidget()
    ground.setAutoFillBackground(True)
    ground.setBackgroundRole(QPalette.ColorRole.Base)
    return ground
