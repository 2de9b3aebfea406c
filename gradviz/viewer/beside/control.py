"""The way into the Compare tab, which is made when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.running.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.message_bar import MessageBar
from gradviz.viewer.window.top_bar import TABS, TopBar

if TYPE_CHECKING:
    from gradviz.viewer.beside.desk import CompareDesk


class CompareControl(QObject):
    """Opens the tab, also with something to compare with."""

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        actions: Actions,
        around: tuple[TopBar, QStackedWidget, MessageBar],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._session, self._background = state, session, background
        self._actions = actions
        self._top, self._pages, self._messages = around
        self._desk: CompareDesk | None = None
        for action in (actions.next_apart, actions.previous_apart):
            action.setEnabled(False)
        actions.compare_with.triggered.connect(self._on_compare_with_triggered)

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return self._desk is not None and self._desk.busy

    def desk(self) -> CompareDesk:
        """What does the work; its imports are what the first window does not wait for."""
        if self._desk is None:
            from gradviz.viewer.beside.desk import CompareDesk

            self._desk = CompareDesk(
                self._state,
                self._session,
                self._background,
                self._actions,
                (self._pages, self._messages),
                self,
            )
        return self._desk

    def panel(self) -> QWidget:
        """The tab."""
        return self.desk().panel

    def compare_with_scene(self, scene_id: str) -> None:
        """Shows the tab, with a scene of the gallery beside what is shown."""
        self._top.show_tab(TABS[2])
        self.desk().choose_scene(scene_id)

    def close(self) -> None:
        """Ends everything."""
        if self._desk is not None:
            self._desk.close()

    @Slot()
    def _on_compare_with_triggered(self) -> None:
        self._top.show_tab(TABS[2])
        choice = self.desk().panel.bar.choice
        choice.setFocus()
        choice.showPopup()
