"""Text fields of the form: their typing belongs to the form's undo, and a problem is seen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget

_UNDO = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
_OWN_ENTRIES = ("edit-undo", "edit-redo")
"""Names that Qt gives to the undo commands of a text field's menu."""


class TextField(QLineEdit):
    """One line whose text the form sets.

    Signals:
        left: The keyboard went elsewhere.
    """

    left = Signal()

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._problem = ""
        leave_undo_to_window(self)

    @property
    def problem(self) -> str:
        """Why the text does not fit; empty if it does."""
        return self._problem

    def show_text(self, text: str) -> None:
        """Shows a text; the cursor stays where the text stays."""
        if text != self.text():
            self.setText(text)
            if not self.hasFocus():
                self.setCursorPosition(0)

    def show_problem(self, sentence: str) -> None:
        """Draws the frame of a field that does not fit, and tells screen readers why."""
        if sentence == self._problem:
            return
        self._problem = sentence
        self.setAccessibleDescription(sentence)
        self.setProperty("wrong", bool(sentence))
        # Style sheets look at properties only when they are applied.
        self.style().unpolish(self)
        self.style().polish(self)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The standard menu without an undo of its own."""
        menu = self.createStandardContextMenu()
        for action in menu.actions():
            if action.objectName() in _OWN_ENTRIES:
                menu.removeAction(action)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """What is typed next is another edit."""
        super().focusOutEvent(event)
        self.left.emit()


class _UndoFilter(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keeps the keys of undo and redo from a field, so that the window gets them."""
        keys = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() not in keys or not isinstance(event, QKeyEvent):
            return False
        if not any(event.matches(each) for each in _UNDO) and not _is_redo(event):
            return False
        event.ignore()
        return True


def _is_redo(event: QKeyEvent) -> bool:
    """Control+Y, which is nobody's standard key on some platforms."""
    only_control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
    return only_control and event.key() == Qt.Key.Key_Y


def leave_undo_to_window(field: QLineEdit) -> None:
    """Takes its own undo from a text field: one history for all fields is what the window has."""
    field.installEventFilter(_UndoFilter(field))
