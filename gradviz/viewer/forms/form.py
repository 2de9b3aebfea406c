"""A form: fields, each declared by one call, with captions, problems and notes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPalette
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.forms.controls import (
    FormCheckBox,
    FormComboBox,
    FormControl,
    FormEntry,
    FormSpinBox,
    FormTextField,
    pass_undo_to_window,
)
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.screen_reader import announce

FieldMessageKind = Literal["error", "note"]
_Control = TypeVar("_Control", bound=FormControl)

_LOOKS: dict[FieldMessageKind, tuple[str, PaletteRole, QPalette.ColorRole]] = {
    "error": ("error", "error", QPalette.ColorRole.BrightText),
    "note": ("info", "text_muted", QPalette.ColorRole.PlaceholderText),
}
"""Icon, its color role, and the same color's role in Qt's palette."""

_HEIGHT = 26
"""Height of every field in pixels, whatever its kind, so that lines are evenly spaced."""


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


class FormLine:
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


class FieldForm(QWidget):
    """Fields below each other, with captions beside or above them, or in a row.

    Each method that adds a field takes its name, which is that of the value it edits; its caption,
    which may be empty; its name for screen readers, if that is not the caption; and a tooltip.

    Args:
        theme: Fonts and sizes.
        parent: The parent widget.
        row: Layout for a row of fields; None for a grid.
        is_muted: Whether captions are small and muted.
        has_history: Whether undo belongs to the window, not to each text field.

    Signals:
        edited: Name of a field, and the value that the user gave it.
        left: Typing in a field has ended.
        submitted: Enter was pressed in a text field.
    """

    edited = Signal(str, object)
    left = Signal()
    submitted = Signal()

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        row: QLayout | None = None,
        is_muted: bool = False,
        has_history: bool = False,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_muted, self._has_history = is_muted, has_history
        self.controls: dict[str, FormControl] = {}
        self.lines: dict[str, FormLine] = {}
        self._placed: list[FormLine | None] = []
        self._widths: dict[QWidget, int] = {}
        self._stacked = False
        self._grid = QGridLayout()
        self._row = row
        layout = self._grid if row is None else row
        layout.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4 if is_muted else 6)
        self._grid.setColumnStretch(1, 1)
        self.setLayout(layout)

    @property
    def in_order(self) -> tuple[QWidget, ...]:
        """All fields and buttons in tab order."""
        each = (line.field for line in self._placed if line is not None)
        return tuple(field for field in each if isinstance(field, FormControl | QPushButton))

    def add_text(
        self,
        name: str,
        caption: str = "",
        *,
        title: str = "",
        tip: str = "",
        hint: str = "",
        width: int = 0,
        mono: bool = False,
        when_done: bool = False,
    ) -> FormTextField:
        """Add a text field.

        Args:
            name: As for all fields.
            caption: As for all fields.
            title: As for all fields.
            tip: As for all fields.
            hint: Shown while the field is empty.
            width: Fixed width in pixels, at scale 1; 0 for any width.
            mono: Whether the text is code.
            when_done: Whether an edit counts on Enter or when the focus leaves, not at each key.
        """
        field = FormTextField(when_done=when_done)
        field.setPlaceholderText(hint)
        self._widths[field] = width
        if mono:
            set_theme_font(field, self._theme, mono=True)
        if self._has_history:
            pass_undo_to_window(field)
        field.left.connect(self.left)
        field.returnPressed.connect(self.submitted)
        return self._add(field, name, caption, title, tip)

    def add_choice(
        self,
        name: str,
        caption: str = "",
        *,
        entries: Iterable[FormEntry],
        title: str = "",
        tip: str = "",
    ) -> FormComboBox:
        """Add a combo box."""
        field = FormComboBox(entries)
        if self._row is not None:
            field.setSizeAdjustPolicy(field.SizeAdjustPolicy.AdjustToContents)
            field.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        return self._add(field, name, caption, title, tip)

    def add_number(
        self,
        name: str,
        caption: str = "",
        *,
        limits: tuple[int, int],
        step: int = 1,
        suffix: str = "",
        zero: str = "",
        title: str = "",
        tip: str = "",
    ) -> FormSpinBox:
        """Add a spin box.

        Args:
            name: As for all fields.
            caption: As for all fields.
            limits: Minimum and maximum.
            step: The amount added by an arrow.
            suffix: The unit.
            zero: Shown instead of the minimum.
            title: As for all fields.
            tip: As for all fields.
        """
        field = FormSpinBox(limits)
        field.setSingleStep(step)
        field.setSuffix(suffix)
        field.setSpecialValueText(zero)
        if self._has_history:
            pass_undo_to_window(field.lineEdit())
        field.left.connect(self.left)
        return self._add(field, name, caption, title, tip)

    def add_switch(self, name: str, text: str, *, title: str = "", tip: str = "") -> FormCheckBox:
        """Add a check box with its text beside it."""
        return self._add(FormCheckBox(text), name, "", title, tip)

    def add_browse(
        self, name: str, text: str, *, title: str, patterns: str, tip: str = ""
    ) -> QPushButton:
        """Add a button that asks for a file whose path becomes the value of a field."""
        button = QPushButton(text)
        button.setToolTip(plain_tooltip(tip))
        button.clicked.connect(partial(self._ask_for_file, name, title, patterns))
        self.add(button)
        return button

    def add_heading(self, text: str) -> None:
        """Add a heading over the fields that follow."""
        heading = PlainLabel(text, pixels=UI_PIXELS + 1, bold=True)
        heading.setContentsMargins(0, 14 if self._placed else 0, 0, 0)
        self.add_wide(heading)

    def add_note(self, text: str = "") -> PlainLabel:
        """Add a sentence below the last field."""
        note = PlainLabel(text, muted=True)
        self.add(note)
        return note

    def add_wide(self, widget: QWidget) -> None:
        """Add a widget below the last field, as wide as fields with their captions."""
        self._grid.addWidget(widget, 3 * len(self._placed), 0, 1, 2)
        self._placed.append(None)

    def add(self, field: QWidget, caption: str = "") -> FormLine:
        """Add any widget as a field."""
        pixels = SMALL_PIXELS if self._is_muted else UI_PIXELS
        label = PlainLabel(caption, muted=self._is_muted, pixels=pixels)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        label.setWordWrap(False)
        label.setBuddy(field)
        line = FormLine(label, field, FieldMessage("error", self._theme))
        self._placed.append(line)
        self._fit(line)
        self._place(len(self._placed) - 1, line)
        return line

    def _add(self, control: _Control, name: str, caption: str, title: str, tip: str) -> _Control:
        control.setAccessibleName(title or caption.replace("&", ""))
        control.setToolTip(plain_tooltip(tip))
        control.edited.connect(partial(self.edited.emit, name))
        self.controls[name] = control
        self.lines[name] = self.add(control, caption)
        return control

    def values(self) -> dict[str, Any]:
        """Return what the fields show, by their names."""
        return {name: control.value() for name, control in self.controls.items()}

    def show_values(self, values: object) -> None:
        """Show the attributes of an object in the fields of the same names, without a signal."""
        for name, control in self.controls.items():
            if hasattr(values, name):
                control.show_value(getattr(values, name))

    def _ask_for_file(self, name: str, title: str, patterns: str) -> None:
        before = str(self.controls[name].value())
        chosen, _ = QFileDialog.getOpenFileName(self, title, before, patterns)
        if chosen:
            self.edited.emit(name, chosen)

    def update_theme(self) -> None:
        """Fit the heights to the theme."""
        for line in self._placed:
            if line is not None:
                self._fit(line)

    def _fit(self, line: FormLine) -> None:
        is_box = isinstance(line.field, FormControl) and not isinstance(line.field, FormCheckBox)
        if is_box:
            line.field.setFixedHeight(self._theme.px(_HEIGHT))
        if width := self._widths.get(line.field, 0):
            line.field.setFixedWidth(self._theme.px(width))

    @property
    def caption_width(self) -> int:
        """Width of the widest caption, in pixels."""
        texts = (each.caption.text() for each in self._placed if each is not None)
        pixels = SMALL_PIXELS if self._is_muted else UI_PIXELS
        return caption_width((text.replace("&", "") for text in texts), self._theme, pixels)

    def arrange(self, captions: int, *, stacked: bool = False) -> None:
        """Position the captions.

        Args:
            captions: Width of the caption column in pixels, if captions are beside the fields.
            stacked: Whether captions are above the fields, for small widths.
        """
        self._grid.setColumnMinimumWidth(0, 0 if stacked else captions)
        if stacked != self._stacked:
            self._stacked = stacked
            for at, line in enumerate(self._placed):
                if line is not None:
                    self._place(at, line)

    def _place(self, at: int, line: FormLine) -> None:
        if self._row is not None:
            line.caption.setSizePolicy(line.field.sizePolicy())
            for widget in (line.caption, line.field) if line.caption.text() else (line.field,):
                self._row.addWidget(widget)
            return
        row = 3 * at
        for widget in (line.caption, line.field, line.problem):
            self._grid.removeWidget(widget)
        self._grid.addWidget(line.caption, row, 0, 1, 2 if self._stacked else 1)
        first, wide = (0, 2) if self._stacked else (1, 1)
        below = row + 1 if self._stacked else row
        self._grid.addWidget(line.field, below, first, 1, wide)
        self._grid.addWidget(line.problem, row + 2, first, 1, wide)


def caption_width(captions: Iterable[str], theme: Theme, pixels: int = SMALL_PIXELS) -> int:
    """Width of the widest caption, in pixels."""
    metrics = QFontMetrics(theme.font(pixels))
    return max(metrics.horizontalAdvance(caption) for caption in captions) + 1
