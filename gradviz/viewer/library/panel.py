"""The Library panel: what can be run, in groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Signal
from PySide6.QtWidgets import QAbstractItemView

from gradviz.catalogue.visible_text import visible_text
from gradviz.document.document import Document, Field, Row
from gradviz.gallery.registry import GROUPS, Scene, offer_of
from gradviz.model.graph_sketch import GraphSketch
from gradviz.model.inputs import Offer, RunSubject, with_given_values
from gradviz.text.titles import offer_title
from gradviz.viewer.library import KEYS
from gradviz.viewer.library.scene_sketches import scene_sketches
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate


@dataclass(slots=True, kw_only=True, eq=False)
class LibraryEntry:
    """An entry that can be run, or a file whose entries are not known yet.

    Attributes:
        row: What is shown.
        known: What the filter searches in addition to the group's name.
        offer: What runs; None for a file.
        path: The file; None for a scene.
    """

    row: Row
    known: str
    offer: Offer | None = None
    path: Path | None = None

    @property
    def key(self) -> Hashable:
        """What is equal for an entry and the one that replaces it."""
        return self.path, self.offer and self.offer.subject


class LibraryPanel(RowsView):
    """List of everything that can be run.

    Signals:
        picked: The `Offer` that was clicked, or chosen with Enter.
        file_picked: Path of a chosen file whose entries are not known yet.
        hidden_marked: The entry that runs is hidden by the filter.
    """

    picked = Signal(object)
    file_picked = Signal(object)
    hidden_marked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, keys=KEYS, wraps=True)
        self.setObjectName("library")
        self.setItemsExpandable(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setAccessibleName(self.tr("Library"))
        self._scenes = {each.display_title: [*map(_scene_entry, each.scenes)] for each in GROUPS}
        self._files: dict[Path, list[LibraryEntry]] = {}
        self._recent: tuple[Path, ...] = ()
        self._sketches: dict[RunSubject, GraphSketch] = {}
        self._groups: dict[str, list[LibraryEntry]] = {}
        self._looked_for = ""
        self._list_entries()
        self.chosen.connect(self._on_self_chosen)

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
        if paths != self._recent:
            self._recent = paths
            self._list_entries()

    def _list_entries(self) -> None:
        """Show all entries; the current one, what the filter hides and the scroll position stay."""
        current, sight = self.currentIndex(), self.verticalScrollBar().value()
        key, was_selected = self.current_key, self.selectionModel().isSelected(current)
        own = list(chain.from_iterable(self._files.values()))
        own += [_unread_entry(path) for path in self._recent if not self.lists(path)]
        self._groups = ({self.tr("Your Files"): own} if own else {}) | self._scenes
        entries = {each.key: each for each in self.entries()}

        def row(key: Hashable) -> Row:
            if isinstance(key, str):
                return Row(fields=(Field(text=key, tone="muted", strong=True),))
            return self._with_sketch(entries[key])

        below: dict[Hashable, list[Hashable]] = {
            name: [each.key for each in each_of] for name, each_of in self._groups.items()
        }
        groups = tuple(self._groups)
        self.show_document(Document(keys=groups, below=below, row=row, headings=groups))
        self.setRootIsDecorated(False)
        self.expandAll()
        self.filter_entries(self._looked_for)
        flags = QItemSelectionModel.SelectionFlag
        flag = flags.ClearAndSelect | flags.Rows if was_selected else flags.Clear
        self.selectionModel().setCurrentIndex(self.rows.place_of(key), flag)
        self.verticalScrollBar().setValue(sight)

    def _with_sketch(self, entry: LibraryEntry) -> Row:
        """The row of an entry with its picture, which is empty until a file has run."""
        first, *others = entry.row.fields
        sketch = None
        if entry.offer is not None:
            subject = entry.offer.subject
            # The file is read only now that a row is visible, as a window should start quickly.
            shipped = None if subject.path else scene_sketches().get(subject.scene)
            sketch = shipped or self._sketches.get(subject)
        first = replace(first, sketch=sketch or GraphSketch())
        return replace(entry.row, fields=(first, *others))

    def show_sketch(self, subject: RunSubject, sketch: GraphSketch) -> None:
        """Show what the graph of a file's entry looked like in its last run."""
        self._sketches[subject] = sketch
        self.rows.refresh()

    def filter_entries(self, text: str) -> int:
        """Hide entries that lack a word of the text; return the number of visible entries."""
        self._looked_for = text
        words = text.casefold().split()
        left = 0
        for at, (name, entries) in enumerate(self._groups.items()):
            group = self.rows.index(at, 0)
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
        key = self.rows.key_at(place)
        return next((each for each in self.entries() if each.key == key), None)

    def place_of(self, entry: LibraryEntry | None) -> QModelIndex:
        """Return the index of an entry's row; an invalid index for None."""
        return self.rows.place_of(None if entry is None else entry.key)

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
        self.scrollTo(self.rows.index(self.rows.rowCount(group) - 1, 0, group))
        self.scrollTo(group)
        self.scrollTo(place)

    def entry_of(self, subject: RunSubject) -> LibraryEntry | None:
        """Return the entry of a subject, or None."""
        known = ((each, each.offer) for each in self.entries())
        return next((each for each, offer in known if offer and offer.subject == subject), None)

    def _on_self_chosen(self, key: Hashable) -> None:
        entry = self.shown_entry()
        if entry is not None and entry.key == key:
            self.pick(entry)

    def pick(self, entry: LibraryEntry) -> None:
        """Act as if the entry was clicked."""
        if entry.offer is not None:
            self.picked.emit(entry.offer)
        else:
            self.file_picked.emit(entry.path)


def _scene_entry(scene: Scene) -> LibraryEntry:
    offer = offer_of(scene)
    tip = f"{scene.display_title}\n{scene.display_summary}"
    # The command line and lessons name a scene by its id.
    known = f"{tip}\n{offer.subject.scene}"
    row = Row(fields=(Field(text=offer_title(offer), tip=tip),), spoken=offer_title(offer))
    return LibraryEntry(row=row, known=known, offer=offer)


def _file_entry(path: Path, offer: Offer) -> LibraryEntry:
    tip = f"{offer.title}\n{path}:{offer.line}" if offer.line else f"{offer.title}\n{path}"
    where = visible_text(f"{path.name}:{offer.line}" if offer.line else path.name)
    spoken = f"{offer.title}, {where}"
    if offer.is_from_text:
        unrun = translate("Library", "Listed from the text; the file has not run")
        tip = spoken = f"{tip}\n{unrun}"
    fields = (Field(text=offer_title(offer), tip=tip), Field(text=where, tip=tip, tone="muted"))
    row = Row(fields=fields, spoken=visible_text(spoken))
    return LibraryEntry(row=row, known=tip, offer=offer, path=path)


def _unread_entry(path: Path) -> LibraryEntry:
    row = Row(fields=(Field(text=visible_text(path.name), tip=str(path)),))
    return LibraryEntry(row=row, known=str(path), path=path)
