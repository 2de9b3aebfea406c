"""The Outline panel: the graph as a list that follows the step and the selection."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStackedLayout,
    QTreeView,
    QWidget,
)

from gradviz.analysis.index.node_steps import next_step_of
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.values.non_finite_reach import NonFiniteReach
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.outline import KEYS
from gradviz.viewer.outline.outline_model import OutlineModel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.plain_text import PlainLabel

OPENED_ROWS = 400
"""Largest number of nodes for which all modules are expanded at first."""

_LEAST_NAME, _MOST_NAME = 168, 238
_INDENTATION = 14
_WIDTHS = (88, 70, 110, 120)
"""Widths of the columns after the name."""

_COLUMNS = range(1, len(_WIDTHS) + 1)


class OutlinePanel(QWidget):
    """Lists the nodes of the graph; not updated while hidden, as a large graph has many rows."""

    def __init__(
        self, state: ViewerState, requests: ViewRequests, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._requests = requests
        self._shown: TraceIndex | None = None
        self.rows = OutlineModel(state.theme, state.is_harmful, self)
        self.view = _OutlineTree(self)
        self.view.setModel(self.rows)
        self._hint = PlainLabel(
            self.tr("Once there is a graph, its nodes are listed here."), muted=True
        )
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setContentsMargins(16, 16, 16, 16)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._hint)
        self._pages.addWidget(self.view)
        self.setAccessibleName(self.tr("Outline"))
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.selection_changed.connect(self._on_state_selection_changed)
        state.hits_changed.connect(self._on_state_hits_changed)
        state.reach_changed.connect(self._on_state_reach_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self.view.selectionModel().currentChanged.connect(self._on_view_current_changed)
        self.view.activated.connect(self._on_view_activated)
        self._set_widths(state.theme)

    def toggle(self, place: QModelIndex) -> None:
        """Expand or collapse a module or group."""
        self.view.setExpanded(place, not self.view.isExpanded(place))

    def _refresh(self) -> None:
        """Update to the current state, if visible."""
        if not self.isVisible():
            return
        index = self._state.index
        is_new = index is not self._shown
        if is_new:
            self._shown = index
            self.rows.show_index(index)
            if index is not None and len(index.trace.nodes) <= OPENED_ROWS:
                self.view.expandAll()
        self._pages.setCurrentWidget(self.view if self.rows.rowCount() else self._hint)
        if is_new:
            self._fit(self._state.theme)
        self.rows.show_hits(self._state.hits)
        self.rows.show_step(self._state.number, self._state.revealed)
        self._show_selection()

    def _show_selection(self) -> None:
        place = self.rows.place_of(self._state.selection)
        current = self.view.currentIndex()
        if self._state.selection == self.rows.node_at(current):
            return
        if place.isValid() or self.rows.node_at(current) is not None:
            self.view.setCurrentIndex(place)
        if place.isValid():
            self.view.scrollTo(place)

    def _set_widths(self, theme: Theme) -> None:
        self.view.setFont(theme.font())
        set_header_font(self.view.header(), theme.font())
        for column, width in zip(_COLUMNS, _WIDTHS, strict=True):
            self.view.setColumnWidth(column, theme.px(width))
        self._fit(theme)

    def _fit(self, theme: Theme) -> None:
        """Show the columns that fit next to the names, which are whole if there is space."""
        # The stack has not yet resized a page that it did not show before.
        self.view.resize(self.size())
        wanted, index = theme.px(_LEAST_NAME), self._state.index
        if index is not None and len(index.trace.nodes) <= OPENED_ROWS:
            whole = min(self._name_width(QModelIndex(), 1), theme.px(_MOST_NAME))
            wanted = max(wanted, whole)
        width = self.view.viewport().width()
        free = width - wanted
        for column, least in zip(_COLUMNS, _WIDTHS, strict=True):
            free -= theme.px(least)
            # The state is always shown, and after a hidden column come hidden ones only.
            self.view.setColumnHidden(column, free < 0 and column > 1)
        shown = (column for column in _COLUMNS if not self.view.isColumnHidden(column))
        others = sum(theme.px(_WIDTHS[column - 1]) for column in shown)
        narrow = self.view.isColumnHidden(_COLUMNS[-1])
        self.view.setColumnWidth(0, max(width - others, 0) if narrow else wanted)

    def _name_width(self, parent: QModelIndex, depth: int) -> int:
        """Width of the widest name in a row and all rows inside, in bold and with its arrow."""
        metrics = QFontMetrics(self._state.theme.font(bold=True))
        widths = [0]
        for at in range(self.rows.rowCount(parent)):
            place = self.rows.index(at, 0, parent)
            name = metrics.horizontalAdvance(str(place.data()))
            widths += [name + _INDENTATION * (depth + 1), self._name_width(place, depth + 1)]
        return max(widths)

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if index is None:
            # A closed trace must not be queried again.
            self._shown = None
            self.rows.show_index(None)
        self._refresh()

    @Slot(object)
    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        self._refresh()

    @Slot(object)
    def _on_state_selection_changed(self, node: int | None) -> None:
        if self.isVisible():
            self._show_selection()

    @Slot(object)
    def _on_state_reach_changed(self, reach: NonFiniteReach | None) -> None:
        self._refresh()

    @Slot(object)
    def _on_state_hits_changed(self, hits: frozenset[int]) -> None:
        if self.isVisible():
            self.rows.show_hits(hits)

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._hint.set_theme(theme)
        self.rows.set_theme(theme)
        self._set_widths(theme)

    @Slot(QModelIndex, QModelIndex)
    def _on_view_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        node = self.rows.node_at(current)
        if node is not None:
            self._state.select(node)

    @Slot(QModelIndex)
    def _on_view_activated(self, place: QModelIndex) -> None:
        """Go to the next step of a node; expand or collapse a module."""
        index, node = self._state.index, self.rows.node_at(place)
        if index is None or node is None:
            self.toggle(place)
            return
        step = next_step_of(index, node, self._state.number)
        if step is not None:
            self._state.go_to(step)
        self._requests.show_node(node)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the columns that fit."""
        super().resizeEvent(event)
        self._fit(self._state.theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Update to what changed while the panel was hidden."""
        super().showEvent(event)
        if self._shown is None:
            self._set_widths(self._state.theme)
        self._refresh()


class _OutlineTree(QTreeView):
    """A tree in which Enter activates a row on every platform."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("outline")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setIndentation(_INDENTATION)
        self.setAllColumnsShowFocus(True)
        # Node names differ at both ends.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setExpandsOnDoubleClick(False)
        self.setAccessibleName(self.tr("Nodes of the graph"))
        self.setToolTip(self.tr("Enter: go to the step of the node and show it in the graph"))
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)
        FocusRing(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if pressed(KEYS, event) == "step" and self.currentIndex().isValid():
            self.activated.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)
