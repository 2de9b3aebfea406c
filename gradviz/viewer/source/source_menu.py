"""The context menu of the source pane."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.viewer.actions import Actions
from gradviz.viewer.commands.context_menu import ContextMenu, copy_text, fill
from gradviz.viewer.source.code_column import CodeColumn
from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import translate


class SourceMenu:
    """The context menu of one column: go to the line, run to it, copy text."""

    def __init__(
        self, state: ViewerState, panel: SourcePanel, column: CodeColumn, actions: Actions
    ) -> None:
        self._state = state
        self._panel = panel
        self._column = column
        self._actions = actions
        self.menu = ContextMenu(column.view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        view, rows = self._column.view, self._column.view.rows
        line = view.cursor_line if at is None else view.line_at(at)
        if rows is None or not line:
            return
        self._add_jumps(menu, rows, rows.text.statement_at(line)[0])
        if view.gutter.breakable:
            toggle = menu.addAction(translate("ContextMenus", "&Set or Remove Breakpoint"))
            toggle.triggered.connect(lambda: self._panel.toggle_breakpoint(self._column, line))
        menu.addSeparator()
        copy = menu.addAction(translate("ContextMenus", "Copy &Line"))
        copy.triggered.connect(partial(copy_text, rows.text.lines[line - 1]))
        note = rows.mark(line).note
        if note:
            menu.addAction(translate("ContextMenus", "Copy &Values")).triggered.connect(
                partial(copy_text, note)
            )
        chosen = menu.addAction(translate("ContextMenus", "&Copy"))
        chosen.setEnabled(view.textCursor().hasSelection())
        chosen.triggered.connect(view.copy)
        menu.addAction(translate("ContextMenus", "Select &All")).triggered.connect(view.selectAll)
        fill(menu, [None, self._actions.edit_source])

    def _add_jumps(self, menu: QMenu, rows: LineMarks, line: int) -> None:
        passage = rows.passage
        jumps = (
            (translate("ContextMenus", "&Go to Line {0}"), passage.place_of(line)),
            (
                translate("ContextMenus", "Run &Forward to Line {0}"),
                passage.adjacent_place(line, 1),
            ),
            (translate("ContextMenus", "Run &Back to Line {0}"), passage.adjacent_place(line, -1)),
        )
        for text, place in jumps:
            if place is not None:
                go = menu.addAction(text.format(format_count(line)))
                go.triggered.connect(partial(self._go_to, place))

    def _go_to(self, place: TracePosition, checked: bool = False) -> None:
        self._state.go_to_place(place, "line")

    def _place(self) -> QPoint:
        return self._column.view.cursorRect().bottomRight()
