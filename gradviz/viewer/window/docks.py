"""The docks around the graph, with their initial areas and sizes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from PySide6.QtCore import QByteArray, QChildEvent, QEvent, QObject, QSettings, QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QWidget

from gradviz.viewer.panel_spec import DockArea
from gradviz.viewer.theme.theme import Theme

LAYOUT_VERSION = 6
"""Increased when docks change in a way that makes stored layouts invalid."""

_GEOMETRY, _STATE = "window/geometry", "window/layout"
_HANDLE = 60
"""Pixels of the title bar that must be on a screen so that the window can be moved."""


class WindowLayout(QObject):
    """Saves the initial layout when created, before the window is shown."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        super().__init__(window)
        self._window, self._docks = window, docks
        self._held: tuple[QByteArray, QByteArray] | None = None
        self._first = window.saveState(LAYOUT_VERSION)

    def restore(self) -> None:
        """Restore the stored geometry and layout."""
        geometry, state = (_stored(key) for key in (_GEOMETRY, _STATE))
        if geometry is not None:
            self._window.restoreGeometry(geometry)
            self._move_on_screen()
        if state is not None:
            self._window.restoreState(state, LAYOUT_VERSION)

    def remember(self) -> None:
        """Store the geometry and layout; the held ones if there are any."""
        geometry, state = self._held or self._now()
        settings = QSettings()
        settings.setValue(_GEOMETRY, geometry)
        settings.setValue(_STATE, state)

    def hold(self) -> None:
        """Hold the current layout while another one is shown temporarily."""
        self._held = self._now()

    def release(self) -> None:
        """Restore the held layout."""
        if self._held is not None:
            _, state = self._held
            self._held = None
            self._window.restoreState(state, LAYOUT_VERSION)

    def _now(self) -> tuple[QByteArray, QByteArray]:
        return self._window.saveGeometry(), self._window.saveState(LAYOUT_VERSION)

    def _move_on_screen(self) -> None:
        """Move the window to the primary screen if its former screen is gone."""
        frame = self._window.frameGeometry()
        head = frame.adjusted(_HANDLE, 0, -_HANDLE, 0)
        head.setHeight(_HANDLE)
        screens = QGuiApplication.screens()
        if not any(each.availableGeometry().intersects(head) for each in screens):
            available = QGuiApplication.primaryScreen().availableGeometry()
            self._window.resize(self._window.size().boundedTo(available.size()))
            frame = self._window.frameGeometry()
            frame.moveCenter(available.center())
            self._window.move(frame.topLeft())

    @Slot()
    def reset(self) -> None:
        """Restore the initial layout of the docks."""
        self._window.restoreState(self._first, LAYOUT_VERSION)
        self._docks.size()


def _stored(key: str) -> QByteArray | None:
    value = QSettings().value(key)
    # Settings files can be damaged or edited, so the value may have any type.
    return value if isinstance(value, QByteArray) else None


class DockSpace(QObject):
    """Hides docks for a tab and remembers how they were arranged."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._taken: list[tuple[QDockWidget, bool]] = []

    def hide_docks(self, wanted: Iterable[QDockWidget]) -> None:
        """Hide docks, except a guide that is being read, as it may have led here."""
        self.restore_docks()
        guide = self._docks["guide"]
        read = _is_in_front(guide)
        for dock in wanted:
            kept = read and dock is guide
            if not dock.isHidden() and not dock.isFloating() and not kept:
                self._taken.append((dock, _is_in_front(dock)))
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


def _is_in_front(dock: QDockWidget) -> bool:
    # Qt calls a tab behind others visible, but no part of it is.
    return dock.isVisible() and not dock.visibleRegion().isEmpty()


_LIBRARY, _SOURCE = 270, 380
"""Initial widths of the docks on the left and, at least, of those on the right."""

_LIBRARY_SHARE, _SOURCE_SHARE = 0.23, 0.36
"""Shares of the window: up to which the left docks grow with the text, and of the right docks."""

_MOST_SOURCE = 840
"""Maximum initial width of the docks on the right, enough for 100 characters of code."""

_CODE, _CODE_SHARE = 300, 0.48
"""Initial height of the source at least, for 14 lines, and its share of the column."""

_USUAL = QSize(1440, 900)
_AROUND = 200
"""Approximate height of the bars above and below the docks."""

_NEAR = 3
"""Maximum deviation in pixels of a dock that counts as not resized by the user."""

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical

_WIDE = 1600
"""Width in pixels from which the source fits beside a tab with wide content."""

_LEAST_HEIGHT = 60
"""Minimum height of a panel on the right, fixed so that its content cannot resize the others."""


_AREAS: dict[DockArea, Qt.DockWidgetArea] = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
}


class Docks(QObject):
    """The docks of a window by name, in the order of the Panels menu."""

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        super().__init__(window)
        window.installEventFilter(self)
        self._window, self._theme = window, theme
        self._docks: dict[str, QDockWidget] = {}
        self._on_right: set[str] = set()
        window.setDockNestingEnabled(True)
        area = Qt.DockWidgetArea
        # The side docks reach down to the bottom; those at the bottom are as wide as the graph.
        window.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)

    def add(self, name: str, title: str, area: DockArea) -> QDockWidget:
        """Create an empty dock.

        Args:
            name: Identifies the dock in the stored layout; never shown and never changed.
            title: The title, with the mnemonic for the menu.
            area: The initial area.
        """
        dock = QDockWidget(title.replace("&", ""), self._window)
        dock.toggleViewAction().setText(title)
        # `saveState` and `restoreState` identify docks by their object names.
        dock.setObjectName(name)
        dock.setWidget(_ground())
        self._window.addDockWidget(_AREAS[area], dock)
        self._docks[name] = dock
        if area == "right":
            self._on_right.add(name)
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
        self._window.tabifyDockWidget(self._docks[front], dock)
        dock.hide()
        # Raise it when it is shown, as it would otherwise stay hidden behind the other.
        dock.toggleViewAction().triggered.connect(dock.raise_)

    def all(self) -> tuple[QDockWidget, ...]:
        """Return all docks, in the order of the Panels menu."""
        return tuple(self._docks.values())

    def in_area(self, areas: Qt.DockWidgetArea) -> tuple[QDockWidget, ...]:
        """Return the docks in some areas."""
        return tuple(dock for dock in self.all() if self._window.dockWidgetArea(dock) & areas)

    @property
    def is_wide(self) -> bool:
        """Whether the window has space for the source beside a tab with wide content."""
        return self._size().width() >= _WIDE

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def size(self) -> None:
        """Set the initial sizes of all docks."""
        docks = self._docks
        resize = self._window.resizeDocks
        resize([docks["library"], docks["source"]], [*self._widths()], _ACROSS)
        resize([docks["library"], docks["inputs"]], [300, 340], _DOWN)
        column = self._size().height() - self._theme.px(_AROUND)
        code = max(self._theme.px(_CODE), round(column * _CODE_SHARE))
        resize([docks["source"], docks["inspector"]], [code, max(1, column - code)], _DOWN)

    def set_theme(self, theme: Theme) -> None:
        """Widen the side docks with the text size, unless the user has resized them."""
        before, self._theme = self._widths(), theme
        sides = (self._docks["library"], self._docks["source"])
        for dock, old, new in zip(sides, before, self._widths(), strict=True):
            if dock.isVisible() and not dock.isFloating() and abs(dock.width() - old) <= _NEAR:
                self._window.resizeDocks([dock], [new], _ACROSS)

    def _widths(self) -> tuple[int, int]:
        """Return the initial widths of the docks on the left and on the right."""
        available = self._size().width()
        share = round(available * _SOURCE_SHARE)
        return (
            max(_LIBRARY, min(self._theme.px(_LIBRARY), round(available * _LIBRARY_SHARE))),
            min(max(_SOURCE, share), self._theme.px(_MOST_SOURCE)),
        )

    def _size(self) -> QSize:
        # Before it is shown, a window does not have its final size.
        return self._window.size() if self._window.isVisible() else _USUAL

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Set an accessible name for the tab bars that Qt creates for stacked docks."""
        # When a child is added, it is not fully constructed yet, so its class is unknown.
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
