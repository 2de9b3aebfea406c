"""The ops of a step as a Qt model: rows are put into words when they are looked at."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from gradviz.model.index import Index
from gradviz.model.inside import Op, Part, StageKind
from gradviz.model.narrate import sentence_at
from gradviz.model.places import Place
from gradviz.model.source import user_line
from gradviz.viewer.inspector.node_facts import place_text
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.ops.headings import Heading, heading_of
from gradviz.viewer.ops.rows import Key, Row, op_of, rows_of
from gradviz.viewer.ops.words import Usual, Words, usual_in, words_of
from gradviz.viewer.widgets.plain_text import plain_tooltip

Cell = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()

OP, INPUTS, OUTPUTS, NOTE, TIME, LINE = range(6)

HEADING_ROLE = Qt.ItemDataRole.UserRole
"""The `Heading` of a row that is no op."""

SHARE_ROLE = Qt.ItemDataRole.UserRole + 1
"""Of the longest op's time, from 0 to 1; None where it was not measured."""

NOW_ROLE = Qt.ItemDataRole.UserRole + 2
"""Whether the run is at this row."""


class OpsModel(QAbstractTableModel):
    """Shows one step at a time."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._index: Index | None = None
        self._parts: dict[StageKind, Part] = {}
        self._step = 0
        self._rows: tuple[Row, ...] = ()
        self._headings_at: dict[Key, int] = {}
        self._ops_at: dict[StageKind, list[int]] = {}
        self._now = -1
        self._longest = 0
        self._unmeasured = 0
        self._usual = Usual()
        self._words: dict[int, Words] = {}
        self._headings: dict[int, Heading] = {}
        self._titles = (
            self.tr("Op"),
            self.tr("Inputs"),
            self.tr("Outputs"),
            self.tr("Note"),
            self.tr("Time"),
            self.tr("Line"),
        )

    @property
    def usual(self) -> Usual:
        """What is told of no single tensor."""
        return self._usual

    @property
    def now(self) -> int:
        """The row at which the run is; -1 for none."""
        return self._now

    @property
    def ops(self) -> int:
        """How many ops are shown."""
        return sum(len(part.ops) for part in self._parts.values())

    @property
    def dropped(self) -> int:
        """How many further ops ran that were not kept."""
        return sum(part.more_ops for part in self._parts.values())

    @property
    def unmeasured(self) -> int:
        """How many of them have no time."""
        return self._unmeasured

    def show_step(self, index: Index | None, number: int) -> None:
        """Shows another step; nothing of none."""
        if index is self._index and number == self._step:
            return
        self.beginResetModel()
        self._index, self._step = index, number
        inside = None if index is None else index.inside.get(number)
        self._parts = {} if inside is None else {part.stage: part for part in inside.parts}
        self._rows = () if index is None else rows_of(index, number)
        self._find_rows()
        self._words, self._headings = {}, {}
        self._now = -1
        times = [op.duration_ns for part in self._parts.values() for op in part.ops]
        self._unmeasured = times.count(None)
        self._longest = max((each for each in times if each is not None), default=0)
        self._usual = Usual() if index is None else usual_in(index, self._parts.values())
        self.endResetModel()

    def _find_rows(self) -> None:
        self._headings_at = {}
        self._ops_at = {stage: [] for stage in self._parts}
        for at, row in enumerate(self._rows):
            if row.kind == "op":
                self._ops_at[row.stage].append(at)
            elif row.kind != "more":
                self._headings_at[row.key] = at

    def _row_of(self, place: Place | None) -> int:
        """The row of a place; -1 for none."""
        if place is None or place.stage is None or place.step != self._step:
            return -1
        if place.op is None:
            return self._headings_at.get((place.stage, place.line, None), -1)
        rows = self._ops_at.get(place.stage, [])
        return rows[place.op] if place.op < len(rows) else -1

    def show_place(self, place: Place | None) -> None:
        """Marks where the run is."""
        before, self._now = self._now, self._row_of(place)
        for row in {before, self._now} - {-1}:
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self._titles) - 1))

    def set_theme(self, theme: Theme) -> None:
        """Marks with the colours of another theme."""
        self._theme = theme
        if self._rows:
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(self._rows) - 1, len(self._titles) - 1)
            )

    def row_at(self, at: int) -> Row | None:
        """A row; None for one that is not there."""
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def op_in(self, at: int) -> Op | None:
        """The op of a row; None for a heading."""
        return op_of(self._parts, self.row_at(at))

    def place_at(self, at: int) -> Place | None:
        """Where a row leads."""
        row = self.row_at(at)
        return None if row is None else row.place(self._step)

    def text_of(self, at: int) -> str:
        """A row with tabs between its cells, for a spreadsheet; empty for a heading."""
        words = self._words_in(at)
        return "" if words is None else "\t".join(words.cells)

    def table(self) -> str:
        """All ops with tabs between the cells, below the titles of the columns."""
        texts = (self.text_of(at) for at in range(len(self._rows)))
        return "\n".join(("\t".join(self._titles), *(text for text in texts if text)))

    def _words_in(self, at: int) -> Words | None:
        op, row = self.op_in(at), self.row_at(at)
        if op is None or row is None or self._index is None:
            return None
        if at not in self._words:
            self._words[at] = words_of(self._index, op, row.stage, self._usual)
        return self._words[at]

    def heading(self, at: int) -> Heading | None:
        """What a row says that is no op."""
        row = self.row_at(at)
        if row is None or row.kind == "op" or self._index is None:
            return None
        if at not in self._headings:
            self._headings[at] = heading_of(self._index, self._step, row)
        return self._headings[at]

    def rowCount(self, parent: Cell = _ROOT) -> int:
        """Stages, lines and ops."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Cell = _ROOT) -> int:
        """Op, inputs, outputs, note, time, line."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The titles of the columns."""
        across = orientation == Qt.Orientation.Horizontal
        if across and role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return self._titles[section] if across and role == Qt.ItemDataRole.DisplayRole else None

    def data(self, cell: Cell, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell: its text, what a screen reader says, and how it looks."""
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
        """A whole row in words: an op by its sentence, which is the same everywhere."""
        heading, place = self.heading(at), self.place_at(at)
        if heading is not None:
            return self.tr("{0}, now").format(heading.text) if at == self._now else heading.text
        if self._index is None or place is None:
            return ""
        text = sentence_at(self._index, place)
        return self.tr("Now: {0}").format(text) if at == self._now else text

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
            return self._theme.colour("warning")
        if column in (INPUTS, OUTPUTS) and words.unusual[column - INPUTS]:
            return self._theme.colour("accent")
        return None

    def _share(self, at: int) -> float | None:
        op = self.op_in(at)
        if op is None or op.duration_ns is None or not self._longest:
            return None
        return op.duration_ns / self._longest
