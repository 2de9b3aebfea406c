"""The outline's context menu."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from gradviz.viewer.actions import Actions
from gradviz.viewer.commands.context_menu import ContextMenu, fill
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.outline.panel import OutlinePanel
from gradviz.viewer.translation import translate


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
