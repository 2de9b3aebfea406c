"""The panels around the graph: where each stands at first, and how large."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QWidget

from gradviz.viewer.look.theme import Theme

_LIBRARY, _INSPECTOR = 270, 350
_LIBRARY_SHARE, _INSPECTOR_SHARE = 0.23, 0.29
"""Width at first, and the share of the window up to which it grows with the type."""

_USUAL_WIDTH = 1440
_NEAR = 3
"""A dock that is so many pixels off has not been moved."""

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical

LOW = 850
"""Pixels of height below which a window is low, as on a projector: the graph needs the room."""

_BOTTOM, _BOTTOM_IN_LOW = 250, 212
"""Height of what stands at the bottom with the bar of its tabs: in a low window the source has
room for seven lines."""

_LEAST_AT_BOTTOM = 60
"""Least height of a panel at the bottom: what it shows at one step must not push the graph away."""


class Docks(QObject):
    """The docks of a window, by name, in the order in which the menu lists them."""

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
        """Makes a dock, in which there is nothing yet.

        Args:
            name: Never shown and never changed: the stored layout knows the dock by it.
            title: What people call it, with the letter that chooses it in the menu.
            area: Where it stands at first.
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
        """Puts a panel into its dock."""
        ground = self._docks[name].widget()
        self._docks[name].setWidget(panel)
        if name in self._at_bottom:
            panel.setMinimumHeight(_LEAST_AT_BOTTOM)
        if ground is not None:
            ground.deleteLater()

    def stack(self, front: str, *others: str) -> None:
        """Lays docks upon each other, as tabs."""
        docks = [self._docks[name] for name in others]
        for before, after in pairwise((self._docks[front], *docks)):
            # Of each stack of two in between, Qt would leave a bar of tabs in the window.
            after.hide()
            self._window.tabifyDockWidget(before, after)
        for dock in docks:
            dock.show()
        self._docks[front].raise_()

    def put_behind(self, name: str, front: str) -> None:
        """Puts a dock behind another one, as a tab, hidden until somebody wants it."""
        dock = self._docks[name]
        self._window.tabifyDockWidget(self._docks[front], dock)
        dock.hide()
        # Shown behind the other it would look as if nothing had happened.
        dock.toggleViewAction().triggered.connect(dock.raise_)

    def all(self) -> tuple[QDockWidget, ...]:
        """Every dock."""
        return tuple(self._docks.values())

    @property
    def is_low(self) -> bool:
        """Whether the window has too little height for a panel at the bottom and a tall view."""
        window = self._window
        if window.isVisible():
            return window.height() < LOW
        return window.screen().availableGeometry().height() < LOW

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def size(self) -> None:
        """Gives all docks the sizes that they have at first."""
        docks = self._docks
        resize = self._window.resizeDocks
        resize([docks["library"], docks["inspector"]], [*self._widths()], _ACROSS)
        resize([docks["library"], docks["inputs"]], [300, 340], _DOWN)
        bottom = _BOTTOM_IN_LOW if self.is_low else _BOTTOM
        resize([docks["source"]], [self._theme.px(bottom)], _DOWN)

    def set_theme(self, theme: Theme) -> None:
        """Lets the panels at both sides grow with the type, unless somebody has resized them."""
        before, self._theme = self._widths(), theme
        sides = (self._docks["library"], self._docks["inspector"])
        for dock, old, new in zip(sides, before, self._widths(), strict=True):
            if dock.isVisible() and not dock.isFloating() and abs(dock.width() - old) <= _NEAR:
                self._window.resizeDocks([dock], [new], _ACROSS)

    def _widths(self) -> tuple[int, int]:
        """Of library and inspector at first."""
        room = self._window.width() if self._window.isVisible() else _USUAL_WIDTH
        grow = self._theme.px
        return (
            max(_LIBRARY, min(grow(_LIBRARY), round(room * _LIBRARY_SHARE))),
            max(_INSPECTOR, min(grow(_INSPECTOR), round(room * _INSPECTOR_SHARE))),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Names the bars of tabs that Qt makes where docks lie upon each other."""
        if isinstance(event, QChildEvent) and event.polished():
            bar = event.child()
            if isinstance(bar, QTabBar):
                bar.setAccessibleName(self.tr("Panels"))
        return False


def _ground() -> QWidget:
    """What is seen of a panel before it is there."""
    ground = QWidget()
    ground.setAutoFillBackground(True)
    ground.setBackgroundRole(QPalette.ColorRole.Base)
    return ground
