"""The panels on the left: each is docked if it is pinned, else it is shown over the graph."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

from PySide6.QtCore import QEvent, QObject, QPoint, QSettings, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPalette, QWindow
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.wayland import is_wayland
from gradviz.viewer.window.tab_order import stops_in

_ICON = 20


class NavigationRail(QToolBar):
    """A fixed vertical toolbar of checkable buttons.

    Signals:
        clicked: Name of the panel whose button was clicked.
    """

    clicked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: dict[str, QToolButton] = {}
        self.setObjectName("rail")
        self.setWindowTitle(self.tr("Side Panels"))
        self.setMovable(False)
        self.toggleViewAction().setVisible(False)

    def add(self, name: str, title: str, picture: str) -> None:
        """Add a button.

        Args:
            name: Name of the panel.
            title: The label.
            picture: Name of the icon.
        """
        button = QToolButton()
        button.setObjectName(name)
        button.setText(title)
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        tip = self.tr("Show or hide the panel {0}").format(title)
        button.setToolTip(plain_tooltip(tip))
        button.clicked.connect(self._on_button_clicked)
        self.addWidget(button)
        self._buttons[name] = button
        set_theme_font(button, self._theme, SMALL_PIXELS)
        set_theme_icon(button, self._theme, picture, side=_ICON)

    def button(self, name: str) -> QToolButton:
        """Return the button of a panel."""
        return self._buttons[name]

    def _on_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QToolButton):
            self.clicked.emit(button.objectName())


class PanelTitle(QWidget):
    """Replaces the title bar of a dock.

    Attributes:
        pin: Checked while the panel is docked.
        close_button: Closes the panel.
    """

    def __init__(self, dock: QDockWidget, theme: Theme) -> None:
        super().__init__(dock)
        self._text = ElidedLabel(pixels=SMALL_PIXELS, bold=True, muted=True)
        self._text.setText(dock.windowTitle())
        self.pin, self.close_button = QToolButton(), QToolButton()
        self.pin.setCheckable(True)
        self.pin.setAccessibleName(self.tr("Pin {0}").format(dock.windowTitle()))
        self.close_button.setAccessibleName(self.tr("Close {0}").format(dock.windowTitle()))
        self.close_button.setToolTip(self.tr("Close this panel (Esc)"))
        self._row = row = QHBoxLayout(self)
        row.setSpacing(2)
        row.addWidget(self._text, 1)
        for button in (self.pin, self.close_button):
            button.setAutoRaise(True)
            row.addWidget(button)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.pin.toggled.connect(self._on_pin_toggled)
        self._on_pin_toggled(False)
        self._theme = theme
        set_theme_icon(self.pin, theme, "pin")
        set_theme_icon(self.close_button, theme, "close")
        self.update_theme()

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self._row.setContentsMargins(
            self._theme.px(12), self._theme.px(2), self._theme.px(6), self._theme.px(2)
        )

    def _on_pin_toggled(self, on: bool) -> None:
        docked, floating = self.tr("Show over the graph only while used"), self.tr("Keep open")
        self.pin.setToolTip(docked if on else floating)


_PINNED = "window/pinned"
_IN_WIDE = ("library", "inputs")
"""Panels that are pinned in a wide window, unless the user has decided."""

_WIDE = 1800
"""Width of a window in pixels that is wide."""

_FEATURE = QDockWidget.DockWidgetFeature
_CLOSABLE = _FEATURE.DockWidgetClosable
_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea


class SidePanels(QObject):
    """Docks and undocks the side panels.

    Args:
        window: The window with the docks.
        below: The view over which the panels that are not pinned are shown.
        theme: Colors and fonts.

    Attributes:
        rail: The buttons.
        overlay: Shows the panels that are not pinned.
    """

    def __init__(self, window: QMainWindow, below: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self.rail = NavigationRail(theme, window)
        self.overlay = PanelOverlay(below, theme, self.rail)
        self._docks: dict[str, QDockWidget] = {}
        self._fronts: dict[str, str] = {}
        self._pinned: set[str] = set()
        self._decided = False
        window.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self.rail)
        self.rail.clicked.connect(self._on_rail_clicked)

    def add(self, dock: QDockWidget, picture: str, tab_of: str) -> None:
        """Add a panel that is not pinned.

        Args:
            dock: Its dock.
            picture: Name of its icon.
            tab_of: Name of the panel behind which it is a tab while both are pinned, or empty.
        """
        name = dock.objectName()
        self._docks[name] = dock
        self._fronts[name] = tab_of
        title = PanelTitle(dock, self._theme)
        title.pin.clicked.connect(self._on_pin_clicked)
        title.close_button.clicked.connect(self._on_close_button_clicked)
        dock.setTitleBarWidget(title)
        self.rail.add(name, dock.windowTitle(), picture)
        dock.visibilityChanged.connect(self.rail.button(name).setChecked)
        self._unpin(name)

    @property
    def pinned(self) -> tuple[str, ...]:
        """The names of the pinned panels."""
        return tuple(name for name in self._docks if name in self._pinned)

    def title(self, name: str) -> PanelTitle:
        """Return the title of a panel."""
        title = self._docks[name].titleBarWidget()
        assert isinstance(title, PanelTitle)
        return title

    def restore(self) -> None:
        """Pin the panels that the user has pinned, or else those that suit the window's width."""
        stored = QSettings().value(_PINNED)
        self._decided = isinstance(stored, str)
        if isinstance(stored, str):
            self._pin_only(stored.split(","))
        else:
            self.follow(self._window.width())

    def remember(self) -> None:
        """Store which panels the user has pinned, if any."""
        if self._decided:
            QSettings().setValue(_PINNED, ",".join(self.pinned))
        else:
            QSettings().remove(_PINNED)

    def follow(self, width: int) -> None:
        """Pin the panels that suit a width, unless the user has decided."""
        wanted = _IN_WIDE if width >= _WIDE else ()
        if not self._decided and set(wanted) != self._pinned:
            self._pin_only(wanted)

    def unpin_all(self) -> None:
        """Forget what the user has pinned."""
        self._decided = False
        self._pin_only(())

    def _pin_only(self, names: Collection[str]) -> None:
        for name in self._docks:
            if name in names and name not in self._pinned:
                self._pin(name)
            elif name not in names and name in self._pinned:
                self._unpin(name)

    def _pin(self, name: str) -> None:
        dock, window = self._docks[name], self._window
        self._pinned.add(name)
        self.overlay.remove(dock)
        movable = _FEATURE(0) if is_wayland() else _FEATURE.DockWidgetMovable
        dock.setFeatures(_CLOSABLE | _FEATURE.DockWidgetFloatable | movable)
        # A restored layout may know its place.
        if not window.restoreDockWidget(dock):
            self._dock(name)
        dock.show()
        dock.raise_()
        self.title(name).pin.setChecked(True)

    def _dock(self, name: str) -> None:
        dock, window = self._docks[name], self._window
        window.addDockWidget(_LEFT, dock)
        front = self._fronts[name]
        if front and front in self._pinned:
            window.tabifyDockWidget(self._docks[front], dock)
            return
        names = list(self._docks)
        for later in names[names.index(name) + 1 :]:
            below = self._docks[later]
            if later in self._pinned and window.dockWidgetArea(below) == _LEFT:
                window.splitDockWidget(dock, below, Qt.Orientation.Vertical)

    def _unpin(self, name: str) -> None:
        dock = self._docks[name]
        self._pinned.discard(name)
        dock.setFloating(False)
        self._window.removeDockWidget(dock)
        dock.setFeatures(_CLOSABLE)
        self.overlay.add(dock)
        self.title(name).pin.setChecked(False)

    def _close(self, name: str) -> None:
        if name in self._pinned:
            self._docks[name].close()
        else:
            self.overlay.close_panel()

    def _on_rail_clicked(self, name: str) -> None:
        dock, button = self._docks[name], self.rail.button(name)
        # The click has already changed the button.
        if not button.isChecked():
            self._close(name)
        else:
            dock.show()
            dock.raise_()

    def _on_pin_clicked(self) -> None:
        name = self._name_of(self.sender())
        (self._unpin if name in self._pinned else self._pin)(name)
        self._decided = True

    def _on_close_button_clicked(self) -> None:
        self._close(self._name_of(self.sender()))

    def _name_of(self, button: QObject) -> str:
        assert isinstance(button, QToolButton)
        titles = {name: self.title(name) for name in self._docks}
        return next(name for name, title in titles.items() if title.isAncestorOf(button))


_WIDTH = 340
"""Width in pixels, before the theme's scale factor."""

_MOST_SHARE = 0.85
"""Maximum share of the width of the view below, of which some always stays visible."""


class PanelOverlay(QFrame):
    """Holds docks that are not docked, shows at most one, and is hidden while it shows none.

    Esc, a click outside and a focus outside close the panel.

    Args:
        below: The view that the panel covers in part; its layout does not change.
        theme: Colors and fonts.
        kept: A widget that can be clicked without closing the panel.

    Signals:
        covered: How much of the view's left side is covered now, in pixels.
        leaving: The panel that has the focus is about to be closed, so that the focus must go
            elsewhere.
    """

    covered = Signal(int)
    leaving = Signal()

    def __init__(self, below: QWidget, theme: Theme, kept: QWidget) -> None:
        super().__init__(below)
        self._below, self._theme, self._kept = below, theme, kept
        self._docks: list[QDockWidget] = []
        self.setObjectName("overlay")
        self.hide()
        below.installEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_app_focus_changed)

    @property
    def shown(self) -> QDockWidget | None:
        """The panel that is shown."""
        return next((dock for dock in self._docks if not dock.isHidden()), None)

    def add(self, dock: QDockWidget) -> None:
        """Take a dock, hidden at first."""
        dock.hide()
        dock.setParent(self)
        dock.installEventFilter(self)
        self._docks.append(dock)
        self._place()

    def remove(self, dock: QDockWidget) -> None:
        """Give a dock back, hidden."""
        self._docks.remove(dock)
        dock.hide()
        dock.removeEventFilter(self)

    def close_panel(self) -> None:
        """Close the panel; if it has the focus, that goes elsewhere."""
        focused: QWidget | None = self.window().focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            self.leaving.emit()
        for dock in self._docks:
            dock.hide()

    def update_theme(self) -> None:
        """Follow the text size of another theme."""
        self._place()

    def _open(self, dock: QDockWidget) -> None:
        self._place()
        self.show()
        # Pages may have been added since, and later children are painted above earlier ones.
        self.raise_()
        handle = self.window().windowHandle()
        if handle is not None:
            # Not all widgets take the focus when they are clicked.
            handle.installEventFilter(self)
        if self.isVisible():
            # Before the others are hidden, or Qt would move their focus out of the overlay.
            first = next(chain(stops_in(dock.widget()), stops_in(dock)))
            first.setFocus(Qt.FocusReason.PopupFocusReason)
        for other in self._docks:
            if other is not dock:
                other.hide()

    def _place(self) -> None:
        below = self._below.rect()
        width = min(self._theme.px(_WIDTH), round(below.width() * _MOST_SHARE))
        self.setGeometry(0, 0, width, below.height())
        # Not a layout, so that a hidden panel already has its size when it is shown.
        for dock in self._docks:
            dock.setGeometry(0, 0, width - 1, below.height())
        self._announce_width()

    def _announce_width(self) -> None:
        self.covered.emit(0 if self.shown is None else self.width())

    def _is_outside(self, position: QPoint) -> bool:
        """Return whether a position in the window is outside of panel and buttons."""
        window = self.window()
        parts = (self, self._kept)
        return not any(each.rect().contains(each.mapFrom(window, position)) for each in parts)

    def _on_app_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if self.isHidden() or new is None or new.window() is not self.window():
            return
        inside = (self.isAncestorOf(new), self._kept.isAncestorOf(new), new is self.window())
        if not any(inside):
            self.close_panel()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the docks and the size of the view, and close on a click outside."""
        kind = event.type()
        if watched is self._below and kind == QEvent.Type.Resize:
            self._place()
        elif isinstance(watched, QDockWidget) and kind == QEvent.Type.ShowToParent:
            self._open(watched)
        elif isinstance(watched, QDockWidget) and kind == QEvent.Type.HideToParent:
            self.setHidden(self.shown is None)
            self._announce_width()
        elif isinstance(watched, QWindow) and isinstance(event, QMouseEvent):
            pressed = kind == QEvent.Type.MouseButtonPress and self.isVisible()
            if pressed and self._is_outside(event.position().toPoint()):
                self.close_panel()
        return False

    def event(self, event: QEvent) -> bool:
        """Claim Escape before a lesson or Presenter Mode is left."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_panel()
        else:
            super().keyPressEvent(event)
