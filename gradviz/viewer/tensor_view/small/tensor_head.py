"""The first line of a tensor: its name, its tags, and two buttons at the end."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.document.tag import Tag
from gradviz.viewer.tensor_view.tag_pills import TagPills
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_icon
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainLabel

_SIDE = 20
_ICON = 14
_ICONS = ("enlarge", "more")


class HeadButtons(QWidget):
    """Enlarge and menu buttons; from the heatmap, the keyboard does the same.

    Signals:
        open_requested: The large view was requested.
        menu_requested: Global position at which the menu is to open.
    """

    open_requested = Signal()
    menu_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._made: tuple[QToolButton, QToolButton] | None = None

    @property
    def open_button(self) -> QToolButton:
        """The button that opens the large view."""
        return self._buttons[0]

    @property
    def more_button(self) -> QToolButton:
        """The button that opens the menu."""
        return self._buttons[1]

    @property
    def _buttons(self) -> tuple[QToolButton, QToolButton]:
        # Most rows of some steps are None or plain objects and never need them.
        if self._made is None:
            opening = self._button(self.tr("Enlarge"), self.tr("Enlarge (Enter)"))
            more = self._button(
                self.tr("Copy and more"), self.tr("Copy as Python, CSV or LaTeX, save (menu key)")
            )
            opening.clicked.connect(self.open_requested)
            more.clicked.connect(self._on_more_clicked)
            self._made = opening, more
            self.update_theme()
        return self._made

    def prepare(self) -> None:
        """Create the buttons before there is a tensor to open."""
        for button in self._buttons:
            button.hide()

    def set_openable(self, openable: bool) -> None:
        """Show the buttons only if there is a tensor to open."""
        if openable or self._made is not None:
            for button in self._buttons:
                button.setVisible(openable)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        side = self._theme.px(_SIDE)
        for place, button in enumerate(self._made or ()):
            set_theme_icon(button, self._theme, _ICONS[place], "text_muted", side=_ICON)
            button.setGeometry(place * side, 0, side, side)

    def sizeHint(self) -> QSize:
        """Size of two square buttons side by side."""
        side = self._theme.px(_SIDE)
        return QSize(2 * side, side)

    def _button(self, name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        # The heatmap is the tensor's only tab stop.
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        return button

    @Slot()
    def _on_more_clicked(self) -> None:
        self.menu_requested.emit(self.more_button.mapToGlobal(QPoint(0, self.more_button.height())))


_SPACING = 6


class TensorHead(ColumnLayoutWidget):
    """Name and tags in one line as far as they fit; the remaining tags below at full width.

    Signals:
        open_requested: The large view was requested.
        menu_requested: Global position at which the tensor's menu is to open.
        jump_requested: The `DocumentLink` of a tag that was clicked.
        storage_hovered: ID of the storage whose letter is under the mouse, or None.
    """

    open_requested = Signal()
    menu_requested = Signal(object)
    jump_requested = Signal(object)
    storage_hovered = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ""
        self._name = PlainLabel(pixels=UI_PIXELS, bold=True, parent=self)
        self._tags = TagPills(theme, self)
        self._buttons = HeadButtons(theme, self)
        self._name.show()
        self._buttons.show()
        self._buttons.open_requested.connect(self.open_requested)
        self._buttons.menu_requested.connect(self.menu_requested)
        self._tags.jump_requested.connect(self.jump_requested)
        self._tags.storage_hovered.connect(self.storage_hovered)

    @property
    def title(self) -> str:
        """The full name."""
        return self._title

    @property
    def pills(self) -> tuple[Pill, ...]:
        """The pills of the tags."""
        return self._tags.pills

    @property
    def buttons(self) -> HeadButtons:
        """The buttons that open the large view and the menu."""
        return self._buttons

    def show_head(self, title: str, tags: tuple[Tag, ...], *, openable: bool) -> None:
        """Show another name; the owner must lay the widget out afterwards.

        Args:
            title: The name.
            tags: The tags.
            openable: Whether there is a tensor to enlarge.
        """
        self._title = title
        self._tags.show(tags)
        self._buttons.set_openable(openable)

    def highlight_storage(self, storage: int | None) -> None:
        """Highlight the letter of a storage, or none."""
        self._tags.highlight_storage(storage)

    def place(self, width: int, *, move: bool) -> int:
        """Lay out name, tags and buttons; return the height."""
        buttons = self._buttons.sizeHint()
        taken = QSize(buttons.width() + _SPACING, buttons.height())
        if move:
            self._buttons.setGeometry(QRect(QPoint(width - buttons.width(), 0), buttons))
            self._name.show_short(self._title, width - taken.width())
        return flow((self._name, *self._tags.pills), width, _SPACING, move=move, taken=taken)
