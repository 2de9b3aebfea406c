"""The fields of forms: each shows a value silently and reports what the user makes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from gradviz.viewer.widgets.wheel_guard import WheelGuard

FormEntry = tuple[Any, str] | tuple[Any, str, str]
"""Value, text and, if there is one, tooltip."""

_UNDO = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
_OWN_ENTRIES = ("edit-undo", "edit-redo")
"""Names that Qt gives to the undo and redo actions of a text field's menu."""
_OF_WINDOW = "undo-of-window"


class FieldError(ValueError):
    """The content of a field is not valid; the message is a sentence for the user."""


class FormTextField(QLineEdit):
    """A line edit whose text the form sets.

    Args:
        hint: Shown while the field is empty.
        read: Returns the value of a text, or raises `FieldError`; None if it is the text.
        write: Returns the text of a value.
        width: Fixed width in pixels, at scale 1; 0 for any width.
        mono: Whether the text is code.
        when_done: Whether an edit counts on Enter or when the focus leaves, not at each key.

    Signals:
        edited: The text that the user has typed.
        left: The field lost the keyboard focus.
    """

    edited = Signal(object)
    left = Signal()

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        hint: str = "",
        read: Callable[[str], Any] | None = None,
        write: Callable[[Any], str] = str,
        width: int = 0,
        mono: bool = False,
        when_done: bool = False,
    ) -> None:
        super().__init__(parent)
        self.pixels, self.is_mono, self.is_read = width, mono, read is not None
        self._read, self._write = read or str, write
        self._problem = ""
        self.setPlaceholderText(hint)
        (self.editingFinished if when_done else self.textEdited).connect(self._on_self_edited)

    @property
    def problem(self) -> str:
        """Why the text is not valid; empty if it is."""
        return self._problem

    def value(self) -> Any:
        """The value of the text.

        Raises:
            FieldError: If the text has none.
        """
        return self._read(self.text())

    @property
    def refusal(self) -> str:
        """Why the text has no value, as a sentence; empty if it has one."""
        try:
            self.value()
        except FieldError as error:
            return str(error)
        return ""

    def show_value(self, value: Any) -> None:
        """Show the text of a value; keep the cursor if the text is the same."""
        text = self._write(value)
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

    def _on_self_edited(self) -> None:
        self.edited.emit(self.text())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the standard menu, without undo and redo if these are the window's."""
        menu = self.createStandardContextMenu()
        for action in menu.actions():
            if action.objectName() in _OWN_ENTRIES and self.property(_OF_WINDOW):
                menu.removeAction(action)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End the edit, so that further typing is a new one."""
        super().focusOutEvent(event)
        self.left.emit()


class FormDecimalField(FormTextField):
    """A text field for a finite number from 0, or above 0, in Python syntax.

    Args:
        problem: The sentence on any other text.
        is_positive: Whether 0 is not valid.
        width: As in `FormTextField`.
        when_done: As in `FormTextField`.
    """

    def __init__(
        self,
        problem: str,
        *,
        is_positive: bool = False,
        width: int = 0,
        when_done: bool = False,
    ) -> None:
        def read(text: str) -> float:
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            if math.isfinite(number) and (number > 0 if is_positive else number >= 0):
                return number
            raise FieldError(problem)

        super().__init__(read=read, write=_decimal_text, width=width, when_done=when_done)


def _decimal_text(number: float) -> str:
    return f"{number:g}"


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
    field.setProperty(_OF_WINDOW, True)
    field.installEventFilter(_UndoFilter(field))


class FormComboBox(QComboBox):
    """A combo box that ignores the wheel without focus, so that the form scrolls instead.

    Args:
        entries: Value, text and, if there is one, tooltip of each entry.

    Signals:
        edited: The value that the user has chosen.
    """

    edited = Signal(object)

    def __init__(self, entries: Iterable[FormEntry]) -> None:
        super().__init__()
        self.show_entries(entries)
        WheelGuard(self)
        self.setMinimumContentsLength(4)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.currentIndexChanged.connect(self._on_self_index_changed)

    def width_for(self, text: str) -> int:
        """Width in pixels at which an entry fits beside the arrow."""
        metrics = self.fontMetrics()
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        size = QSize(metrics.horizontalAdvance(text), metrics.height())
        kind = QStyle.ContentsType.CT_ComboBox
        return self.style().sizeFromContents(kind, option, size, self).width()

    def show_entries(self, entries: Iterable[FormEntry]) -> None:
        """Offer other values, and select the first, without emitting a signal."""
        with QSignalBlocker(self):
            self.clear()
            for value, text, *tips in entries:
                self.addItem(text, value)
                self.describe(value, text, *tips)

    def describe(self, value: object, text: str, tip: str = "") -> None:
        """Set the text and the tooltip of an entry."""
        at = self.findData(value)
        self.setItemText(at, text)
        self.setItemData(at, tip or None, Qt.ItemDataRole.ToolTipRole)

    def value(self) -> Any:
        """The selected value; None if no entry is selected."""
        return self.currentData()

    def show_value(self, value: object) -> None:
        """Select a value without emitting a signal."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(value))

    def _on_self_index_changed(self) -> None:
        self.edited.emit(self.value())


class FormSpinBox(QSpinBox):
    """A spin box for integers that ignores the wheel without focus.

    Args:
        limits: Minimum and maximum of the shown number.
        step: The amount added by an arrow.
        prefix: Shown before the number.
        suffix: The unit.
        when_done: Whether a number counts once it is complete, not after each digit.

    Signals:
        edited: The number that the user has entered.
        left: The field lost the keyboard focus, or Enter was pressed.
    """

    edited = Signal(object)
    left = Signal()

    def __init__(
        self,
        limits: tuple[int, int],
        *,
        step: int = 1,
        prefix: str = "",
        suffix: str = "",
        when_done: bool = False,
    ) -> None:
        super().__init__()
        self.setRange(*limits)
        self.setSingleStep(step)
        self.setPrefix(prefix)
        self.setSuffix(suffix)
        self.setKeyboardTracking(not when_done)
        WheelGuard(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(44)
        self.valueChanged.connect(self._on_self_changed)
        self.editingFinished.connect(self.left)

    def show_value(self, value: int) -> None:
        """Show a number without emitting a signal; keep the cursor if the number is the same."""
        if value != self.value():
            with QSignalBlocker(self):
                self.setValue(value)

    def _on_self_changed(self) -> None:
        self.edited.emit(self.value())


class FormCheckBox(QCheckBox):
    """A check box.

    Signals:
        edited: Whether the user has checked it.
    """

    edited = Signal(object)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.toggled.connect(self._on_self_toggled)

    def value(self) -> bool:
        """Whether it is checked."""
        return self.isChecked()

    def show_value(self, value: bool) -> None:
        """Check or clear it without emitting a signal."""
        with QSignalBlocker(self):
            self.setChecked(value)

    def _on_self_toggled(self) -> None:
        self.edited.emit(self.isChecked())


FormControl = FormTextField | FormComboBox | FormSpinBox | FormCheckBox
