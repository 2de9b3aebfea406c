"""A black screen over the window: what a speaker shows to be looked at instead."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QToolTip, QWidget

_MODIFIERS = (
    Qt.Key.Key_Shift,
    Qt.Key.Key_Control,
    Qt.Key.Key_Alt,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_Meta,
    Qt.Key.Key_CapsLock,
    Qt.Key.Key_unknown,
)


class BlackScreen(QWidget):
    """Covers its window until any key or click; that key does nothing else.

    Signals:
        lifted: The window is to be seen again.
    """

    lifted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._focus: QWidget | None = None
        self._above: list[QDockWidget] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Black screen"))
        self.setAccessibleDescription(self.tr("Any key or click shows the window again."))
        self.hide()
        window.installEventFilter(self)

    def cover(self) -> None:
        """Makes everything black."""
        focus = QApplication.focusWidget()
        self._focus = focus if focus is not None and focus.window() is self.window() else None
        QToolTip.hideText()
        docks = self.window().findChildren(QDockWidget)
        self._above = [each for each in docks if each.isVisible() and each.isFloating()]
        for dock in self._above:
            dock.hide()
        self.setGeometry(self.window().rect())
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def lift(self) -> None:
        """Shows the window again, if it is covered."""
        if self.isHidden():
            return
        self.hide()
        for dock in self._above:
            dock.show()
        self._above = []
        if self._focus is not None:
            self._focus.setFocus(Qt.FocusReason.OtherFocusReason)
        self._focus = None
        self.lifted.emit()

    def event(self, event: QEvent) -> bool:
        """Keeps every key from being a command."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stays as large as the window."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self.setGeometry(self.window().rect())
        return False

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab is a key like any other."""
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Any key, except one that is held to press another."""
        if Qt.Key(event.key()) not in _MODIFIERS and not event.isAutoRepeat():
            self.lift()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Any button."""
        self.lift()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Black, in every theme."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.GlobalColor.black)
        painter.end()
