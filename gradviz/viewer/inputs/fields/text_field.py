"""Text fields that leave undo to the form and show problems with their content."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce

FieldMessageKind = Literal["error", "note"]

_LOOKS: dict[FieldMessageKind, tuple[str, PaletteRole, QPalette.ColorRole]] = {
    "error": ("error", "error", QPalette.ColorRole.BrightText),
    "note": ("info", "text_muted", QPalette.ColorRole.PlaceholderText),
}
"""Icon, its color role, and the same color's role in Qt's palette."""


class FieldMessage(QWidget):
    """A sentence with an icon; hidden while it is empty."""

    def __init__(self, tone: FieldMessageKind, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone = tone
        self._icon = QLabel()
        self._text = PlainLabel()
        self._text.setForegroundRole(_LOOKS[tone][2])
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 2)
        row.setSpacing(5)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        self.hide()
        self._theme = theme
        self.update_theme()

    def text(self) -> str:
        """The text; empty while hidden."""
        return self._text.text()

    def say(self, text: str) -> None:
        """Show a text, or hide the sentence if it is empty."""
        if text != self._text.text():
            self._text.setText(text)
            self.setAccessibleName(text)
            if self._tone == "error":
                announce(self, text)
        self.setVisible(bool(text))

    def update_theme(self) -> None:
        """Repaint with another theme."""
        name, role, _ = _LOOKS[self._tone]
        side = self._theme.px(14)
        self._icon.setPixmap(icon(name, self._theme, role).pixmap(QSize(side, side)))


_UNDO = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
_OWN_ENTRIES = ("edit-undo", "edit-redo")
"""Names that Qt gives to the undo and redo actions of a text field's menu."""


class FormTextField(QLineEdit):
    """A line edit whose text the form sets.

    Signals:
        left: The field lost the keyboard focus.
    """

    left = Signal()

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._problem = ""
        pass_undo_to_window(self)

    @property
    def problem(self) -> str:
        """Why the text is not valid; empty if it is."""
        return self._problem

    def show_text(self, text: str) -> None:
        """Show a text; keep the cursor if the text is the same."""
        if text != self.text():
            self.setText(text)
            if not self.hasFocus():
                self.setCursorPosition(0)

    def show_problem(self, sentence: str) -> None:
        """Mark the field as invalid and tell screen readers why.

        An empty sentence removes the mark.
        """
        if sentence == self._problem:
            return
        self._problem = sentence
        self.setAccessibleDescription(sentence)
        self.setProperty("wrong", bool(sentence))
        # Qt evaluates properties in style sheets only when it applies the style.
        self.style().unpolish(self)
        self.style().polish(self)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the standard menu without its undo and redo."""
        menu = self.createStandardContextMenu()
        for action in menu.actions():
            if action.objectName() in _OWN_ENTRIES:
                menu.removeAction(action)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End the edit, so that further typing is a new one."""
        super().focusOutEvent(event)
        self.left.emit()


class _UndoFilter(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ignore undo and redo keys, so that they reach the window."""
        keys = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() not in keys or not isinstance(event, QKeyEvent):
            return False
        if not any(event.matches(each) for each in _UNDO) and not _is_redo(event):
            return False
        event.ignore()
        return True


def _is_redo(event: QKeyEvent) -> bool:
    """Whether a key is Ctrl+Y, which some platforms do not define as redo."""
    only_control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
    return only_control and event.key() == Qt.Key.Key_Y


def pass_undo_to_window(field: QLineEdit) -> None:
    """Disable a text field's own undo, because the window has one history for all fields."""
    field.installEventFilter(_UndoFilter(field))
