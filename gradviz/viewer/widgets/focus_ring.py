"""A focus frame for views that have no focus indicator of their own."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget

_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


def order_tabs(first: QWidget, then: Iterable[QWidget]) -> None:
    """Set the tab order from a widget through those of others that accept Tab.

    By default, Qt appends widgets created later to the end of the window's order.
    """
    before = first
    for field in then:
        if field.focusPolicy() & Qt.FocusPolicy.TabFocus:
            QWidget.setTabOrder(before, field)
            before = field


def stop_before(widget: QWidget) -> QWidget:
    """Return the previous widget in the tab order."""
    before = widget.previousInFocusChain()
    while before not in (None, widget) and not before.focusPolicy() & Qt.FocusPolicy.TabFocus:
        before = before.previousInFocusChain()
    return before or widget


class FocusRing(QWidget):
    """A frame on a widget, visible while it has the focus through the keyboard.

    Args:
        framed: The widget to frame, which owns the ring.
    """

    def __init__(self, framed: QWidget) -> None:
        super().__init__(framed)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        framed.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the widget's focus and size."""
        framed = self.parentWidget()
        if isinstance(event, QFocusEvent) and framed is not None:
            self.setGeometry(framed.rect())
            self.setVisible(event.gotFocus() and event.reason() in _BY_KEYBOARD)
            self.raise_()
        elif event.type() == QEvent.Type.Resize and framed is not None:
            self.setGeometry(framed.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame inside the widget's edge."""
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), 2))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()
