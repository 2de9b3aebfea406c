"""The first line of a tensor: its name, its tags, and two buttons at the end."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Signal
from PySide6.QtWidgets import QWidget

from gradviz.viewer.look.theme import UI_PIXELS, Theme
from gradviz.viewer.tensor_view.head_buttons import HeadButtons
from gradviz.viewer.tensor_view.tag_pills import TagPills
from gradviz.viewer.widgets.column import Column, flow
from gradviz.viewer.widgets.pill import Pill, Tag
from gradviz.viewer.widgets.plain_text import PlainLabel

_BESIDE = 6


class TensorHead(Column):
    """Name and tags in one line as far as they fit; the remaining tags below at full width.

    Signals:
        open_requested: The large view was requested.
        menu_requested: Global position at which the tensor's menu is to open.
        jump_requested: The `Jump` of a tag that was clicked.
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
        self.set_theme(theme)

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

    def light_storage(self, storage: int | None) -> None:
        """Highlight the letter of a storage, or none."""
        self._tags.light_storage(storage)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        for part in (self._name, self._tags, self._buttons):
            part.set_theme(theme)

    def place(self, width: int, *, move: bool) -> int:
        """Lay out name, tags and buttons; return the height."""
        buttons = self._buttons.sizeHint()
        taken = QSize(buttons.width() + _BESIDE, buttons.height())
        if move:
            self._buttons.setGeometry(QRect(QPoint(width - buttons.width(), 0), buttons))
            self._name.show_short(self._title, width - taken.width())
        return flow((self._name, *self._tags.pills), width, _BESIDE, move=move, taken=taken)
