"""The ops of a step as a Qt table model; cell texts are created on first use."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.facts.node_facts import place_text
from gradviz.model.inside import Op, StageKind, StageRecord
from gradviz.model.source import user_line
from gradviz.text.narration import describe_position
from gradviz.viewer.ops.cell_text import CommonValues, OpCellText, common_values_in, op_cell_text_of
from gradviz.viewer.ops.op_rows import OpHeading, OpRow, OpRowKey, op_heading_of, op_of, op_rows_of
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

OpModelIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()

OP, INPUTS, OUTPUTS, NOTE, TIME, LINE = range(6)

HEADING_ROLE = Qt.ItemDataRole.UserRole
"""Role for the `OpHeading` of a row that is not an op."""

SHARE_ROLE = Qt.ItemDataRole.UserRole + 1
"""Role for the time as a share of the longest op's, from 0 to 1; None if not measured."""

NOW_ROLE = Qt.ItemDataRole.UserRole + 2
"""Role for whether the row is the current place."""


class OpsModel(QAbstractTableModel):
    """The rows of one step at a time: headings and ops."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._index: TraceIndex | None = None
        self._parts: dict[StageKind, StageRecord] = {}
        self._step = 0
        self._rows: tuple[OpRow, ...] = ()
        self._headings_at: dict[OpRowKey, int] = {}
        self._ops_at: dict[StageKind, list[int]] = {}
        self._now = -1
        self._longest = 0
        self._unmeasured = 0
        self._usual = CommonValues()
        self._words: dict[int, OpCellText] = {}
        self._headings: dict[int, OpHeading] = {}
        self._titles = (
            self.tr("Op"),
            self.tr("Inputs"),
            self.tr("Outputs"),
            self.tr("Note"),
            self.tr("Time"),
            self.tr("Line"),
        )

    @property
    def usual(self) -> CommonValues:
        """The dtype, device and file that most of the step's ops share."""
        return self._usual

    @property
    def now(self) -> int:
        """The row of the current place; -1 for none."""
        return self._now

    @property
    def ops(self) -> int:
        """Number of ops listed."""
        return sum(len(part.ops) for part in self._parts.values())

    @property
    def dropped(self) -> int:
        """Number of further ops that ran but were not recorded."""
        return sum(part.more_ops for part in self._parts.values())

    @property
    def unmeasured(self) -> int:
        """Number of listed ops without a time."""
        return self._unmeasured

    def show_step(self, index: TraceIndex | None, number: int) -> None:
        """Show a step, or nothing if there is no trace."""
        if index is self._index and number == self._step:
            return
        self.beginResetModel()
        self._index, self._step = index, number
        inside = None if index is None else index.inside.get(number)
        self._parts = {} if inside is None else {part.stage: part for part in inside.parts}
        self._rows = () if index is None else op_rows_of(index, number)
        self._find_rows()
        self._words, self._headings = {}, {}
        self._now = -1
        times = [op.duration_ns for part in self._parts.values() for op in part.ops]
        self._unmeasured = times.count(None)
        self._longest = max((each for each in times if each is not None), default=0)
        self._usual = (
            CommonValues() if index is None else common_values_in(index, self._parts.values())
        )
        self.endResetModel()

    def _find_rows(self) -> None:
        self._headings_at = {}
        self._ops_at = {stage: [] for stage in self._parts}
        for at, row in enumerate(self._rows):
            if row.kind == "op":
                self._ops_at[row.stage].append(at)
            elif row.kind != "more":
                self._headings_at[row.key] = at

    def _row_of(self, place: TracePosition | None) -> int:
        """Return the row of a place; -1 for none."""
        if place is None or place.stage is None or place.step != self._step:
            return -1
        if place.op is None:
            return self._headings_at.get((place.stage, place.line, None), -1)
        rows = self._ops_at.get(place.stage, [])
        return rows[place.op] if place.op < len(rows) else -1

    def show_place(self, place: TracePosition | None) -> None:
        """Mark the row of the current place."""
        before, self._now = self._now, self._row_of(place)
        for row in {before, self._now} - {-1}:
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self._titles) - 1))

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme's colors."""
        self._theme = theme
        if self._rows:
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(self._rows) - 1, len(self._titles) - 1)
            )

    def row_at(self, at: int) -> OpRow | None:
        """Return a row, or None if it does not exist."""
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def op_in(self, at: int) -> Op | None:
        """Return the op of a row, or None for a heading."""
        return op_of(self._parts, self.row_at(at))

    def place_at(self, at: int) -> TracePosition | None:
        """Return the place that a row leads to, or None if the row does not exist."""
        row = self.row_at(at)
        return None if row is None else row.place(self._step)

    def text_of(self, at: int) -> str:
        """Return an op's cells separated by tabs, for a spreadsheet; empty for a heading."""
        words = self._words_in(at)
        return "" if words is None else "\t".join(words.cells)

    def table(self) -> str:
        """Return the column titles and all ops, with cells separated by tabs."""
        texts = (self.text_of(at) for at in range(len(self._rows)))
        return "\n".join(("\t".join(self._titles), *(text for text in texts if text)))

    def _words_in(self, at: int) -> OpCellText | None:
        op, row = self.op_in(at), self.row_at(at)
        if op is None or row is None or self._index is None:
            return None
        if at not in self._words:
            self._words[at] = op_cell_text_of(self._index, op, row.stage, self._usual)
        return self._words[at]

    def heading(self, at: int) -> OpHeading | None:
        """Return the heading of a row, or None for an op."""
        row = self.row_at(at)
        if row is None or row.kind == "op" or self._index is None:
            return None
        if at not in self._headings:
            self._headings[at] = op_heading_of(self._index, self._step, row)
        return self._headings[at]

    def rowCount(self, parent: OpModelIndex = _ROOT) -> int:
        """Return the number of stages, lines and ops together."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: OpModelIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the title or alignment of a column."""
        across = orientation == Qt.Orientation.Horizontal
        if across and role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return self._titles[section] if across and role == Qt.ItemDataRole.DisplayRole else None

    def data(self, cell: OpModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a cell's text, accessible text, tooltip, font or color."""
        at, column = cell.row(), cell.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(at, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.sentence_in(at) if column == OP else self._text(at, column)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self._tip(at, column))
            case Qt.ItemDataRole.FontRole:
                return self._font(at, column)
            case Qt.ItemDataRole.ForegroundRole:
                return self._ink(at, column)
            case _ if role == HEADING_ROLE:
                return self.heading(at)
            case _ if role == SHARE_ROLE:
                return self._share(at)
            case _ if role == NOW_ROLE:
                return at == self._now
            case _:
                return None

    def sentence_in(self, at: int) -> str:
        """Describe a row for screen readers; an op by its sentence, as in other panels."""
        heading, place = self.heading(at), self.place_at(at)
        if heading is not None:
            return self.tr("{0}, current").format(heading.text) if at == self._now else heading.text
        if self._index is None or place is None:
            return ""
        text = describe_position(self._index, place)
        return self.tr("Current: {0}").format(text) if at == self._now else text

    def _text(self, at: int, column: int) -> str:
        words = self._words_in(at)
        if words is not None:
            return words.cells[column]
        return self.sentence_in(at) if column == OP else ""

    def _tip(self, at: int, column: int) -> str:
        words = self._words_in(at)
        if words is None:
            return ""
        if column == NOTE and words.tip:
            return f"{words.note}\n{words.tip}"
        if column in (INPUTS, OUTPUTS):
            return words.cells[column].replace(", ", "\n")
        op = self.op_in(at)
        where = user_line(op.location) if column == LINE and op is not None else None
        if where is not None:
            return place_text(where)
        return words.cells[column]

    def _font(self, at: int, column: int) -> QFont | None:
        if column == OP:
            return self._theme.font(SMALL_PIXELS, bold=at == self._now, mono=True)
        return self._theme.font(SMALL_PIXELS, bold=True) if at == self._now else None

    def _ink(self, at: int, column: int) -> object:
        words = self._words_in(at)
        if words is None:
            return None
        if column == NOTE:
            return self._theme.color("warning")
        if column in (INPUTS, OUTPUTS) and words.unusual[column - INPUTS]:
            return self._theme.color("accent")
        return None

    def _share(self, at: int) -> float | None:
        op = self.op_in(at)
        if op is None or op.duration_ns is None or not self._longest:
            return None
        return op.duration_ns / self._longest
