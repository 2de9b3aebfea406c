"""The context menus of the window's panels."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.messages import format_count
from gradviz.viewer.actions import Actions
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.context_menu import ContextMenu, fill
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.console.console_view import ConsoleView
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.ops.panel import OpsPanel
from gradviz.viewer.outline.panel import OutlinePanel
from gradviz.viewer.provenance.controller import origin_query_of_steps
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import OriginQuery, TensorRef
from gradviz.viewer.timeline.timeline_bar import TimelineBar
from gradviz.viewer.timeline.timeline_text import revealed_sentence
from gradviz.viewer.translation import translate


class GraphMenu:
    """The graph's context menu: commands for the node under the mouse or the whole graph."""

    def __init__(
        self, state: ViewerState, graph: GraphPanel, actions: Actions, nodes: NodeCommands
    ) -> None:
        self._state = state
        self._graph = graph
        self._actions = actions
        self._nodes = nodes
        self.menu = ContextMenu(graph.view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        picture = self._graph.stage.picture
        if picture is None:
            return
        card = self._graph.stage.current_box() if at is None else self._graph.view.card_at(at)
        actions = self._actions
        if card is None:
            fill(menu, [actions.fit, actions.full_size, actions.zoom_in, actions.zoom_out, None])
            fill(menu, [actions.fold_all, None, actions.legend, actions.minimap, None])
            fill(menu, [actions.find, None, actions.export_svg, actions.export_dot])
            return
        self._state.select(next(iter(picture.nodes[card].nodes), None))
        fill(menu, [actions.open_group, actions.close_group, actions.describe, None])
        fill(menu, [actions.toggle_breakpoint])
        fill(menu, self._nodes.entries)

    def _place(self) -> QPoint:
        """Return the center of the current node, where the Menu key opens the menu."""
        view, card = self._graph.view, self._graph.stage.current_box()
        middle = view.viewport().rect().center()
        return middle if card is None else view.card_rect(card).center().toPoint()


class TimelineMenu:
    """The timeline's context menu: go to the step, copy its sentence, find a NaN's origin."""

    def __init__(self, state: ViewerState, bar: TimelineBar, actions: Actions) -> None:
        self._state = state
        self._bar = bar
        self._actions = actions
        self.menu = ContextMenu(bar, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        index, actions = self._state.index, self._actions
        number = self._state.number if at is None else self._bar.number_under(QPointF(at))
        step = None if index is None else step_at(index, number)
        if index is None or step is None:
            return
        if number != self._state.number:
            go = menu.addAction(
                translate("ContextMenus", "&Go to Step {0}").format(format_count(number))
            )
            go.triggered.connect(partial(_go_to, self._state, number))
        copy = menu.addAction(
            translate("ContextMenus", "&Copy Description of Step {0}").format(format_count(number))
        )
        sentence = revealed_sentence(self._state, TracePosition(step=number), "node")
        copy.triggered.connect(partial(_copy, sentence))
        suspect = origin_query_of_steps(index, (number,)) if number <= self._state.told else None
        if suspect is not None:
            find = menu.addAction(translate("ContextMenus", "Find Origin of Its NaN or &Inf"))
            find.triggered.connect(partial(_request_origin, self._state, suspect))
        fill(menu, [None, actions.first, actions.previous, actions.play])
        fill(menu, [actions.next, actions.last])

    def _place(self) -> QPoint:
        return QPoint(round(self._bar.x_of(self._state.number)), self._bar.height() // 2)


class LibraryMenu:
    """The library's context menu: run the entry or copy its name."""

    def __init__(self, library: LibraryPanel) -> None:
        self._library = library
        self.menu = ContextMenu(library, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        item = self._library.currentItem() if at is None else self._library.itemAt(at)
        if item is None or item.childCount():
            return
        run = menu.addAction(translate("ContextMenus", "&Run"))
        run.triggered.connect(lambda: self._library.pick(item))
        copy = menu.addAction(translate("ContextMenus", "&Copy Name"))
        copy.triggered.connect(partial(_copy, item.text(0)))

    def _place(self) -> QPoint:
        return self._library.visualRect(self._library.currentIndex()).center()


class OutlineMenu:
    """The outline's context menu, with the same commands as the node in the graph."""

    def __init__(self, outline: OutlinePanel, actions: Actions, nodes: NodeCommands) -> None:
        self._outline = outline
        self._nodes = nodes
        self._actions = actions
        self.menu = ContextMenu(outline.view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        view = self._outline.view
        place = view.currentIndex() if at is None else view.indexAt(at)
        if self._outline.rows.node_at(place) is not None:
            view.setCurrentIndex(place)
            fill(menu, [self._actions.toggle_breakpoint])
            fill(menu, self._nodes.entries)
        elif place.isValid():
            word = (
                translate("ContextMenus", "&Close")
                if view.isExpanded(place)
                else translate("ContextMenus", "&Open")
            )
            menu.addAction(word).triggered.connect(lambda: self._outline.toggle(place))

    def _place(self) -> QPoint:
        view = self._outline.view
        return view.visualRect(view.currentIndex()).center()


class ConsoleMenu:
    """The console's context menu: go to the step that printed the line, or copy text."""

    def __init__(self, view: ConsoleView) -> None:
        self._view = view
        self.menu = ContextMenu(view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        view = self._view
        cursor = view.textCursor() if at is None else view.cursorForPosition(at)
        row = cursor.blockNumber()
        line = view.line_at(row)
        if line is None:
            return
        if line.step is not None:
            go = menu.addAction(
                translate("ContextMenus", "&Go to Step {0}").format(format_count(line.step))
            )
            go.triggered.connect(lambda: view.go_to_row(row))
        copy = menu.addAction(translate("ContextMenus", "Copy &Line"))
        copy.triggered.connect(partial(_copy, line.text))
        menu.addSeparator()
        chosen = menu.addAction(translate("ContextMenus", "&Copy"))
        chosen.setEnabled(view.textCursor().hasSelection())
        chosen.triggered.connect(view.copy)
        menu.addAction(translate("ContextMenus", "Select &All")).triggered.connect(view.selectAll)

    def _place(self) -> QPoint:
        return self._view.cursorRect().bottomRight()


class OpsMenu:
    """The op table's context menu: go to the op, enlarge its tensors, copy rows."""

    def __init__(self, ops: OpsPanel) -> None:
        self._ops = ops
        self.menu = ContextMenu(ops.view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        view, rows = self._ops.view, self._ops.rows
        place = view.currentIndex() if at is None else view.indexAt(at)
        row = place.row()
        if rows.row_at(row) is None:
            return
        view.setCurrentIndex(place)
        op = rows.op_in(row)
        go = menu.addAction(
            translate("ContextMenus", "&Go to Op")
            if op is not None
            else translate("ContextMenus", "&Go There")
        )
        go.triggered.connect(lambda: self._ops.go_to_row(row))
        menu.addSeparator()
        for sight in self._ops.tensor_refs_in(row):
            text = translate("ContextMenus", "&Enlarge {0}").format(sight.name.replace("&", "&&"))
            menu.addAction(text).triggered.connect(partial(_see, self._ops, sight))
        menu.addSeparator()
        if op is not None:
            menu.addAction(translate("ContextMenus", "&Copy Row")).triggered.connect(
                partial(_copy, rows.text_of(row))
            )
        menu.addAction(translate("ContextMenus", "Copy &Table")).triggered.connect(
            lambda: _copy(rows.table())
        )

    def _place(self) -> QPoint:
        view = self._ops.view
        return view.visualRect(view.currentIndex()).center()


def _see(ops: OpsPanel, sight: TensorRef, checked: bool = False) -> None:
    ops.see(sight)


def _request_origin(state: ViewerState, suspect: OriginQuery, checked: bool = False) -> None:
    state.request_origin(suspect)


def _go_to(state: ViewerState, number: int, checked: bool = False) -> None:
    state.go_to(number)


def _copy(text: str, checked: bool = False) -> None:
    QGuiApplication.clipboard().setText(text)
