"""A row of tags after a name; its widgets are reused."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from gradviz.document.tag import Tag
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.pill import Pill

_MOST_SPARE = 2
"""Hidden pills that are kept for the next tags."""


class TagPills(QObject):
    """Shows tags as pills inside a widget, which positions them.

    Args:
        theme: Colors and fonts to draw with.
        owner: Parent widget of the pills.

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

    @Slot()
    def _on_pill_clicked(self) -> None:
        pill = self.sender()
        if isinstance(pill, Pill) and pill.tag.jump is not None:
            self.jump_requested.emit(pill.tag.jump)

    @Slot(bool)
    def _on_pill_hovered(self, inside: bool) -> None:
        pill = self.sender()
        if isinstance(pill, Pill) and pill.tag.storage is not None:
            self.storage_hovered.emit(pill.tag.storage if inside else None)
