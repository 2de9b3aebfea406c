"""A grid of fields with their captions and problems."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from gradviz.viewer.inputs.fields.text_field import FieldMessage, FormTextField, pass_undo_to_window
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.wheel_guard import WheelGuard

_HEIGHT = 26
"""Height of every field in pixels, whatever its kind, so that lines are evenly spaced."""


class FieldLine:
    """A field with its caption and its problem."""

    def __init__(self, caption: PlainLabel, field: QWidget, problem: FieldMessage) -> None:
        self.caption = caption
        self.field = field
        self.problem = problem

    def show(self, visible: bool) -> None:
        """Show or hide field, caption and problem."""
        self.caption.setVisible(visible and bool(self.caption.text()))
        self.field.setVisible(visible)
        self.problem.setVisible(visible and bool(self.problem.text()))

    def say(self, sentence: str) -> None:
        """Show why the field is not valid; an empty sentence removes the message."""
        self.problem.say(sentence)
        if isinstance(self.field, FormTextField):
            self.field.show_problem(sentence)
        else:
            self.field.setAccessibleDescription(sentence)


class FieldGrid(QWidget):
    """Lines of fields, with captions beside or above them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: list[FieldLine] = []
        self._stacked = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)

    def add(self, caption: str, field: QWidget) -> FieldLine:
        """Append a field; an empty caption leaves its space blank."""
        label = PlainLabel(caption, muted=True)
        label.setWordWrap(False)
        line = FieldLine(label, field, FieldMessage("error", self._theme))
        self._fit(line)
        self._lines.append(line)
        self._place(len(self._lines) - 1, line)
        return line

    def update_theme(self) -> None:
        """Fit the heights to the theme."""
        for line in self._lines:
            self._fit(line)

    def _fit(self, line: FieldLine) -> None:
        if isinstance(line.field, QLineEdit | QComboBox | QSpinBox):
            line.field.setFixedHeight(self._theme.px(_HEIGHT))

    def arrange(self, captions: int, *, stacked: bool) -> None:
        """Position the captions.

        Args:
            captions: Width of the caption column in pixels, if captions are beside the fields.
            stacked: Whether captions are above the fields, for small widths.
        """
        self._grid.setColumnMinimumWidth(0, 0 if stacked else captions)
        if stacked != self._stacked:
            self._stacked = stacked
            for at, line in enumerate(self._lines):
                self._place(at, line)

    def _place(self, at: int, line: FieldLine) -> None:
        row = 3 * at
        for widget in (line.caption, line.field, line.problem):
            self._grid.removeWidget(widget)
        self._grid.addWidget(line.caption, row, 0, 1, 2 if self._stacked else 1)
        first, wide = (0, 2) if self._stacked else (1, 1)
        below = row + 1 if self._stacked else row
        self._grid.addWidget(line.field, below, first, 1, wide)
        self._grid.addWidget(line.problem, row + 2, first, 1, wide)


def caption_width(captions: Iterable[str], theme: Theme) -> int:
    """Width of the widest caption, in pixels."""
    metrics = QFontMetrics(theme.font(SMALL_PIXELS))
    return max(metrics.horizontalAdvance(caption) for caption in captions) + 1


class FormComboBox(QComboBox):
    """A combo box that ignores the wheel without focus, so that the form scrolls instead."""

    def __init__(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Set the entries: value, text and tooltip."""
        super().__init__()
        for value, text, tip in entries:
            self.addItem("", value)
            self.describe(value, text, tip)
        WheelGuard(self)
        self.setMinimumContentsLength(4)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def width_for(self, text: str) -> int:
        """Width in pixels at which an entry fits beside the arrow."""
        metrics = self.fontMetrics()
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        size = QSize(metrics.horizontalAdvance(text), metrics.height())
        kind = QStyle.ContentsType.CT_ComboBox
        return self.style().sizeFromContents(kind, option, size, self).width()

    def describe(self, value: str, text: str, tip: str) -> None:
        """Set the text and the tooltip of an entry."""
        at = self.findData(value)
        self.setItemText(at, text)
        self.setItemData(at, tip, Qt.ItemDataRole.ToolTipRole)

    def value(self) -> str:
        """The selected value."""
        return str(self.currentData())

    def show_value(self, value: str) -> None:
        """Select a value without emitting a signal."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(value))


class FormSpinBox(QSpinBox):
    """A spin box for integers from 0 that ignores the wheel without focus."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.setRange(0, most)
        WheelGuard(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(44)
        pass_undo_to_window(self.lineEdit())

    def show_value(self, value: int) -> None:
        """Show a number without emitting a signal; keep the cursor if the number is the same."""
        if value != self.value():
            with QSignalBlocker(self):
                self.setValue(value)
