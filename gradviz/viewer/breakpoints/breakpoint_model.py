"""Table model of the breakpoints: what to stop at, hits, and a note."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
)

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    AtLine,
    AtNode,
    Breakpoint,
    BreakpointTarget,
    Condition,
    PassDirection,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.analysis.breakpoints.hits import BreakpointHits, NoHitReason, count_hits_until
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import plural, translate
from gradviz.viewer.widgets.plain_text import plain_tooltip


def breakpoint_title(target: BreakpointTarget, index: TraceIndex | None) -> str:
    """Return a short description of what a breakpoint stops at."""
    match target:
        case AtNode():
            return _directed(target.direction, _node_title(target, index))
        case AtFunction():
            text = translate("Breakpoints", "Each {name}").format(name=target.name)
            return _directed(target.direction, text)
        case AtLine():
            name = PurePath(target.path).name or target.path
            if not target.text:
                return translate("Breakpoints", "Line {line} of {file}").format(
                    line=target.line, file=name
                )
            text = translate("Breakpoints", "Line {line} of {file}: {text}")
            return text.format(line=target.line, file=name, text=target.text)
        case _:
            return _condition(target)


def _node_title(target: AtNode, index: TraceIndex | None) -> str:
    """Tell the node from others of the same name by its leaf, or the step that created it."""
    node = None if index is None else index.node.get(target.node)
    name = target.name.removeprefix("torch::autograd::")
    if index is None or node is None or node.name != target.name:
        return translate("Breakpoints", "Node {name}").format(name=name)
    if node.variable_name:
        return translate("Breakpoints", "Node {name} of {leaf}").format(
            name=name, leaf=node.variable_name
        )
    if node.id not in index.made_at:
        return translate("Breakpoints", "Node {name}").format(name=name)
    return translate("Breakpoints", "Node {name} (step {made})").format(
        name=name, made=format_count(index.made_at[node.id])
    )


def _directed(direction: PassDirection, text: str) -> str:
    if direction == "both":
        return text
    if direction == "forward":
        return translate("Breakpoints", "{what}, forward only").format(what=text)
    return translate("Breakpoints", "{what}, backward only").format(what=text)


def _condition(target: Condition) -> str:
    match target:
        case WhenNotFinite():
            return {
                ("nan", True): translate("Breakpoints", "A NaN appears"),
                ("nan", False): translate("Breakpoints", "A NaN is present"),
                ("inf", True): translate("Breakpoints", "An Inf appears"),
                ("inf", False): translate("Breakpoints", "An Inf is present"),
            }[target.kind, target.appears]
        case WhenNorm():
            return {
                (True, True): translate(
                    "Breakpoints", "The norm of a gradient rises above {limit}"
                ),
                (True, False): translate("Breakpoints", "The norm of a gradient is above {limit}"),
                (False, True): translate("Breakpoints", "The norm of a tensor rises above {limit}"),
                (False, False): translate("Breakpoints", "The norm of a tensor is above {limit}"),
            }[target.gradients, target.appears].format(limit=number_text(target.above, 6))
        case WhenSign():
            name = f"{target.name}.grad" if target.gradient else target.name
            element = ", ".join(map(str, target.element))
            if not target.element:
                return translate("Breakpoints", "{name} changes its sign").format(name=name)
            return translate("Breakpoints", "{name}[{element}] changes its sign").format(
                name=name, element=element
            )
        case WhenShape():
            return translate("Breakpoints", "A shape changes")
        case WhenDtype():
            return translate("Breakpoints", "A dtype changes")
        case WhenPrinted():
            return translate("Breakpoints", "Something is printed")
        case WhenRaised():
            return translate("Breakpoints", "An exception is raised")


def hits_text(found: BreakpointHits | None, place: TracePosition | None) -> str:
    """Return the number of hits, and which of them the current position is at."""
    if found is None:
        return translate("Breakpoints", "searching…")
    count = len(found.places)
    if not count or place is None:
        return translate("Breakpoints", "none") if not count else _hits(count)
    passed = count_hits_until(found.places, place)
    if passed and found.places[passed - 1] == place:
        return translate("Breakpoints", "hit {number} of {count}").format(
            number=format_count(passed), count=format_count(count)
        )
    if not passed:
        return translate("Breakpoints", "{hits} ahead").format(hits=_hits(count))
    return translate("Breakpoints", "{hits}, {passed} behind").format(
        hits=_hits(count), passed=format_count(passed)
    )


def _hits(count: int) -> str:
    return plural.tr("%Ln hit(s)", "", count)


def breakpoint_note(target: BreakpointTarget, found: BreakpointHits | None) -> str:
    """Return why there are no hits and what was not searched; empty if nothing to say."""
    if found is None:
        return ""
    notes = [_why(target, found.why)] if found.why is not None else []
    if found.unexamined.tensors:
        notes.append(
            plural.tr(
                "%Ln tensor(s) were not stored, so they were not searched.",
                "",
                found.unexamined.tensors,
            )
        )
    if found.unexamined.lines:
        notes.append(
            translate("Breakpoints", "Lines were not recorded, so variables were not searched.")
        )
    return join_sentences(notes)


def _why(target: BreakpointTarget, why: NoHitReason) -> str:
    texts: dict[NoHitReason, str] = {
        "no node": translate("Breakpoints", "This run has no such node."),
        "other node": translate("Breakpoints", "In this run, this number belongs to another node."),
        "node not run": translate(
            "Breakpoints", "No step creates or executes the node in this direction."
        ),
        "no function": translate("Breakpoints", "Nothing in this run has that name."),
        "function not run": translate(
            "Breakpoints", "No step creates or executes it in this direction."
        ),
        "no file": translate("Breakpoints", "This run did not use this file."),
        "line not run": translate("Breakpoints", "No recorded code ran on this line."),
        "no lines": translate("Breakpoints", "This run was recorded without lines."),
        "no name": translate("Breakpoints", "Nothing with this name was recorded."),
        "no element": translate("Breakpoints", "No tensor with this name has such an element."),
        "never": _never(target),
        "unreadable": translate("Breakpoints", "The trace can no longer be read."),
    }
    return texts[why]


def _never(target: BreakpointTarget) -> str:
    match target:
        case WhenNotFinite(kind="nan"):
            return translate("Breakpoints", "No searched tensor contains a NaN.")
        case WhenNotFinite():
            return translate("Breakpoints", "No searched tensor contains an Inf.")
        case WhenNorm(gradients=True):
            return translate("Breakpoints", "No searched gradient has such a large norm.")
        case WhenNorm():
            return translate("Breakpoints", "No searched tensor has such a large norm.")
        case WhenPrinted():
            return translate("Breakpoints", "No step printed anything.")
        case WhenRaised():
            return translate("Breakpoints", "No exception was raised.")
        case _:
            return translate("Breakpoints", "This never happens in this run.")


BreakpointModelIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ROW_HEIGHT = 26
_HITS, _NOTE = 1, 2
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class BreakpointModel(QAbstractTableModel):
    """One row for each breakpoint; its check box enables or disables it."""

    def __init__(self, state: ViewerState, breakpoints: BreakpointList) -> None:
        super().__init__(breakpoints)
        self._state = state
        self._breakpoints = breakpoints
        self._points: tuple[Breakpoint, ...] = breakpoints.points
        self._titles = (self.tr("Stop at"), self.tr("Hits"), self.tr("Note"))

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that are listed."""
        return self._points

    def refresh(self) -> None:
        """Update the rows to the current breakpoints and hits."""
        points = self._breakpoints.points
        if [each.target for each in points] != [each.target for each in self._points]:
            self.beginResetModel()
            self._points = points
            self.endResetModel()
        elif points:
            self._points = points
            self.dataChanged.emit(self.index(0, 0), self.index(len(points) - 1, _NOTE))

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        target = self._points[row].target
        found = self._breakpoints.found(target)
        if column == _HITS and self._state.index is None:
            return ""
        if column == _HITS:
            if found is not None and not found.places and not self._state.revealed.is_complete:
                return self.tr("none yet")
            return hits_text(found, self._state.place)
        if column == _NOTE:
            changed = self._breakpoints.line_change(target) == "changed"
            note = self.tr("The line has changed since the breakpoint was set.") if changed else ""
            more = breakpoint_note(target, found) if self._state.revealed.is_complete else ""
            return join_sentences((note, more))
        return breakpoint_title(target, self._state.index)

    def rowCount(self, parent: BreakpointModelIndex = _ROOT) -> int:
        """Return the number of breakpoints."""
        return 0 if parent.isValid() else len(self._points)

    def columnCount(self, parent: BreakpointModelIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return the column titles."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def flags(self, index: BreakpointModelIndex) -> Qt.ItemFlag:
        """Make the first cell of each row checkable."""
        box = Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | box

    def data(self, index: BreakpointModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, check state, tooltip and color of a cell."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(row, column)
            case Qt.ItemDataRole.CheckStateRole:
                enabled = self._points[row].enabled
                return (_CHECKED if enabled else _UNCHECKED) if column == 0 else None
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.text(row, column))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.sentence(row) if column == 0 else self.text(row, column)
            case Qt.ItemDataRole.ForegroundRole:
                plain = column != _NOTE and self._points[row].enabled
                return None if plain else self._state.theme.color("text_muted")
            case Qt.ItemDataRole.SizeHintRole:
                return QSize(0, self._state.theme.px(_ROW_HEIGHT))
            case _:
                return None

    def sentence(self, row: int) -> str:
        """Return the whole row as one text for screen readers."""
        parts = [self.text(row, column) for column in range(len(self._titles))]
        if not self._points[row].enabled:
            parts.append(self.tr("disabled"))
        return ", ".join(filter(None, parts))

    def setData(
        self, index: BreakpointModelIndex, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Enable or disable a breakpoint by its check box."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        enabled = Qt.CheckState(value) == _CHECKED
        self._breakpoints.set_enabled(self._points[index.row()].target, enabled)
        return True
