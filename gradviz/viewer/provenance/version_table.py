"""Table of the versions of a tensor's memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QBrush, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_versions import (
    MemoryVersion,
    VersionHistory,
    conflicts_of_error,
    version_history,
)
from gradviz.analysis.position.trace_position import TracePosition, op_at
from gradviz.analysis.provenance.producers import Producers
from gradviz.catalogue.language import format_count
from gradviz.model.step import ErrorStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.memory_versions import conflict_sentence, version_sentence
from gradviz.text.position_names import position_location
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.tensor_view.number_text import short_number
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.plain_text import plain_tooltip

_SHOWN = 6
"""Number of elements shown in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One version of a tensor's memory.

    Attributes:
        counter: Torch's version counter, as text; a dash if unknown.
        step: Number of the step.
        line: Line number in the user's code, as text; may be empty.
        op: Name of the op that created it; may be empty.
        sentence: How it was created and what saved it.
        elements: The first elements, as text.
        saved: Whether it is saved for backward.
        asked: Whether it is the version that was asked about.
        place: Position where it was created.
        tensor: Id of a tensor with this content.
    """

    counter: str
    step: int
    line: str
    op: str
    sentence: str
    elements: str
    saved: bool
    is_selected: bool
    place: TracePosition
    tensor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHistory:
    """Version history of a tensor's memory.

    Attributes:
        ref: The tensor that was asked about.
        history: Its versions; None if its memory is unknown.
        rows: One row for each version.
        clashes: Sentences on the in-place changes that torch's error is about.
    """

    ref: TensorRef
    history: VersionHistory | None
    rows: tuple[VersionRow, ...]
    clashes: tuple[str, ...]


def version_history_of(
    index: TraceIndex, producers: Producers, ref: TensorRef, cancelled: Callable[[], bool]
) -> MemoryHistory:
    """Return the version history of a tensor as rows; has to read all ops."""
    history = version_history(index, ref.tensor, producers, cancelled)
    if history is None:
        return MemoryHistory(ref=ref, history=None, rows=(), clashes=())
    rows = tuple([_row(index, version, ref.tensor) for version in history.versions])
    last = index.trace.steps[-1] if len(index.trace.steps) else None
    clashes = (
        conflicts_of_error(index, last, producers, cancelled) if isinstance(last, ErrorStep) else ()
    )
    return MemoryHistory(
        ref=ref,
        history=history,
        rows=rows,
        clashes=tuple(
            [
                conflict_sentence(index, clash)
                for clash in clashes
                if clash.history.storage == history.storage
            ]
        ),
    )


def _row(index: TraceIndex, version: MemoryVersion, is_selected: int) -> VersionRow:
    location = position_location(index, version.place)
    seen = version.how not in ("unseen", "counter", "given")
    op = op_at(index, version.place)
    return VersionRow(
        counter="–" if version.counter is None else str(version.counter),
        step=version.place.step,
        line="" if location is None or not seen else str(location.line),
        op=version.name if op is None else op.name,
        sentence=version_sentence(index, version),
        elements=elements_text(index.tensor.bare(version.tensor), index.value(version.tensor)),
        saved=bool(version.saves),
        is_selected=is_selected in version.tensors,
        place=version.place,
        tensor=version.tensor,
    )


def elements_text(record: TensorRecord, value: TensorValue | None) -> str:
    """Return the first elements in brackets; empty if not all elements were stored."""
    if value is None or record.content != "whole":
        return ""
    flat = value.array().reshape(-1)
    texts = [short_number(each) for each in flat[:_SHOWN].tolist()]
    if not record.shape:
        return texts[0]
    if flat.size > _SHOWN:
        texts.append("…")
    return f"[{', '.join(texts)}]"


_ROW, _HEADER = 24, 24
_MOST_FITTED = 300
"""With more rows than this, each is one line high, as measuring them takes too long."""
_WIDTHS = (92, 60, 52, 48, 130)
_SENTENCE, _ELEMENTS = 5, 6
_LEAST_ELEMENTS = 120
_BY = 4
_WIDE = 820
"""Minimum width in pixels for the column of ops; the sentence names the op anyway."""


class VersionTable(QTableWidget):
    """The versions of a tensor's memory; Enter or a click goes to where one was created.

    Signals:
        row_chosen: The `VersionRow`.
    """

    row_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: tuple[VersionRow, ...] = ()
        self._now: int | None = None
        self.setObjectName("versions")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAccessibleName(self.tr("Versions of the tensor's memory"))
        self.setColumnCount(7)
        self.setHorizontalHeaderLabels(
            [
                "",
                self.tr("Version"),
                self.tr("Step"),
                self.tr("Line"),
                self.tr("Made by"),
                self.tr("What happened"),
                self.tr("Elements"),
            ]
        )
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_SENTENCE, QHeaderView.ResizeMode.Stretch)
        FocusRing(self)
        self.itemActivated.connect(self._on_self_item_activated)
        self.itemClicked.connect(self._on_self_item_activated)
        self.set_theme(theme)

    @property
    def rows(self) -> tuple[VersionRow, ...]:
        """The versions that are listed."""
        return self._rows

    def marks(self, row: int) -> str:
        """Return the text in the first column of a row."""
        item = self.item(row, 0)
        return "" if item is None else item.text()

    def show_rows(self, rows: tuple[VersionRow, ...], now: int | None) -> None:
        """List other versions.

        Args:
            rows: The versions.
            now: Index of the current version, None before the first one; later ones are grayed out.
        """
        self._rows, self._now = rows, now
        self._fill()

    def show_now(self, now: int | None) -> None:
        """Mark another version as the current one."""
        if now != self._now:
            # Only the rows between the two change; there may be thousands of versions.
            ends = sorted((-1 if each is None else each) for each in (now, self._now))
            self._now = now
            self._fill_rows(range(max(0, ends[0]), min(ends[1] + 1, len(self._rows))))

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self._theme = theme
        self.setFont(theme.font())
        header = self.horizontalHeader()
        set_header_font(header, theme.font())
        header.setFixedHeight(theme.px(_HEADER))
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        for column, width in enumerate(_WIDTHS):
            self.setColumnWidth(column, theme.px(width))
        self.setColumnWidth(_ELEMENTS, theme.px(_LEAST_ELEMENTS))
        self._fill()

    def _fill(self) -> None:
        current = self.currentRow()
        self.setRowCount(len(self._rows))
        self._fill_rows(range(len(self._rows)))
        if 0 <= current < len(self._rows):
            self.setCurrentCell(current, 0)
        self._fit()

    def _fill_rows(self, numbers: range) -> None:
        for number in numbers:
            row = self._rows[number]
            texts = (
                self._marks(number, row),
                row.counter,
                format_count(row.step),
                row.line,
                row.op,
                row.sentence,
                row.elements,
            )
            for column, text in enumerate(texts):
                self.setItem(number, column, self._item(number, column, text))

    def _fit(self) -> None:
        self.setColumnHidden(_BY, self.width() < self._theme.px(_WIDE))
        if len(self._rows) <= _MOST_FITTED:
            self.resizeRowsToContents()

    def _item(self, number: int, column: int, text: str) -> QTableWidgetItem:
        item = QTableWidgetItem(text)
        item.setToolTip(plain_tooltip(text))
        if column == _ELEMENTS:
            item.setFont(self._theme.font(SMALL_PIXELS, mono=True))
        if column == 0:
            item.setFont(self._theme.font(SMALL_PIXELS, bold=True))
            item.setForeground(QBrush(self._theme.color("accent")))
        if self._now is None or number > self._now:
            item.setForeground(QBrush(self._theme.color("text_muted")))
        elif number == self._now:
            item.setBackground(QBrush(self._theme.color("current_line")))
        return item

    def _marks(self, number: int, row: VersionRow) -> str:
        words = [self.tr("now")] if number == self._now else []
        if row.saved:
            words.append(self.tr("saved"))
        if row.is_selected and number != self._now:
            words.append(self.tr("selected"))
        return self.tr(" · ").join(words)

    @Slot(QTableWidgetItem)
    def _on_self_item_activated(self, item: QTableWidgetItem) -> None:
        if item.row() < len(self._rows):
            self.row_chosen.emit(self._rows[item.row()])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the row heights to the wrapped sentences at the new width."""
        super().resizeEvent(event)
        self._fit()
