"""The sizes of the docks: those that the user gave them, or else those that suit the window."""

from __future__ import annotations

import json
from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QSettings, QSize, Qt, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QTabBar

from gradviz.viewer.theme.theme import Theme

_SIZES = "window/sizes"

_LIBRARY, _LIBRARY_SHARE = 270, 0.23
"""Initial width of the docks on the left, and the share of the window to which it can grow."""

_SOURCE, _SOURCE_SHARE, _NARROW_SHARE = 538, 0.36, 0.42
"""Initial width of the docks on the right, and their shares of a wide and a narrow window."""

_MOST_SOURCE, _WIDE_SHARE = 640, 0.22
"""Maximum initial width of the docks on the right: some 80 characters of code, or this share."""

_CODE = 226
"""Initial height of the source, for nine lines, unless that is more than half of the column."""

_AROUND = 140
"""Approximate height of the bars above and below the docks."""

_ON_LEFT = {"library": 300, "inputs": 340}
"""Initial heights of the docks on the left."""

_MOST = 1 << 15
"""X cannot have larger windows; in Qt, larger numbers overflow."""

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea

_Place = tuple[str, Qt.Orientation]


class DockSizes(QObject):
    """Keeps each dock at its size whatever is hidden or shown, and however large the window is.

    The layout of Qt only knows the current sizes, and each dock that is hidden or shown and each
    change of the window's size changes them. So they are never read, except after the user has
    dragged a separator or a dock; after every other change they are set again.
    """

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        super().__init__(window)
        # A layout in motion has no sizes.
        window.setAnimated(False)
        self._window, self._theme = window, theme
        self._docks: dict[str, QDockWidget] = {}
        self._stack_of: dict[str, str] = {}
        self._by_user: dict[_Place, int] = {}
        self._before_drag: dict[_Place, int] = {}
        self._dropped = False
        self._applied: object = None
        window.installEventFilter(self)

    def add(self, dock: QDockWidget) -> None:
        """Keep the size of a dock."""
        self._docks[dock.objectName()] = dock
        dock.topLevelChanged.connect(self._on_dock_top_level_changed)

    def stack(self, front: str, *others: str) -> None:
        """Give docks the same size as the one whose place they share."""
        for name in others:
            self._stack_of[name] = self._stack_of.get(front, front)

    def update_theme(self) -> None:
        """Widen the docks with the text size, unless the user has resized them."""
        self.apply()

    def restore(self) -> None:
        """Restore the sizes that the user has given the docks."""
        stored = QSettings().value(_SIZES)
        self._by_user = _sizes_in(stored) if isinstance(stored, str) else {}

    def remember(self) -> None:
        """Store the sizes that the user has given the docks."""
        sizes = [[name, way.name, size] for (name, way), size in self._by_user.items()]
        QSettings().setValue(_SIZES, json.dumps(sizes))

    def reset(self) -> None:
        """Give all docks their initial sizes."""
        self._by_user.clear()
        self._dropped = False
        self.apply()

    def _follow_layout(self) -> None:
        """Set the sizes again if the layout has changed since the last time."""
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            # A dock may be dragged, for which others make room, or a pressed tab hides some.
            handle = self._window.windowHandle()
            if handle is not None:
                handle.installEventFilter(self)
            return
        if self._before_drag or self._layout() == self._applied:
            return
        if self._dropped:
            self._adopt(dict(self._current()))
        self._dropped = False
        self.apply()

    def apply(self) -> None:
        """Set the sizes of all docks in the layout."""
        layout = self._window.layout()
        assert layout is not None
        docks = list(self._laid_out())
        for way in (_ACROSS, _DOWN):
            sizes = [self._wanted(dock.objectName(), way) for dock in docks]
            known = [(dock, size) for dock, size in zip(docks, sizes, strict=True) if size]
            self._window.resizeDocks([each for each, _ in known], [size for _, size in known], way)
        layout.activate()
        self._applied = self._layout()

    def _end_drag(self) -> None:
        """Adopt the sizes that the user has changed by dragging a separator."""
        before, now = self._before_drag, dict(self._current())
        self._before_drag = {}
        self._adopt({place: now[place] for place in before if now.get(place, 0) != before[place]})

    def _adopt(self, sizes: dict[_Place, int]) -> None:
        for (name, way), size in sizes.items():
            for each in self._sharing(name, way):
                self._by_user[each, way] = size

    def _sharing(self, name: str, way: Qt.Orientation) -> Iterator[str]:
        """Yield a dock, the tabs of its place, and the hidden docks that would be as large."""
        dock = self._docks[name]
        tabs = self._window.tabifiedDockWidgets(dock)
        area = self._window.dockWidgetArea(dock)
        for other, each in self._docks.items():
            hidden = each.isHidden() and self._window.dockWidgetArea(each) == area
            alike = way is self._across(area) or self._front(other) == self._front(name)
            if each is dock or each in tabs or (hidden and alike):
                yield other

    @staticmethod
    def _across(area: Qt.DockWidgetArea) -> Qt.Orientation:
        sides = Qt.DockWidgetArea.LeftDockWidgetArea | Qt.DockWidgetArea.RightDockWidgetArea
        return _ACROSS if area & sides else _DOWN

    def _front(self, name: str) -> str:
        return self._stack_of.get(name, name)

    def _wanted(self, name: str, way: Qt.Orientation) -> int | None:
        return self._by_user.get((name, way)) or self._initial(name, way)

    def _initial(self, name: str, way: Qt.Orientation) -> int | None:
        """Return a dock's initial size in the current window; None if any will do."""
        available, px = self._window.size(), self._theme.px
        on_left = self._window.dockWidgetArea(self._docks[name]) == _LEFT
        if way is _ACROSS and on_left:
            width = available.width()
            return max(
                min(_LIBRARY, round(width * _SOURCE_SHARE)),
                min(px(_LIBRARY), round(width * _LIBRARY_SHARE)),
            )
        if way is _ACROSS:
            return self._initial_right(available)
        column = available.height() - _AROUND
        code = round(min(_CODE, column / 2))
        heights = {"source": code, "inspector": max(1, column - code), **_ON_LEFT}
        return heights.get(self._front(name))

    def _initial_right(self, available: QSize) -> int:
        width, px = available.width(), self._theme.px
        least = min(_SOURCE, round(width * _NARROW_SHARE))
        most = max(px(_MOST_SOURCE), round(width * _WIDE_SHARE))
        return min(max(least, round(width * _SOURCE_SHARE)), most)

    def _laid_out(self) -> Iterator[QDockWidget]:
        """Yield the docks that are laid out in the window, also those behind others."""
        for dock in self._docks.values():
            if dock.parent() is self._window and not dock.isFloating() and not dock.isHidden():
                yield dock

    def _layout(self) -> object:
        """Return what differs after the layout has changed anything."""
        layout = self._window.layout()
        assert layout is not None
        docks = [each.geometry() for each in self._laid_out()]
        return layout.minimumSize(), self._window.size(), docks

    def _current(self) -> Iterator[tuple[_Place, int]]:
        option = Qt.FindChildOption.FindDirectChildrenOnly
        bars = self._window.findChildren(QTabBar, options=option)
        for dock in filter(is_in_front, self._laid_out()):
            reach = dock.geometry().adjusted(0, 0, 0, 1)
            tabs = (bar for bar in bars if bar.isVisible() and bar.geometry().intersects(reach))
            yield (dock.objectName(), _ACROSS), dock.width()
            # With the tabs below it, as Qt resizes both.
            yield (dock.objectName(), _DOWN), dock.height() + sum(bar.height() for bar in tabs)

    def _on_dock_top_level_changed(self, floats: bool) -> None:
        if not floats:
            self._dropped = True
            QTimer.singleShot(0, self, self._follow_layout)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the layout and the separators of the window, and the release of the mouse."""
        kind = event.type()
        if isinstance(watched, QWindow):
            if kind == QEvent.Type.MouseButtonRelease:
                watched.removeEventFilter(self)
                # What was pressed gets the event first.
                QTimer.singleShot(0, self, self._follow_layout)
        elif kind == QEvent.Type.Resize:
            self.apply()
        elif kind in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            # The window gets them when its layout has already followed them.
            self._follow_layout()
        elif kind == QEvent.Type.MouseButtonPress:
            # Only those on a separator or on empty space reach the window.
            self._before_drag = dict(self._current())
        elif kind == QEvent.Type.MouseButtonRelease:
            self._end_drag()
        return False


def _sizes_in(stored: str) -> dict[_Place, int]:
    """Return stored sizes; none if the settings file was damaged."""
    try:
        return {
            (str(name), Qt.Orientation[way]): size
            for name, way, size in json.loads(stored)
            if isinstance(size, int) and 0 < size < _MOST
        }
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}


def is_in_front(dock: QDockWidget) -> bool:
    """Whether any part of a dock is visible; Qt calls a tab behind others visible, too."""
    return dock.isVisible() and not dock.visibleRegion().isEmpty()
