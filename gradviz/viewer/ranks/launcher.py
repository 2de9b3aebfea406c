"""Adds the lanes of ranks to the window when the first trace with several ranks is shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.store.rank_files import rank_paths
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.view_navigator import ViewNavigator
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.panel import TimelinePanel


class RankLauncher(QObject):
    """Waits for such a trace, so that other windows do not import what it needs."""

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        actions: Actions,
        window_parts: tuple[TimelinePanel, ViewNavigator],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._session, self._background = state, session, background
        self._actions = actions
        self._timeline, self._navigator = window_parts
        for action in (actions.next_rank, actions.previous_rank):
            action.setEnabled(False)
        state.trace_changed.connect(self._on_state_trace_changed)

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        rank = None if index is None else index.trace.scope.rank
        if len(rank_paths(rank, self._session.trace_path)) < 2:
            return
        self._state.trace_changed.disconnect(self._on_state_trace_changed)
        from gradviz.viewer.ranks.controller import RankController
        from gradviz.viewer.ranks.rank_lanes import RankLanes

        lanes = RankLanes(self._state.theme)
        self._timeline.place_lanes(lanes)
        RankController(
            self._state,
            self._session,
            self._background,
            self._actions,
            (lanes, self._navigator),
            self,
        )
