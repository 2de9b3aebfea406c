"""Tree of the gallery's scenes by group and the entries of the user's files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gradviz.catalogue.visible_text import visible_text
from gradviz.gallery.registry import SCENES, Scene, offer_of
from gradviz.model.inputs import Offer, RunSubject, with_given_values
from gradviz.text.titles import offer_title
from gradviz.viewer.library import KEYS
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.theme.theme import LIGHT, SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.fitted_text import broken_lines
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.plain_text import plain_tooltip

WHERE = Qt.ItemDataRole.UserRole + 2
"""Item data role of the text next to a name: file and line."""

_ENTRY, _HEADING = 26, 30
_MOST_LINES = 2
_INDENT = 10
_MARGIN = 10
_GAP = 8


class LibraryDelegate(QStyledItemDelegate):
    """Delegate that marks the selected entry with background, border and bold text.

    Args:
        theme: Colors and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint an entry or a heading."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.parent().isValid():
            self._paint_entry(painter, option, index)
        else:
            self._paint_heading(painter, option.rect, str(index.data()))
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the height of a heading, or of an entry whose name may need two lines."""
        if not index.parent().isValid() or not isinstance(option.widget, QAbstractItemView):
            return QSize(0, self.theme.px(_HEADING))
        box = self._text_box(QRect(0, 0, option.widget.viewport().width(), 0))
        width = box.width() - self._where(index, box)[1]
        # The selected entry is the widest; it must not move the others.
        font = self.theme.font(UI_PIXELS, bold=True)
        lines = len(_name_lines(index, font, width))
        return QSize(0, self.theme.px(_ENTRY) + (lines - 1) * QFontMetrics(font).lineSpacing())

    def _paint_heading(self, painter: QPainter, box: QRect, text: str) -> None:
        theme = self.theme
        font = theme.font(SMALL_PIXELS, bold=True)
        place = box.adjusted(_MARGIN, theme.px(6), -_MARGIN, 0)
        painter.setFont(font)
        painter.setPen(theme.color("text_muted"))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_entry(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, states = self.theme, QStyle.StateFlag
        chosen = bool(option.state & states.State_Selected)
        ground = QRectF(option.rect).adjusted(6.5, 1.5, -6.5, -1.5)
        if chosen or option.state & states.State_MouseOver:
            focused = chosen and bool(option.state & states.State_HasFocus)
            border = theme.color("focus" if focused else "accent")
            painter.setPen(QPen(border, 2 if focused else 1) if chosen else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selection" if chosen else "raised"))
            painter.drawRoundedRect(ground, 5, 5)
        box = self._text_box(option.rect)
        where, width = self._where(index, box)
        painter.setPen(theme.color("selection_text" if chosen else "text_muted"))
        painter.setFont(theme.font(SMALL_PIXELS))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, right, where)
        box.setRight(box.right() - width)
        font = theme.font(UI_PIXELS, bold=chosen)
        painter.setFont(font)
        painter.setPen(theme.color("selection_text" if chosen else "text"))
        name = "\n".join(_name_lines(index, font, box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name)

    def _text_box(self, row: QRect) -> QRect:
        return row.adjusted(_MARGIN + self.theme.px(_INDENT), 0, -_MARGIN - 2, 0)

    def _where(self, index: QModelIndex | QPersistentModelIndex, box: QRect) -> tuple[str, int]:
        """File and line, at most half as wide as the box, and their width with the gap."""
        text = str(index.data(WHERE) or "")
        if not text:
            return "", 0
        metrics = QFontMetrics(self.theme.font(SMALL_PIXELS))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, box.width() // 2)
        return shown, metrics.horizontalAdvance(shown) + self.theme.px(_GAP)


def _name_lines(
    index: QModelIndex | QPersistentModelIndex, font: QFont, width: int
) -> tuple[str, ...]:
    """The lines of an entry's name; the last one is elided if there would be more."""
    text = str(index.data())
    lines = tuple(line.rstrip() for line in broken_lines(text, font, width))
    if len(lines) <= _MOST_LINES:
        return lines
    kept = lines[: _MOST_LINES - 1]
    rest = " ".join(lines[_MOST_LINES - 1 :])
    return (*kept, QFontMetrics(font).elidedText(rest, Qt.TextElideMode.ElideRight, width))


_OFFER = Qt.ItemDataRole.UserRole
_PATH = Qt.ItemDataRole.UserRole + 1
_KNOWN = Qt.ItemDataRole.UserRole + 3
"""Item data role of the text that the filter searches in addition to the group's name."""


class LibraryPanel(QTreeWidget):
    """List of everything that can be run.

    Signals:
        picked: The `Offer` that was clicked, or chosen with Enter.
        file_picked: Path of a chosen file whose entries are not known yet.
        hidden_marked: The entry that runs is hidden by the filter.
    """

    picked = Signal(object)
    file_picked = Signal(object)
    hidden_marked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self._groups: dict[str, QTreeWidgetItem] = {}
        super().__init__(parent)
        self.setObjectName("library")
        self.setHeaderHidden(True)
        # The delegate paints the indentation, so that the selection mark is a single box.
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAccessibleName(self.tr("Library"))
        self.setMouseTracking(True)
        self.setUniformRowHeights(False)
        self._delegate = LibraryDelegate(LIGHT)
        self.setItemDelegate(self._delegate)
        FocusRing(self)
        self._files: dict[str, list[QTreeWidgetItem]] = {}
        self._recent: tuple[Path, ...] = ()
        self._looked_for = ""
        self._unread: list[QTreeWidgetItem] = []
        for scene in SCENES:
            self._add(scene.group.display_title, offer_of(scene), _scene_tip(scene))
        self.itemClicked.connect(self._on_item_clicked)

    def show_file(self, path: Path, offers: tuple[Offer, ...]) -> None:
        """List what a file offers, replacing its previous entries."""
        group = self._group(self.tr("Your Files"))
        for old in self._files.pop(str(path), []):
            group.removeChild(old)
        added = []
        for offer in offers:
            item = self._add(group.text(0), offer, _file_tip(path, offer))
            where = visible_text(f"{path.name}:{offer.line}" if offer.line else path.name)
            item.setData(0, WHERE, where)
            spoken = _file_tip(path, offer) if offer.is_from_text else f"{offer.title}, {where}"
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, visible_text(spoken))
            added.append(item)
        self._files[str(path)] = added
        self.show_recent(self._recent)

    def lists(self, path: Path) -> bool:
        """Return whether entries of a file are listed."""
        return bool(self._files.get(str(path)))

    def show_recent(self, paths: tuple[Path, ...]) -> None:
        """List recent files whose entries are not known, below the known ones."""
        self._recent = paths
        for old in self._unread:
            group = old.parent()
            if group is not None:
                group.removeChild(old)
        unread = [path for path in paths if not self._files.get(str(path))]
        self._unread = [self._add_file(path) for path in unread]
        self.filter_entries(self._looked_for)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self._delegate.theme = theme
        self.doItemsLayout()

    def filter_entries(self, text: str) -> int:
        """Hide entries that lack a word of the text; return the number of visible entries."""
        self._looked_for = text
        words = text.casefold().split()
        left = 0
        for group in self._groups.values():
            entries = _entries(group)
            for item in entries:
                known = f"{group.text(0)}\n{item.data(0, _KNOWN)}".casefold()
                item.setHidden(not all(word in known for word in words))
            found = sum(not item.isHidden() for item in entries)
            group.setHidden(not found)
            left += found
        return left

    def first_shown(self) -> QTreeWidgetItem | None:
        """Return the first visible entry, or None."""
        return next((item for item in self._items() if not item.isHidden()), None)

    def shown_item(self) -> QTreeWidgetItem | None:
        """Return the current entry if it is visible, or None."""
        item = self.currentItem()
        return None if item is None or item.isHidden() else item

    def offer_of(self, subject: RunSubject) -> Offer | None:
        """Return the listed offer of a subject, with its original inputs, or None."""
        for item in self._items():
            offer = _offer_in(item)
            if offer is not None and offer.subject == subject:
                return offer
        return None

    @Slot(object)
    def show_given(self, given: Offer) -> None:
        """Take over the inputs that a file has created in a run."""
        item = self.item_of(given)
        if item is not None:
            listed = cast(Offer, _offer_in(item))
            item.setData(0, _OFFER, with_given_values(listed, given.inputs))

    def mark(self, offer: Offer) -> None:
        """Select the entry of the offer that runs, without running it."""
        item = self.item_of(offer)
        if item is not None:
            if item.isHidden():
                self.hidden_marked.emit()
            # Selecting an entry may already scroll, but only as far as the entry itself.
            was_in_sight = self.viewport().rect().contains(self.visualItemRect(item))
            self.setCurrentItem(item)
            if not was_in_sight:
                self._scroll_to(item)

    def _scroll_to(self, item: QTreeWidgetItem) -> None:
        """Scroll to an entry, and to as much of its group as fits."""
        group = item.parent()
        if group is not None:
            self.scrollToItem(_entries(group)[-1])
            self.scrollToItem(group)
        self.scrollToItem(item)

    def item_of(self, offer: Offer) -> QTreeWidgetItem | None:
        """Return the entry of an offer, regardless of its inputs, or None."""
        for item in self._items():
            listed = _offer_in(item)
            if listed is not None and listed.subject == offer.subject:
                return item
        return None

    def _items(self) -> Iterator[QTreeWidgetItem]:
        for group in self._groups.values():
            yield from _entries(group)

    def _group(self, name: str) -> QTreeWidgetItem:
        if name not in self._groups:
            item = QTreeWidgetItem(self, [name])
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            item.setExpanded(True)
            self._groups[name] = item
        return self._groups[name]

    def _add(self, group: str, offer: Offer, tip: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self._group(group), [offer_title(offer)])
        item.setData(0, _OFFER, offer)
        item.setToolTip(0, plain_tooltip(tip))
        # The command line and lessons name a scene by its id.
        item.setData(0, _KNOWN, f"{tip}\n{offer.subject.scene}")
        return item

    def _add_file(self, path: Path) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self._group(self.tr("Your Files")), [visible_text(path.name)])
        item.setData(0, _PATH, str(path))
        item.setToolTip(0, plain_tooltip(str(path)))
        item.setData(0, _KNOWN, str(path))
        return item

    @Slot(QTreeWidgetItem, int)
    def _on_item_clicked(self, item: QTreeWidgetItem, column: int) -> None:
        offer, path = _offer_in(item), item.data(0, _PATH)
        if offer is not None:
            self.picked.emit(offer)
        elif path:
            self.file_picked.emit(Path(path))

    def pick(self, item: QTreeWidgetItem) -> None:
        """Act as if the entry was clicked."""
        self._on_item_clicked(item, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break long names for the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run the current entry on Enter, unless the filter hides it."""
        item = self.shown_item()
        if pressed(KEYS, event) == "run" and item is not None:
            self._on_item_clicked(item, 0)
        else:
            super().keyPressEvent(event)


def _entries(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (group.child(at) for at in range(group.childCount()))
    return [item for item in children if item is not None]


def _offer_in(item: QTreeWidgetItem) -> Offer | None:
    return cast("Offer | None", item.data(0, _OFFER))


def _file_tip(path: Path, offer: Offer) -> str:
    tip = f"{offer.title}\n{path}:{offer.line}" if offer.line else f"{offer.title}\n{path}"
    if not offer.is_from_text:
        return tip
    unrun = translate("Library", "Listed from the text; the file has not run")
    return f"{tip}\n{unrun}"


def _scene_tip(scene: Scene) -> str:
    return f"{scene.display_title}\n{scene.display_summary}"
