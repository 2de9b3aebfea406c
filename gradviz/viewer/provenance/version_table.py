"""Table of the versions of a tensor's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_regions import overlaps
from gradviz.analysis.memory.memory_versions import (
    MemoryVersion,
    VersionHistory,
    version_history,
)
from gradviz.analysis.memory.saved_conflicts import conflicts_of_error
from gradviz.analysis.position.trace_position import TracePosition, op_at
from gradviz.analysis.provenance.producers import Producers
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.model.step import ErrorStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.memory_versions import line_of_write, version_sentence
from gradviz.text.position_names import position_location
from gradviz.text.saved_conflicts import conflict_sentence
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.row_model import Cell
from gradviz.viewer.widgets.row_table import RowTable

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
    asked = index.tensor.bare(ref.tensor)
    last = index.trace.steps[-1] if len(index.trace.steps) else None
    clashes = conflicts_of_error(index, last, cancelled) if isinstance(last, ErrorStep) else ()
    return MemoryHistory(
        ref=ref,
        history=history,
        rows=rows,
        clashes=tuple(
            [
                conflict_sentence(index, clash)
                for clash in clashes
                if overlaps(index.tensor.bare(clash.slot.item.tensor or 0), asked)
            ]
        ),
    )


def _row(index: TraceIndex, version: MemoryVersion, is_selected: int) -> VersionRow:
    write = version.write
    location = (
        position_location(index, version.place) if write is None else line_of_write(index, write)
    )
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
    texts = [number_text(each) for each in flat[:_SHOWN].tolist()]
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


class VersionTable(RowTable):
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
        self.setShowGrid(False)
        self.setAccessibleName(self.tr("Versions of the tensor's memory"))
        self.row_model.set_titles(
            (
                "",
                self.tr("Version"),
                self.tr("Step"),
                self.tr("Line"),
                self.tr("Made by"),
                self.tr("What happened"),
                self.tr("Elements"),
            )
        )
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(_SENTENCE, QHeaderView.ResizeMode.Stretch)
        self.cell_chosen.connect(self._on_self_cell_chosen)
        self.set_theme(theme)

    @property
    def rows(self) -> tuple[VersionRow, ...]:
        """The versions that are listed."""
        return self._rows

    def show_rows(self, rows: tuple[VersionRow, ...], now: int | None) -> None:
        """List other versions.

        Args:
            rows: The versions.
            now: Index of the current version, None before the first one; later ones are grayed out.
        """
        current = self.current_row
        self._rows, self._now = rows, now
        self.row_model.show(self._cells(range(len(rows))))
        if 0 <= current < len(rows):
            self.go_to(current)
        self._fit()

    def show_now(self, now: int | None) -> None:
        """Mark another version as the current one."""
        if now != self._now:
            # Only the rows between the two change; there may be thousands of versions.
            ends = sorted((-1 if each is None else each) for each in (now, self._now))
            self._now = now
            numbers = range(max(0, ends[0]), min(ends[1] + 1, len(self._rows)))
            self.row_model.update(self._cells(numbers), numbers.start)

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
        self.row_model.update(self._cells(range(len(self._rows))))
        self._fit()

    def _cells(self, numbers: Iterable[int]) -> Iterator[tuple[Cell, ...]]:
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
            yield tuple(
                [
                    Cell(text=text, tip=text, more=self._look(number, column))
                    for column, text in enumerate(texts)
                ]
            )

    def _fit(self) -> None:
        self.setColumnHidden(_BY, self.width() < self._theme.px(_WIDE))
        if len(self._rows) <= _MOST_FITTED:
            self.resizeRowsToContents()

    def _look(self, number: int, column: int) -> dict[int, object]:
        look: dict[int, object] = {}
        if column == _ELEMENTS:
            look[Qt.ItemDataRole.FontRole] = self._theme.font(SMALL_PIXELS, mono=True)
        if column == 0:
            look[Qt.ItemDataRole.FontRole] = self._theme.font(SMALL_PIXELS, bold=True)
            look[Qt.ItemDataRole.ForegroundRole] = self._theme.color("accent")
        if self._now is None or number > self._now:
            look[Qt.ItemDataRole.ForegroundRole] = self._theme.color("text_muted")
        elif number == self._now:
            look[Qt.ItemDataRole.BackgroundRole] = self._theme.color("current_line")
        return look

    def _marks(self, number: int, row: VersionRow) -> str:
        words = [self.tr("now")] if number == self._now else []
        if row.saved:
            words.append(self.tr("saved"))
        if row.is_selected and number != self._now:
            words.append(self.tr("selected"))
        return self.tr(" · ").join(words)

    @Slot(int, int)
    def _on_self_cell_chosen(self, row: int, column: int) -> None:
        self.row_chosen.emit(self._rows[row])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the row heights to the wrapped sentences at the new width."""
        super().resizeEvent(event)
        self._fit()
