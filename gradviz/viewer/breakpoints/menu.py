"""Context menu of the breakpoint list."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtWidgets import QMenu

from gradviz.viewer.actions import Actions
from gradviz.viewer.breakpoints.breakpoints import Breakpoints
from gradviz.viewer.breakpoints.panel import BreakpointPanel
from gradviz.viewer.commands.context_menu import ContextMenu, fill


class BreakpointMenu:
    """Menu to go to the next hit, enable, disable and remove breakpoints."""

    def __init__(self, panel: BreakpointPanel, breakpoints: Breakpoints, actions: Actions) -> None:
        self._panel = panel
        self._breakpoints = breakpoints
        self._actions = actions
        self.menu = ContextMenu(panel.view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        panel, view, actions = self._panel, self._panel.view, self._actions
        place = view.currentIndex() if at is None else view.indexAt(at)
        if place.isValid():
            view.setCurrentIndex(place)
            point = panel.rows.points[place.row()]
            found = self._breakpoints.found(point.target)
            go = menu.addAction(_tr("&Go to Next Hit"))
            go.setEnabled(found is not None and bool(found.places))
            go.triggered.connect(lambda: view.activated.emit(place))
            word = _tr("Di&sable") if point.enabled else _tr("&Enable")
            menu.addAction(word).triggered.connect(view.switch_pressed)
            menu.addAction(_tr("Re&move")).triggered.connect(view.remove_pressed)
            menu.addSeparator()
        fill(menu, [actions.run_on, actions.run_back, None, actions.clear_breakpoints])

    def _place(self) -> QPoint:
        view = self._panel.view
        return view.visualRect(view.currentIndex()).center()


def _tr(text: str) -> str:
    return QCoreApplication.translate("Breakpoints", text)
