"""A form: fields, each declared by one call, with captions, problems and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPalette
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.forms.controls import (
    FieldError,
    FormCheckBox,
    FormComboBox,
    FormControl,
    FormSpinBox,
    FormTextField,
    pass_undo_to_window,
)
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out, scroll
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.screen_reader import announce

FieldMessageKind = Literal["error", "note"]
ShownRule = Callable[[dict[str, Any]], bool]
"""Whether a field is shown, by the values of the others."""

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

    def __init__(self, tone: FieldMessageKind, theme: Theme) -> None:
        super().__init__()
        self._tone = tone
        self._icon = QLabel()
        self._text = PlainLabel()
        self._text.setForegroundRole(_LOOKS[tone][2])
        lay_out(
            QHBoxLayout(self),
            (self._icon, 0, Qt.AlignmentFlag.AlignTop),
            (self._text, 1),
            margins=(0, 0, 0, 2),
            gap=5,
        )
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

    def __init__(self, caption: PlainLabel, field: QWidget, problem: FieldMessage | None) -> None:
        self.caption = caption
        self.field = field
        self.problem = problem
        self.is_shown = True

    def show(self, visible: bool) -> None:
        """Show or hide field, caption and problem."""
        self.is_shown = visible
        self.caption.setVisible(visible and bool(self.caption.text()))
        self.field.setVisible(visible)
        if self.problem is not None:
            self.problem.setVisible(visible and bool(self.problem.text()))

    @property
    def problem_text(self) -> str:
        """Why the field is not valid; empty if it is."""
        return "" if self.problem is None else self.problem.text()

    def say(self, sentence: str) -> None:
        """Show why the field is not valid; an empty sentence removes the message."""
        if self.problem is not None:
            self.problem.say(sentence)
        if isinstance(self.field, FormTextField):
            self.field.show_problem(sentence)
        else:
            self.field.setAccessibleDescription(sentence)


class FieldForm(QWidget):
    """Fields below each other, with captions beside or above them, or in a row.

    In a row, only the mark of a field says that it is not valid, as there is no space for more.

    Args:
        theme: Fonts and sizes.
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
        *,
        row: QLayout | None = None,
        is_muted: bool = False,
        has_history: bool = False,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._is_muted, self._has_history = is_muted, has_history
        self.controls: dict[str, FormControl] = {}
        self.lines: dict[str, FormLine] = {}
        self._placed: list[FormLine | None] = []
        self._rules: dict[str, ShownRule] = {}
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

    def add_field(
        self,
        name: str,
        control: _Control,
        caption: str = "",
        *,
        title: str = "",
        tip: str = "",
        shown: ShownRule | None = None,
    ) -> _Control:
        """Add a field, and return it.

        Args:
            name: Name of the value that it edits.
            control: The field.
            caption: Text beside or above it; empty for none.
            title: Its name for screen readers, if that is not the caption.
            tip: Its tooltip.
            shown: Whether it is shown, by the values of the fields that are no texts.
        """
        control.setAccessibleName(title or caption.replace("&", ""))
        control.setToolTip(plain_tooltip(tip))
        control.edited.connect(partial(self._on_control_edited, name))
        if isinstance(control, FormTextField):
            control.returnPressed.connect(self.submitted)
            if control.is_mono:
                set_theme_font(control, self._theme, mono=True)
        if isinstance(control, FormTextField | FormSpinBox):
            control.left.connect(self.left)
            if self._has_history:
                text = control if isinstance(control, FormTextField) else control.lineEdit()
                pass_undo_to_window(text)
        if isinstance(control, FormComboBox) and self._row is not None:
            control.setSizeAdjustPolicy(control.SizeAdjustPolicy.AdjustToContents)
            control.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.controls[name] = control
        self.lines[name] = self.add(control, caption)
        if shown is not None:
            self._rules[name] = shown
            self.show_needed()
        return control

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
        message = FieldMessage("error", self._theme) if self._row is None else None
        line = FormLine(label, field, message)
        self._placed.append(line)
        self._fit(line)
        self._place(len(self._placed) - 1, line)
        return line

    def values(self) -> dict[str, Any]:
        """Return the values of the shown fields, by their names.

        Raises:
            FieldError: If a field has none.
        """
        shown = (name for name, line in self.lines.items() if line.is_shown)
        return {name: self.controls[name].value() for name in shown}

    @property
    def choices(self) -> dict[str, Any]:
        """The values of the fields that are no texts, shown or not, by their names."""
        return {
            name: control.value()
            for name, control in self.controls.items()
            if not isinstance(control, FormTextField)
        }

    @property
    def problem_text(self) -> str:
        """Why the first invalid field is not valid, as a sentence; empty if all are."""
        try:
            self.values()
        except FieldError as error:
            return str(error)
        return ""

    def show_values(self, values: object) -> None:
        """Show the attributes of an object in the fields of the same names, without a signal."""
        for name, control in self.controls.items():
            if hasattr(values, name):
                control.show_value(getattr(values, name))
                self._mark(name)
        self.show_needed()

    def show_needed(self) -> None:
        """Show the fields that the values of others need, and hide those that they do not."""
        choices = self.choices
        for name, rule in self._rules.items():
            self.lines[name].show(rule(choices))

    def _mark(self, name: str) -> None:
        control = self.controls[name]
        if isinstance(control, FormTextField) and control.is_read:
            self.lines[name].say(control.refusal)

    def _on_control_edited(self, name: str, value: object) -> None:
        self._mark(name)
        self.show_needed()
        self.edited.emit(name, value)

    def _ask_for_file(self, name: str, title: str, patterns: str) -> None:
        field = self.controls[name]
        before = field.text() if isinstance(field, FormTextField) else ""
        chosen, _ = QFileDialog.getOpenFileName(self, title, before, patterns)
        if chosen:
            self.edited.emit(name, chosen)

    def update_theme(self) -> None:
        """Fit the heights to the theme."""
        for line in self._placed:
            if line is not None:
                self._fit(line)

    def _fit(self, line: FormLine) -> None:
        field = line.field
        if isinstance(field, FormControl) and not isinstance(field, FormCheckBox):
            field.setFixedHeight(self._theme.px(_HEIGHT))
        if isinstance(field, FormTextField) and field.pixels:
            field.setFixedWidth(self._theme.px(field.pixels))

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
        self._grid.addWidget(line.caption, row, 0, 1, 2 if self._stacked else 1)
        first, wide = (0, 2) if self._stacked else (1, 1)
        below = row + 1 if self._stacked else row
        self._grid.addWidget(line.field, below, first, 1, wide)
        if line.problem is not None:
            self._grid.addWidget(line.problem, row + 2, first, 1, wide)


class FormPopup(QFrame):
    """A form that opens on a button or a link, and scrolls on a low screen; Escape closes it."""

    def __init__(self, form: FieldForm, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._form, self._place = form, QPoint()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        form.setContentsMargins(*[_HEIGHT // 2] * 4)
        area = QScrollArea()
        scroll(area, form)
        lay_out(QVBoxLayout(self), area)
        # A message may need more space.
        form.edited.connect(self._fit)

    def open_at(self, place: QPoint) -> None:
        """Open it with its upper left corner at a place, or as near to it as the screen allows."""
        self._place = place
        self.open_again()

    def open_again(self) -> None:
        """Open it where it was, with the focus in the first field that is not valid."""
        self._fit()
        self.show()
        wrong = (line.field for line in self._form.lines.values() if line.problem_text)
        next(wrong, self._form.in_order[0]).setFocus(Qt.FocusReason.PopupFocusReason)

    def _fit(self) -> None:
        space, frame = self.screen().availableGeometry(), 2 * self.frameWidth()
        size = (self._form.sizeHint() + QSize(frame, frame)).boundedTo(space.size())
        most = space.bottomRight() - QPoint(size.width(), size.height())
        at = QPoint(min(self._place.x(), most.x()), min(self._place.y(), most.y()))
        self.setGeometry(QRect(at, size))


def caption_width(captions: Iterable[str], theme: Theme, pixels: int = SMALL_PIXELS) -> int:
    """Width of the widest caption, in pixels."""
    metrics = QFontMetrics(theme.font(pixels))
    return max(metrics.horizontalAdvance(caption) for caption in captions) + 1
