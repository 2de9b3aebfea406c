"""The factory of the example panel."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from gradviz.viewer.commands.context_menu import ContextMenu
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.state import ViewerState
from tests.gui.notes_panel import KEYS


class NotesPanel(QWidget):
    """Counts the steps that were seen."""

    def __init__(self, state: ViewerState) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.seen: list[int] = []
        state.step_changed.connect(self.seen.append)
        self.menu = ContextMenu(self, self._fill, QPoint)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        menu.addAction("Clear").triggered.connect(self.seen.clear)

    def event(self, event: QEvent) -> bool:
        is_press = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if is_press and pressed(KEYS, event) == "clear":
            self.seen.clear()
            return True
        return super().event(event)


def make_panel(context: PanelContext) -> NotesPanel:
    return context.parts.add(NotesPanel(context.state))
