"""Tree of the gallery's scenes by group and the entries of the user's files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from gradviz.catalogue.visible_text import visible_text
from gradviz.gallery.registry import SCENES, Scene, offer_of
from gradviz.model.inputs import Offer, RunSubject, with_given_values
from gradviz.text.titles import offer_title
from gradviz.viewer.library import KEYS
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.fitted_text import broken_lines
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.row_model import Cell, RowIndex, RowModel

WHERE = Qt.ItemDataRole.UserRole
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
        index: RowIndex,
    ) -> None:
        """Paint an entry or a heading."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.parent().isValid():
            self._paint_entry(painter, option, index)
        else:
            self._paint_heading(painter, option.rect, str(index.data()))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: RowIndex) -> QSize:
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
        index: RowIndex,
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

    def _where(self, index: RowIndex, box: QRect) -> tuple[str, int]:
        """File and line, at most half as wide as the box, and their width with the gap."""
        text = str(index.data(WHERE) or "")
        if not text:
            return "", 0
        metrics = QFontMetrics(self.theme.font(SMALL_PIXELS))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, box.width() // 2)
        return shown, metrics.horizontalAdvance(shown) + self.theme.px(_GAP)


def _name_lines(index: RowIndex, font: QFont, width: int) -> tuple[str, ...]:
    """The lines of an entry's name; the last one is elided if there would be more."""
    text = str(index.data())
    lines = tuple(line.rstrip() for line in broken_lines(text, font, width))
    if len(lines) <= _MOST_LINES:
        return lines
    kept = lines[: _MOST_LINES - 1]
    rest = " ".join(lines[_MOST_LINES - 1 :])
    return (*kept, QFontMetrics(font).elidedText(rest, Qt.TextElideMode.ElideRight, width))


@dataclass(slots=True, kw_only=True, eq=False)
class LibraryEntry:
    """An entry that can be run, or a file whose entries are not known yet.

    Attributes:
        cell: What is shown.
        known: What the filter searches in addition to the group's name.
        offer: What runs; None for a file.
        path: The file; None for a scene.
    """

    cell: Cell
    known: str
    offer: Offer | None = None
    path: Path | None = None

    @property
    def key(self) -> object:
        """What is equal for an entry and the one that replaces it."""
        return self.path, self.offer and self.offer.subject


class LibraryPanel(QTreeView):
    """List of everything that can be run.

    Signals:
        picked: The `Offer` that was clicked, or chosen with Enter.
        file_picked: Path of a chosen file whose entries are not known yet.
        hidden_marked: The entry that runs is hidden by the filter.
    """

    picked = Signal(object)
    file_picked = Signal(object)
    hidden_marked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("library")
        self.setHeaderHidden(True)
        # The delegate paints the indentation, so that the selection mark is a single box.
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAccessibleName(self.tr("Library"))
        self.setMouseTracking(True)
        self.setUniformRowHeights(False)
        self._delegate = LibraryDelegate(theme)
        self.setItemDelegate(self._delegate)
        FocusRing(self)
        self._model = RowModel(self)
        self.setModel(self._model)
        self._scenes: dict[str, list[LibraryEntry]] = {}
        for scene in SCENES:
            self._scenes.setdefault(scene.group.display_title, []).append(_scene_entry(scene))
        self._files: dict[Path, list[LibraryEntry]] = {}
        self._recent: tuple[Path, ...] = ()
        self._groups: dict[str, list[LibraryEntry]] = {}
        self._looked_for = ""
        self._list_entries()
        self.clicked.connect(self._on_self_clicked)

    def show_file(self, path: Path, offers: tuple[Offer, ...]) -> None:
        """List what a file offers, replacing its previous entries."""
        self._files.pop(path, None)
        self._files[path] = [_file_entry(path, offer) for offer in offers]
        self._list_entries()

    def lists(self, path: Path) -> bool:
        """Return whether entries of a file are listed."""
        return bool(self._files.get(path))

    def show_recent(self, paths: tuple[Path, ...]) -> None:
        """List recent files whose entries are not known, below the known ones."""
        self._recent = paths
        self._list_entries()

    def _list_entries(self) -> None:
        """Show all entries; the current one, what the filter hides and the scroll position stay."""
        current, sight = self.currentIndex(), self.verticalScrollBar().value()
        entry, was_selected = self.entry_at(current), self.selectionModel().isSelected(current)
        own = list(chain.from_iterable(self._files.values()))
        own += [_unread_entry(path) for path in self._recent if not self.lists(path)]
        self._groups = self._scenes | ({self.tr("Your Files"): own} if own else {})
        below = [[(each.cell,) for each in entries] for entries in self._groups.values()]
        self._model.show([(Cell(text=name),) for name in self._groups], below)
        self.expandAll()
        self.filter_entries(self._looked_for)
        if entry is not None:
            same = next((each for each in self.entries() if each.key == entry.key), None)
            flags = QItemSelectionModel.SelectionFlag
            flag = flags.ClearAndSelect if was_selected else flags.NoUpdate
            self.selectionModel().setCurrentIndex(self.place_of(same), flag)
        self.verticalScrollBar().setValue(sight)

    def filter_entries(self, text: str) -> int:
        """Hide entries that lack a word of the text; return the number of visible entries."""
        self._looked_for = text
        words = text.casefold().split()
        left = 0
        for at, (name, entries) in enumerate(self._groups.items()):
            group = self._model.index(at, 0)
            known = [f"{name}\n{each.known}".casefold() for each in entries]
            shown = [all(word in each for word in words) for each in known]
            for row, is_shown in enumerate(shown):
                self.setRowHidden(row, group, not is_shown)
            self.setRowHidden(at, QModelIndex(), not any(shown))
            left += sum(shown)
        return left

    def entries(self) -> Iterator[LibraryEntry]:
        """All entries, including hidden ones, in the order of the rows."""
        return chain.from_iterable(self._groups.values())

    def entry_at(self, place: QModelIndex) -> LibraryEntry | None:
        """Return the entry of a row; None for a heading or an invalid index."""
        group = place.parent()
        return list(self._groups.values())[group.row()][place.row()] if group.isValid() else None

    def place_of(self, entry: LibraryEntry | None) -> QModelIndex:
        """Return the index of an entry's row; an invalid index for None."""
        for at, entries in enumerate(self._groups.values()):
            if entry in entries:
                return self._model.index(entries.index(entry), 0, self._model.index(at, 0))
        return QModelIndex()

    def go_to(self, entry: LibraryEntry | None) -> None:
        """Make an entry current and select it; none for None."""
        self.setCurrentIndex(self.place_of(entry))

    def first_shown(self) -> LibraryEntry | None:
        """Return the first visible entry, or None."""
        return next((each for each in self.entries() if self._shows(self.place_of(each))), None)

    def shown_entry(self) -> LibraryEntry | None:
        """Return the current entry if it is visible, or None."""
        place = self.currentIndex()
        return self.entry_at(place) if self._shows(place) else None

    def _shows(self, place: QModelIndex) -> bool:
        return not self.isRowHidden(place.row(), place.parent())

    def offer_of(self, subject: RunSubject) -> Offer | None:
        """Return the listed offer of a subject, with its original inputs, or None."""
        entry = self.entry_of(subject)
        return None if entry is None else entry.offer

    @Slot(object)
    def show_given(self, given: Offer) -> None:
        """Take over the inputs that a file has created in a run."""
        entry = self.entry_of(given.subject)
        if entry is not None and entry.offer is not None:
            entry.offer = with_given_values(entry.offer, given.inputs)

    def mark(self, offer: Offer) -> None:
        """Select the entry of the offer that runs, without running it."""
        place = self.place_of(self.entry_of(offer.subject))
        if place.isValid():
            if not self._shows(place):
                self.hidden_marked.emit()
            # Selecting an entry may already scroll, but only as far as the entry itself.
            was_in_sight = self.viewport().rect().contains(self.visualRect(place))
            self.setCurrentIndex(place)
            if not was_in_sight:
                self._scroll_to(place)

    def _scroll_to(self, place: QModelIndex) -> None:
        """Scroll to an entry, and to as much of its group as fits."""
        group = place.parent()
        self.scrollTo(self._model.index(self._model.rowCount(group) - 1, 0, group))
        self.scrollTo(group)
        self.scrollTo(place)

    def entry_of(self, subject: RunSubject) -> LibraryEntry | None:
        """Return the entry of a subject, or None."""
        known = ((each, each.offer) for each in self.entries())
        return next((each for each, offer in known if offer and offer.subject == subject), None)

    @Slot(QModelIndex)
    def _on_self_clicked(self, place: QModelIndex) -> None:
        entry = self.entry_at(place)
        if entry is not None:
            self.pick(entry)

    def pick(self, entry: LibraryEntry) -> None:
        """Act as if the entry was clicked."""
        if entry.offer is not None:
            self.picked.emit(entry.offer)
        else:
            self.file_picked.emit(entry.path)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break long names for the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run the current entry on Enter, unless the filter hides it."""
        entry = self.shown_entry()
        if pressed(KEYS, event) == "run" and entry is not None:
            self.pick(entry)
        else:
            super().keyPressEvent(event)


def _scene_entry(scene: Scene) -> LibraryEntry:
    offer = offer_of(scene)
    tip = f"{scene.display_title}\n{scene.display_summary}"
    # The command line and lessons name a scene by its id.
    known = f"{tip}\n{offer.subject.scene}"
    return LibraryEntry(cell=Cell(text=offer_title(offer), tip=tip), known=known, offer=offer)


def _file_entry(path: Path, offer: Offer) -> LibraryEntry:
    tip = f"{offer.title}\n{path}:{offer.line}" if offer.line else f"{offer.title}\n{path}"
    where = visible_text(f"{path.name}:{offer.line}" if offer.line else path.name)
    spoken = f"{offer.title}, {where}"
    if offer.is_from_text:
        unrun = translate("Library", "Listed from the text; the file has not run")
        tip = spoken = f"{tip}\n{unrun}"
    cell = Cell(text=offer_title(offer), tip=tip, spoken=visible_text(spoken), more={WHERE: where})
    return LibraryEntry(cell=cell, known=tip, offer=offer, path=path)


def _unread_entry(path: Path) -> LibraryEntry:
    cell = Cell(text=visible_text(path.name), tip=str(path))
    return LibraryEntry(cell=cell, known=str(path), path=path)
