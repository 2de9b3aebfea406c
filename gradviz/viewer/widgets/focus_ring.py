"""A focus frame for views that have no focus indicator of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTabBar,
    QTextEdit,
    QWidget,
)

_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)

_GOES_ON = (
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)
"""Another window, a popup or a menu had the focus in between."""


_FAINT = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QTabBar,
    QTextEdit,
)
"""Kinds of controls to which the style gives a thin frame, or a slightly changed background."""


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
        self._was_seen = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        framed.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the widget's focus and size."""
        framed = self.parentWidget()
        if isinstance(event, QFocusEvent) and framed is not None:
            self.setGeometry(framed.rect())
            # Not when a change is only announced.
            if event.gotFocus() or event.lostFocus():
                self._follow(event)
            self.raise_()
        elif event.type() == QEvent.Type.Resize and framed is not None:
            self.setGeometry(framed.rect())
        return False

    def _follow(self, event: QFocusEvent) -> None:
        goes_on = event.reason() in _GOES_ON
        if event.lostFocus():
            # A menu that is opened by a key takes the focus twice.
            self._was_seen = goes_on and (self.isVisible() or self._was_seen)
            self.hide()
        else:
            by_keyboard = event.reason() in _BY_KEYBOARD
            self.setVisible(by_keyboard or (goes_on and self._was_seen))
            self._was_seen = False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame inside the widget's edge."""
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), 2))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        if isinstance(self.parentWidget(), QPushButton):
            # The background of a primary button has the color of the frame.
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Base), 1))
            painter.drawRect(self.rect().adjusted(2, 2, -3, -3))
        painter.end()


class FocusRings(QObject):
    """Adds a focus ring to the controls whose style hardly shows the keyboard focus.

    A control gets its ring when the keyboard first leads to it, as there are hundreds of them.

    Args:
        window: The window; its dialogs are followed as well.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_app_focus_changed)

    def _on_app_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if not isinstance(new, _FAINT) or not self._owns(new.window()):
            return
        by_keyboard = new.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        clicked = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        if by_keyboard and not clicked and not _has_ring(new):
            ring = FocusRing(new)
            # The event that the ring waits for has been handled already.
            ring.setGeometry(new.rect())
            ring.show()

    def _owns(self, window: QWidget | None) -> bool:
        while window is not None and window is not self._window:
            window = window.parentWidget()
        return window is not None


def focus_reason(widget: QWidget) -> Qt.FocusReason:
    """The reason with which a widget later gets the focus back, with its frame if it has one."""
    framed = any(ring.isVisible() for ring in _rings_of(widget))
    return Qt.FocusReason.ShortcutFocusReason if framed else Qt.FocusReason.OtherFocusReason


def keep_focus(window: QWidget) -> Callable[[], None]:
    """Return what gives the focus back to the widget of a window that has it, if it is visible."""
    focus = QApplication.focusWidget()
    if focus is None or focus.window() is not window:
        return lambda: None
    kept, reason = focus, focus_reason(focus)

    def give_back() -> None:
        if kept.isVisible():
            kept.setFocus(reason)

    return give_back


def _has_ring(widget: QWidget) -> bool:
    return bool(_rings_of(widget))


def _rings_of(widget: QWidget) -> list[FocusRing]:
    return [child for child in widget.children() if isinstance(child, FocusRing)]
