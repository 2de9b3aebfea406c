"""Opens the Compare tab, which is created on first use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget

from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.message_bar import MessageBar
from gradviz.viewer.window.top_bar import TABS, TopBar

if TYPE_CHECKING:
    from gradviz.analysis.compare.run_comparison import RunComparison
    from gradviz.viewer.compare.controller import CompareController
    from gradviz.viewer.trace_values import TraceReaderProtocol


class CompareLauncher(QObject):
    """Opens the Compare tab and starts comparisons for other parts of the window.

    Signals:
        finished: A comparison is shown, or there is none.
        work_changed: What is in progress, without full stop; empty if nothing is.
    """

    finished = Signal()
    work_changed = Signal(str)

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        actions: Actions,
        window_parts: tuple[TopBar, QStackedWidget, MessageBar],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._session, self._background = state, session, background
        self._actions = actions
        self._top, self._pages, self._messages = window_parts
        self._controller: CompareController | None = None
        for action in (actions.next_compare_difference, actions.previous_compare_difference):
            action.setEnabled(False)
        actions.compare_with.triggered.connect(self._on_compare_with_triggered)

    @property
    def busy(self) -> bool:
        """Whether a run or comparison is in progress."""
        return self._controller is not None and self._controller.busy

    @property
    def comparing(self) -> bool:
        """Whether a run or comparison is in progress, apart from the graphs."""
        return self._controller is not None and self._controller.comparing

    @property
    def shown(self) -> tuple[RunComparison, TraceReaderProtocol] | None:
        """The comparison that the window shows now, and the reader of its right run."""
        control = self._controller
        if control is None or self._pages.currentWidget() is not control.panel:
            return None
        found, reader = control.panel.found, control.run.reader
        if found is None or reader is None or control.panel.is_awaiting_reveal:
            return None
        return found, reader

    def controller(self) -> CompareController:
        """Return the tab's controller, created late to keep its imports out of start-up."""
        if self._controller is None:
            from gradviz.viewer.compare.controller import CompareController

            self._controller = CompareController(
                self._state,
                self._session,
                self._background,
                self._actions,
                (self._pages, self._messages),
                self,
            )
            self._controller.finished.connect(self.finished)
            self._controller.work_changed.connect(self.work_changed)
        return self._controller

    def compare_with_scene(self, scene_id: str, path: Path | None = None) -> None:
        """Show the tab and compare the current run with a scene, or with its recorded trace."""
        self._top.show_tab(TABS[2])
        self.controller().choose_scene(scene_id, path)

    def compare_with_iteration(self, number: int) -> None:
        """Show the tab and compare the current iteration with another one of the same run."""
        self._top.show_tab(TABS[2])
        self.controller().choose_iteration(number)

    def stop(self) -> None:
        """Stop what is in progress."""
        if self._controller is not None:
            self._controller.stop()

    def close(self) -> None:
        """Cancel running work and close the trace on the right."""
        if self._controller is not None:
            self._controller.close()

    def _on_compare_with_triggered(self) -> None:
        self._top.show_tab(TABS[2])
        choice = self.controller().panel.bar.choice
        choice.setFocus()
        choice.showPopup()
