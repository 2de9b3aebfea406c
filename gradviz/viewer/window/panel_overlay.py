"""Shows a side panel over the graph until the user is done with it."""

from __future__ import annotations

from itertools import chain

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWindow
from PySide6.QtWidgets import QApplication, QDockWidget, QFrame, QWidget

from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.window.tab_order import stops_in

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

    @Slot(QWidget, QWidget)
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
