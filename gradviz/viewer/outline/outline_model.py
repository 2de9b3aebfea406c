"""The outline as a Qt item model; texts of rows are created when they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from gradviz.analysis.index.node_steps import received_gradients
from gradviz.analysis.index.step_queries import (
    is_outside_scope,
    node_at_step,
    node_status,
    step_at,
)
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.search.search_index import node_kind_text
from gradviz.catalogue.language import format_count
from gradviz.model.finding import Severity
from gradviz.model.item import Item
from gradviz.model.step import ErrorStep, NodeStep
from gradviz.text.phrases import record_shape_text
from gradviz.viewer.outline.outline_tree import OutlineEntry, outline_of
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SEVERITY_COLORS, Theme
from gradviz.viewer.translation import plural, translate
from gradviz.viewer.widgets.plain_text import plain_tooltip


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineCellText:
    """The texts of one row.

    Attributes:
        name: Name of the node, leaf or module.
        kind: Kind of the node, leaf or module.
        state: State at the step; empty for a module or group.
        gradient: Shapes of the gradients received so far; empty before the first one.
        problem: A known problem; empty without one.
        severity: Its severity.
        path: Full path of a module, whose name is the last part of it; empty for other rows.
    """

    name: str
    kind: str
    state: str = ""
    gradient: str = ""
    problem: str = ""
    severity: Severity = "error"
    path: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts in the order of the columns; a narrow panel shows only the first ones."""
        return (self.name, self.state, self.gradient, self.problem, self.kind)

    @property
    def sentence(self) -> str:
        """The whole row as a sentence for screen readers."""
        gradient = (
            translate("Outline", "gradient {0}").format(self.gradient) if self.gradient else ""
        )
        parts = (self.path or self.name, self.kind, self.state, gradient, self.problem)
        return ", ".join(part for part in parts if part)


def outline_cell_text_of(
    index: TraceIndex,
    entry: OutlineEntry,
    number: int,
    revealed: RevealedTrace,
    is_harmful: Callable[[int, int], bool],
) -> OutlineCellText:
    """Return the texts of a row at a step.

    Args:
        index: The trace.
        entry: The row.
        number: The step.
        revealed: The results that may be shown.
        is_harmful: Whether NaN and Inf of a tensor in a step are errors.
    """
    if entry.module is not None:
        return _module_words(index, entry)
    if entry.node is None:
        return OutlineCellText(
            name=translate("Outline", "Leaves"), kind=_count(len(entry.children))
        )
    node = index.node[entry.node]
    name = node.variable_name or node.name.removeprefix("torch::autograd::")
    problem, severity = _problem(index, node.id, number, revealed, is_harmful)
    return OutlineCellText(
        name=name,
        kind=_kinds()[node_kind_text(node)],
        state=_state(index, node.id, number),
        gradient=" · ".join(_shapes(index, received_gradients(index, node.id, number))),
        problem=problem,
        severity=severity,
    )


def module_now(index: TraceIndex, number: int) -> frozenset[int]:
    """IDs of the module calls in which the node of a step was created."""
    node = node_at_step(index, number)
    call = None if node is None else index.node[node].module_call
    outer = []
    while call is not None:
        outer.append(call)
        call = index.module[call].parent
    return frozenset(outer)


def _module_words(index: TraceIndex, entry: OutlineEntry) -> OutlineCellText:
    assert entry.module is not None
    module = index.module[entry.module]
    kind = translate("Outline", "module")
    if module.class_name and module.class_name != module.path:
        kind = translate("Outline", "module {0}").format(module.class_name)
    outer = "" if module.parent is None else f"{index.module[module.parent].path}."
    return OutlineCellText(name=module.path.removeprefix(outer), kind=kind, path=module.path)


def _shapes(index: TraceIndex, items: tuple[Item, ...]) -> Iterator[str]:
    for item in items:
        if item.tensor is None:
            yield translate("Outline", "None")
        else:
            yield record_shape_text(index.tensor[item.tensor])


def _problem(
    index: TraceIndex,
    node: int,
    number: int,
    revealed: RevealedTrace,
    is_harmful: Callable[[int, int], bool],
) -> tuple[str, Severity]:
    for finding in revealed.findings:
        if finding.node == node:
            return finding.message, finding.severity
    last = step_at(index, len(index.trace.steps))
    if isinstance(last, ErrorStep) and last.node == node and revealed.shows(last.number):
        return translate("Outline", "raises {0}").format(last.exception), "error"
    return _not_finite(index, node, min(number, revealed.until), is_harmful)


def _not_finite(
    index: TraceIndex, node: int, number: int, is_harmful: Callable[[int, int], bool]
) -> tuple[str, Severity]:
    nans = infinities = 0
    severity: Severity = "info"
    for visit, item in _gradients(index, node, number):
        statistics = None if item.tensor is None else index.tensor[item.tensor].statistics
        if item.tensor is not None and statistics is not None and not statistics.all_finite:
            nans += statistics.nans
            infinities += statistics.infinities
            if is_harmful(item.tensor, visit):
                severity = "error"
    parts = [
        translate("Outline", "{0} NaN").format(format_count(nans)) if nans else "",
        translate("Outline", "{0} Inf").format(format_count(infinities)) if infinities else "",
    ]
    return ", ".join(part for part in parts if part), severity


def _gradients(index: TraceIndex, node: int, number: int) -> Iterator[tuple[int, Item]]:
    """All gradients that a node has received and returned by a step, with their own steps."""
    for visit in index.visits.get(node, ()):
        if visit > number:
            return
        step = step_at(index, visit)
        if isinstance(step, NodeStep):
            for item in (*step.incoming, *step.returned):
                yield visit, item
            for each in step.passed:
                if each.change != "unchanged":
                    yield visit, each.item


def _kinds() -> dict[str, str]:
    return {
        "custom": translate("Outline", "custom Function"),
        "builtin": translate("Outline", "built-in node"),
        "leaf": translate("Outline", "leaf"),
        "error": translate("Outline", "node that raises an error"),
    }


def _state(index: TraceIndex, node: int, number: int) -> str:
    if is_outside_scope(index, node):
        return translate("Outline", "not recorded")
    return _states()[node_status(index, node, number)]


def _states() -> dict[str, str]:
    return {
        "made": translate("Outline", "created"),
        "done": translate("Outline", "done"),
        "now": translate("Outline", "now"),
        "to come": translate("Outline", "to come"),
        "untouched": translate("Outline", "not reached"),
    }


def _count(number: int) -> str:
    return plural.tr("%Ln leaf(s)", "", number)


OutlineModelIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_STATE, _PROBLEM = 1, 3
_ROW_HEIGHT = 26


class OutlineModel(QAbstractItemModel):
    """Item model of the nodes and modules of a trace at one step."""

    def __init__(
        self, theme: Theme, is_harmful: Callable[[int, int], bool], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_harmful = is_harmful
        self._index: TraceIndex | None = None
        self._number = 0
        self._revealed = RevealedTrace()
        self._hits: frozenset[int] = frozenset()
        self._entries: tuple[OutlineEntry, ...] = ()
        self._top: tuple[int, ...] = ()
        self._rows: dict[int, int] = {}
        self._around: frozenset[int] = frozenset()
        self._words: dict[int, OutlineCellText] = {}
        self._titles = (
            self.tr("Name"),
            self.tr("State"),
            self.tr("Gradient"),
            self.tr("Problem"),
            self.tr("Kind"),
        )

    def show_index(self, index: TraceIndex | None) -> None:
        """Show another trace."""
        self.beginResetModel()
        self._index = index
        self._entries = () if index is None else outline_of(index)
        self._top = tuple(at for at, entry in enumerate(self._entries) if entry.parent < 0)
        self._rows = {
            entry.node: at for at, entry in enumerate(self._entries) if entry.node is not None
        }
        self._words = {}
        self._around = frozenset()
        self.endResetModel()

    def show_step(self, number: int, revealed: RevealedTrace) -> None:
        """Show another step, with the problems that may be shown."""
        self._number, self._revealed = number, revealed
        self._around = frozenset() if self._index is None else module_now(self._index, number)
        self._refresh()

    def show_hits(self, hits: frozenset[int]) -> None:
        """Highlight the nodes that a search found."""
        if hits != self._hits:
            self._hits = hits
            self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colors of another theme."""
        self._theme = theme
        self._refresh()

    def node_at(self, place: OutlineModelIndex) -> int | None:
        """The node of a row; None for a module or group."""
        return self._entries[place.internalId()].node if place.isValid() else None

    def place_of(self, node: int | None) -> QModelIndex:
        """The index of a node's row; an invalid index for None."""
        if node is None or node not in self._rows:
            return QModelIndex()
        row = self._rows[node]
        return self.createIndex(self._entries[row].at, 0, row)

    def sentence_at(self, place: OutlineModelIndex) -> str:
        """A whole row as a sentence."""
        words = self._words_at(place.internalId()).sentence
        if self.node_at(place) in self._hits:
            return self.tr("{0}, found").format(words)
        return words

    def _refresh(self) -> None:
        """Discard cached texts and notify the views, which only query visible rows."""
        self._words = {}
        if self._top:
            first = self.index(0, 0)
            last = self.index(len(self._top) - 1, len(self._titles) - 1)
            self.dataChanged.emit(first, last)

    def _words_at(self, row: int) -> OutlineCellText:
        assert self._index is not None
        if row not in self._words:
            entry = self._entries[row]
            self._words[row] = outline_cell_text_of(
                self._index, entry, self._number, self._revealed, self._is_harmful
            )
        return self._words[row]

    def _is_now(self, row: int) -> bool:
        entry = self._entries[row]
        if entry.module is not None:
            return entry.module in self._around
        return entry.node is not None and self._words_at(row).state == self.tr("now")

    def _font(self, row: int) -> QFont | None:
        return self._theme.font(bold=True) if self._is_now(row) else None

    def index(self, row: int, column: int, parent: OutlineModelIndex = _ROOT) -> QModelIndex:
        """The index of a cell."""
        inside = self._entries[parent.internalId()].children if parent.isValid() else self._top
        if not (0 <= row < len(inside) and 0 <= column < len(self._titles)):
            return QModelIndex()
        return self.createIndex(row, column, inside[row])

    def parent(self, place: OutlineModelIndex = _ROOT) -> QModelIndex:  # type: ignore[override]
        """The index of a row's parent row."""
        outer = self._entries[place.internalId()].parent if place.isValid() else -1
        return QModelIndex() if outer < 0 else self.createIndex(self._entries[outer].at, 0, outer)

    def rowCount(self, parent: OutlineModelIndex = _ROOT) -> int:
        """Number of rows inside a row."""
        if not parent.isValid():
            return len(self._top)
        return len(self._entries[parent.internalId()].children) if parent.column() == 0 else 0

    def columnCount(self, parent: OutlineModelIndex = _ROOT) -> int:
        """Number of columns: name, state, gradient, problem and kind."""
        return len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The titles of the columns."""
        across = orientation == Qt.Orientation.Horizontal
        shown = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        return self._titles[section] if across and shown else None

    def data(self, place: OutlineModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, tooltip, accessible text, font or colors of a cell, depending on the role."""
        if not place.isValid():
            return None
        row, column = place.internalId(), place.column()
        text = self._words_at(row).cells[column]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.tr("now inside") if self._says_inside(row, column) else text
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.sentence_at(place) if column == 0 else text)
            case Qt.ItemDataRole.AccessibleTextRole:
                # Screen readers read the first cell of a row, so it contains the whole row.
                return self.sentence_at(place) if column == 0 else text
            case Qt.ItemDataRole.FontRole:
                return self._font(row)
            case Qt.ItemDataRole.BackgroundRole if self._entries[row].node in self._hits:
                return self._theme.color("search_hit")
            case Qt.ItemDataRole.ForegroundRole if column == _PROBLEM:
                return self._theme.color(SEVERITY_COLORS[self._words_at(row).severity])
            case Qt.ItemDataRole.DecorationRole if column == 0 and self._words_at(row).problem:
                # A narrow panel has no space for the column of problems.
                severity = self._words_at(row).severity
                return icon(severity, self._theme, SEVERITY_COLORS[severity])
            case Qt.ItemDataRole.SizeHintRole:
                return QSize(0, self._theme.px(_ROW_HEIGHT))
            case _:
                return None

    def _says_inside(self, row: int, column: int) -> bool:
        return column == _STATE and self._entries[row].module in self._around
