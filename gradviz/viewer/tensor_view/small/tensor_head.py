"""The first line of a tensor: its name, its tags, and two buttons at the end."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.document.tag import Tag
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_icon
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_MOST_SPARE = 2
"""Hidden pills that are kept for the next tags."""


class TagPills(QObject):
    """Shows tags as pills inside a widget, which positions them.

    Signals:
        jump_requested: The `DocumentLink` of a pill that was clicked.
        storage_hovered: ID of the storage whose letter is under the mouse, or None.
    """

    jump_requested = Signal(object)
    storage_hovered = Signal(object)

    def __init__(self, theme: Theme, owner: QWidget) -> None:
        super().__init__(owner)
        self._theme = theme
        self._owner = owner
        self._pills: list[Pill] = []
        self._tags: tuple[Tag, ...] = ()

    @property
    def pills(self) -> tuple[Pill, ...]:
        """The visible pills."""
        return tuple(self._pills[: len(self._tags)])

    def show(self, tags: tuple[Tag, ...]) -> None:
        """Show other tags."""
        if tags == self._tags:
            return
        self._tags = tags
        while len(self._pills) < len(tags):
            pill = Pill(Tag(""), self._theme, parent=self._owner)
            pill.clicked.connect(self._on_pill_clicked)
            pill.hovered.connect(self._on_pill_hovered)
            self._pills.append(pill)
        for pill, tag in zip(self._pills, tags, strict=False):
            pill.show_tag(tag)
            pill.set_highlighted(False)
            pill.show()
        for pill in self._pills[len(tags) :]:
            pill.hide()
        # If each row of each panel kept the most that it ever showed, there would be hundreds.
        for pill in self._pills[len(tags) + _MOST_SPARE :]:
            pill.deleteLater()
        del self._pills[len(tags) + _MOST_SPARE :]

    def highlight_storage(self, storage: int | None) -> None:
        """Highlight the letter of a storage, or none."""
        for pill in self.pills:
            pill.set_highlighted(storage is not None and pill.tag.storage == storage)

    def _on_pill_clicked(self) -> None:
        pill = self.sender()
        if isinstance(pill, Pill) and pill.tag.jump is not None:
            self.jump_requested.emit(pill.tag.jump)

    def _on_pill_hovered(self, inside: bool) -> None:
        pill = self.sender()
        if isinstance(pill, Pill) and pill.tag.storage is not None:
            self.storage_hovered.emit(pill.tag.storage if inside else None)


_SIDE = 20
_ICON = 14
_ICONS = ("enlarge", "more")


class HeadButtons(QWidget):
    """Letter of shared memory, enlarge and menu buttons, while the mouse is over the tensor.

    From the heatmap, the keyboard does the same.

    Attributes:
        letter: The letter of shared memory.

    Signals:
        open_requested: The large view was requested.
        menu_requested: Global position at which the menu is to open.
    """

    open_requested = Signal()
    menu_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.letter = Pill(Tag(""), theme, parent=self)
        self._openable = False
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._made: tuple[QToolButton, QToolButton] | None = None

    @property
    def buttons(self) -> tuple[QToolButton, QToolButton]:
        """Opens the large view; opens the menu."""
        # Most rows of some steps are None or plain objects and never need them.
        if self._made is None:
            opening = self._button(self.tr("Enlarge"), self.tr("Enlarge (Enter)"))
            more = self._button(
                self.tr("Copy and more"), self.tr("Copy as Python, CSV or LaTeX, save (menu key)")
            )
            opening.clicked.connect(self.open_requested)
            more.clicked.connect(self._on_more_clicked)
            self._made = opening, more
        return self._made

    def prepare(self) -> None:
        """Create the buttons before there is a tensor to open."""
        self.update_theme()

    def show_tensor(self, openable: bool, letter: Tag | None) -> None:
        """Offer to open a tensor if there is one, and name the memory that it shares."""
        self._openable = openable
        self.letter.setVisible(letter is not None)
        self.letter.show_tag(letter or Tag(""))
        self.letter.set_highlighted(False)
        self.hide()

    def reveal(self, shown: bool) -> None:
        """Show or hide the buttons and the letter."""
        self.setVisible(shown and self._openable)
        if shown and self._openable:
            self.update_theme()
            self.raise_()

    def update_theme(self) -> None:
        """Lay out the letter and the buttons in a line."""
        side, left = self._theme.px(_SIDE), self.sizeHint().width()
        for place, button in enumerate(self.buttons):
            set_theme_icon(button, self._theme, _ICONS[place], "text_muted", side=_ICON)
            button.setGeometry(left - (2 - place) * side, 0, side, side)
        height = self.letter.sizeHint().height()
        self.letter.setGeometry(0, (side - height) // 2, left - 2 * side, height)

    def sizeHint(self) -> QSize:
        """Size of the letter and two square buttons side by side."""
        side = self._theme.px(_SIDE)
        letter = 0 if self.letter.isHidden() else self.letter.sizeHint().width()
        return QSize(letter + 2 * side, side)

    def _button(self, name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        # The heatmap is the tensor's only tab stop.
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        return button

    def _on_more_clicked(self) -> None:
        _, more = self.buttons
        self.menu_requested.emit(more.mapToGlobal(QPoint(0, more.height())))


_SPACING = 6
_TOLD_ON_HOVER = ("leaf", "output")
"""Tones of tags that only say what is usual."""


class TensorHead(ColumnLayoutWidget):
    """Name, shape and tags in one line as far as they fit; the remaining tags below.

    Attributes:
        title: The full name.
        kind: The text after the name: a shape, or all of what is not a tensor.
        buttons: The buttons that open the large view and the menu.
        tags: The tags after the name.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = self.kind = ""
        self._name = PlainLabel(pixels=UI_PIXELS, bold=True, parent=self)
        self._kind = PlainLabel(muted=True, parent=self)
        self.tags = TagPills(theme, self)
        self.buttons = HeadButtons(theme, self)
        for each in (self._name, self._kind):
            each.show()

    @property
    def pills(self) -> tuple[Pill, ...]:
        """The pills of the tags, and the letter of shared memory."""
        letter = self.buttons.letter
        return (*self.tags.pills, *([] if letter.isHidden() else [letter]))

    def show_head(self, title: str, kind: str, tags: tuple[Tag, ...], *, tip: str) -> None:
        """Show another name; the owner must lay the widget out afterwards.

        Args:
            title: The name.
            kind: A shape, or all of what is not a tensor.
            tags: The tags, and the letter of shared memory.
            tip: What is known of the tensor beyond these; empty if there is no tensor.
        """
        self.title, self.kind = title, kind
        letter = next((tag for tag in tags if tag.storage is not None), None)
        calm = [tag for tag in tags if tag.tone in _TOLD_ON_HOVER and tag.jump is None]
        self.tags.show(tuple(tag for tag in tags if tag is not letter and tag not in calm))
        self.setToolTip(plain_tooltip("\n".join([tip, *(tag.text for tag in calm)])))
        self.buttons.show_tensor(bool(tip), letter)

    def highlight_storage(self, storage: int | None) -> None:
        """Show and highlight the letter of a storage, or none."""
        letter = self.buttons.letter
        is_same = storage is not None and letter.tag.storage == storage
        if is_same != letter.is_highlighted:
            letter.set_highlighted(is_same)
            self.buttons.reveal(is_same)

    def place(self, width: int, *, move: bool) -> int:
        """Lay out name, shape, tags and buttons; return the height."""
        if move:
            size = self.buttons.sizeHint()
            self.buttons.setGeometry(QRect(QPoint(width - size.width(), 0), size))
        self._name.show_short(self.title, width)
        self._kind.show_short(self.kind, width)
        return flow((self._name, self._kind, *self.tags.pills), width, _SPACING, move=move)
