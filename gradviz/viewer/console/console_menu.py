"""The console's context menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from gradviz.catalogue.language import format_count
from gradviz.viewer.commands.context_menu import ContextMenu, copy_text
from gradviz.viewer.console.console_view import ConsoleView
from gradviz.viewer.translation import translate


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
        copy.triggered.connect(partial(copy_text, line.text))
        menu.addSeparator()
        chosen = menu.addAction(translate("ContextMenus", "&Copy"))
        chosen.setEnabled(view.textCursor().hasSelection())
        chosen.triggered.connect(view.copy)
        menu.addAction(translate("ContextMenus", "Select &All")).triggered.connect(view.selectAll)

    def _place(self) -> QPoint:
        return self._view.cursorRect().bottomRight()
