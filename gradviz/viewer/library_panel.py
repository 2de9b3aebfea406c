"""The library: the gallery's scenes by group, and what the user's files offer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem, QWidget

from gradviz.gallery.catalogue import SCENES, Scene, offer_of
from gradviz.model.inputs import Offer, Subject
from gradviz.viewer.focus_ring import FocusRing
from gradviz.viewer.keys import pressed
from gradviz.viewer.plain_text import plain_tooltip
from gradviz.viewer.theme import LIGHT

_OFFER = Qt.ItemDataRole.UserRole
_PATH = Qt.ItemDataRole.UserRole + 1


class LibraryPanel(QTreeWidget):
    """A list of everything that can be run.

    Signals:
        picked: The `Offer` that was clicked, or chosen with Enter.
        file_picked: Path of the file that was, of which nothing is known yet.
    """

    picked = Signal(object)
    file_picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._groups: dict[str, QTreeWidgetItem] = {}
        super().__init__(parent)
        self.setObjectName("library")
        self.setHeaderHidden(True)
        self.setIndentation(14)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAccessibleName(self.tr("Library"))
        FocusRing(self)
        self._files: dict[str, list[QTreeWidgetItem]] = {}
        self._recent: tuple[Path, ...] = ()
        self._unread: list[QTreeWidgetItem] = []
        for scene in SCENES:
            self._add(scene.group, offer_of(scene), _scene_tip(scene))
        self.itemClicked.connect(self._on_item_clicked)

    def show_file(self, path: Path, offers: tuple[Offer, ...]) -> None:
        """Lists what a file offers, in place of what it offered before."""
        group = self._group(self.tr("Your files"))
        for old in self._files.pop(str(path), []):
            group.removeChild(old)
        added = []
        for offer in offers:
            item = self._add(group.text(0), offer, f"{offer.title}\n{offer.subject.text}")
            item.setText(0, f"{offer.title}  ({path.name})")
            added.append(item)
        self._files[str(path)] = added
        self.show_recent(self._recent)

    def show_recent(self, paths: tuple[Path, ...]) -> None:
        """Lists files that were opened before, below what is known to be in some."""
        self._recent = paths
        for old in self._unread:
            group = old.parent()
            if group is not None:
                group.removeChild(old)
        unread = [path for path in paths if not self._files.get(str(path))]
        self._unread = [self._add_file(path) for path in unread]

    def offer_of(self, subject: Subject) -> Offer | None:
        """What is listed of a subject: its inputs as scene or file have them."""
        for item in self._items():
            offer = _offer_in(item)
            if offer is not None and offer.subject == subject:
                return offer
        return None

    def mark(self, offer: Offer) -> None:
        """Shows which entry is run, without running it."""
        item = self.item_of(offer)
        if item is not None:
            self.setCurrentItem(item)
            self.scrollToItem(item)

    def item_of(self, offer: Offer) -> QTreeWidgetItem | None:
        """The entry of an offer; other inputs are the same entry."""
        for item in self._items():
            listed = _offer_in(item)
            if listed is not None and listed.subject == offer.subject:
                return item
        return None

    def _items(self) -> Iterator[QTreeWidgetItem]:
        for group in self._groups.values():
            for at in range(group.childCount()):
                item = group.child(at)
                if item is not None:
                    yield item

    def _group(self, name: str) -> QTreeWidgetItem:
        if name not in self._groups:
            item = QTreeWidgetItem(self, [name])
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            item.setFont(0, LIGHT.font(12, bold=True))
            item.setSizeHint(0, QSize(0, 30))
            item.setForeground(0, self.palette().placeholderText())
            item.setExpanded(True)
            self._groups[name] = item
        return self._groups[name]

    def _add(self, group: str, offer: Offer, tip: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self._group(group), [offer.title])
        item.setData(0, _OFFER, offer)
        item.setToolTip(0, plain_tooltip(tip))
        item.setSizeHint(0, QSize(0, 26))
        return item

    def _add_file(self, path: Path) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self._group(self.tr("Your files")), [path.name])
        item.setData(0, _PATH, str(path))
        item.setToolTip(0, plain_tooltip(str(path)))
        item.setSizeHint(0, QSize(0, 26))
        return item

    @Slot(QTreeWidgetItem, int)
    def _on_item_clicked(self, item: QTreeWidgetItem, column: int) -> None:
        offer, path = _offer_in(item), item.data(0, _PATH)
        if offer is not None:
            self.picked.emit(offer)
        elif path:
            self.file_picked.emit(Path(path))

    def pick(self, item: QTreeWidgetItem) -> None:
        """Does what a click on an entry does."""
        self._on_item_clicked(item, 0)

    def changeEvent(self, event: QEvent) -> None:
        """Headings follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for item in self._groups.values():
                item.setForeground(0, self.palette().placeholderText())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter runs the current entry."""
        item = self.currentItem()
        if pressed("library", event) == "run" and item is not None:
            self._on_item_clicked(item, 0)
        else:
            super().keyPressEvent(event)


def _offer_in(item: QTreeWidgetItem) -> Offer | None:
    return cast("Offer | None", item.data(0, _OFFER))


def _scene_tip(scene: Scene) -> str:
    return f"{scene.title}\n{scene.summary}"
