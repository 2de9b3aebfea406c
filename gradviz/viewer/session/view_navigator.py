"""Shows a place of a run; first runs the scene or opens the trace if another run is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.position.view_target import ViewTarget
from gradviz.analysis.scene_of_trace import scene_of
from gradviz.gallery.registry import scene
from gradviz.host.job_ending import JobEnding
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests


class ViewNavigator(QObject):
    """Goes to a `ViewTarget` as soon as its run is shown.

    Links of the guide, the command line and lessons all lead through here.

    Signals:
        message_emitted: A sentence on a target that could only be reached in part, and its
            severity.
    """

    message_emitted = Signal(str, str)

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        requests: ViewRequests,
        run_control: RunController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._requests = requests
        self._run_control = run_control
        self._awaited: tuple[ViewTarget, Callable[[], None] | None] | None = None
        session.ended.connect(self._on_session_ended)

    def show(self, target: ViewTarget, then: Callable[[], None] | None = None) -> None:
        """Go to a target.

        Args:
            target: The target; a run that is already shown is kept.
            then: Called once the target is shown; not called if its run cannot be shown.
        """
        self._awaited = None
        if self._is_shown(target):
            self._arrive(target, then)
            return
        if target.scene:
            self._requests.run_scene(scene(target.scene))
        elif target.offer is not None:
            self._run_control.run_entry(target.offer)
        else:
            self._run_control.open_trace(Path(target.trace))
        # Only now, as both may end other work, which would count as the end of this.
        self._awaited = (target, then)

    def _is_shown(self, target: ViewTarget) -> bool:
        if target.scene:
            return scene_of(self._state.index) == target.scene
        if target.offer is not None:
            shown = self._session.offer
            return shown is not None and shown.subject == target.offer.subject
        return not target.trace or (
            self._session.offer is None and self._session.trace_path == Path(target.trace)
        )

    def _arrive(self, target: ViewTarget, then: Callable[[], None] | None) -> None:
        if target.step:
            self._go_to(target.step)
        if target.tab is not None:
            self._requests.show_part(target.tab)
        if target.panel:
            self._requests.show_part(target.panel)
        if then is not None:
            then()

    def _go_to(self, path: str) -> None:
        index = self._state.index
        if index is None:
            return
        try:
            place = position_at_path(index, path)
        except UnknownPositionError as error:
            # A run recorded without lines has no such position; its step is the nearest one.
            place = TracePosition(step=int(path.partition("/")[0]))
            self.message_emitted.emit(str(error), "info")
        if place.step <= len(index.trace.steps):
            self._state.go_to_place(place)

    def _on_session_ended(self, activity: str, ending: JobEnding | None) -> None:
        awaited, self._awaited = self._awaited, None
        if awaited is not None and activity in ("running", "opening"):
            target, then = awaited
            if self._is_shown(target):
                self._arrive(target, then)
