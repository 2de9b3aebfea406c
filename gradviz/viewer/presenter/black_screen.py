"""A black screen that covers the window, so that the audience looks at the speaker."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QToolTip, QWidget

from gradviz.viewer.widgets.cover import Cover
from gradviz.viewer.widgets.focus_ring import keep_focus

_MODIFIERS = (
    Qt.Key.Key_Shift,
    Qt.Key.Key_Control,
    Qt.Key.Key_Alt,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_Meta,
    Qt.Key.Key_CapsLock,
    Qt.Key.Key_unknown,
)


class BlackScreen(Cover):
    """Covers its window until a key or click, which has no other effect.

    Signals:
        uncovered: The window is visible again.
    """

    uncovered = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._give_focus_back: Callable[[], None] = lambda: None
        self._above: list[QDockWidget] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Black screen"))
        self.setAccessibleDescription(self.tr("Press any key or click to show the window again."))

    def toggle(self) -> None:
        """Cover the window and hide floating docks, or show all of it again."""
        if self.isVisible():
            self.uncover()
            return
        self._give_focus_back = keep_focus(self.window())
        QToolTip.hideText()
        docks = self.window().findChildren(QDockWidget)
        self._above = [each for each in docks if each.isVisible() and each.isFloating()]
        for dock in self._above:
            dock.hide()
        self.put_on_top()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def uncover(self) -> None:
        """Show the window again if it is covered."""
        if self.isHidden():
            return
        self.hide()
        for dock in self._above:
            dock.show()
        self._above = []
        self._give_focus_back()
        self.uncovered.emit()

    def event(self, event: QEvent) -> bool:
        """Keep keys from triggering shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Disable focus navigation, so that Tab counts as any key."""
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the window again on any key except modifiers."""
        if Qt.Key(event.key()) not in _MODIFIERS and not event.isAutoRepeat():
            self.uncover()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show the window again on any mouse button."""
        self.uncover()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint black in every theme."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.GlobalColor.black)
        painter.end()
