"""The panel: where trouble came from, and what became of a memory, as two pages."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.sights import Suspect
from gradviz.viewer.state import ViewerState
from gradviz.viewer.story.origin_page import OriginPage


class StoryPanel(QWidget):
    """Answers what is asked of the state; does nothing by itself."""

    def __init__(
        self,
        state: ViewerState,
        background: Background | None = None,
        actions: Actions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.origin = OriginPage(state, background, actions)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.origin, self.tr("Where It Came From"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)
        self.setAccessibleName(self.tr("Origin"))
        state.origin_sought.connect(self._on_state_origin_sought)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._on_state_theme_changed(state.theme)

    @Slot(object)
    def _on_state_origin_sought(self, suspect: Suspect | None) -> None:
        self.tabs.setCurrentWidget(self.origin)
        self.origin.ask(suspect)

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.tabs.tabBar().setFont(theme.font())
