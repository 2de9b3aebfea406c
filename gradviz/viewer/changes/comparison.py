"""Compares the changed run with the original in the background."""

from __future__ import annotations

from time import sleep

from PySide6.QtCore import QObject, Signal, Slot

from gradviz.model.differences import Differences, compare
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, Job
from gradviz.viewer.running.baseline import Baseline
from gradviz.viewer.running.session import Session
from gradviz.viewer.state import ViewerState

LANE = "differences"

_PAUSE_S = 0.002
"""The comparison holds the GIL; without these pauses it would block the GUI thread."""


class _DroppedError(Exception):
    """The comparison was canceled."""


class Comparison(QObject):
    """Holds the differences between the changed run and the original once they are computed.

    Signals:
        changed: `differences` has a new value.
    """

    changed = Signal()

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._background = background
        self.differences: Differences | None = None
        state.trace_changed.connect(self._on_state_trace_changed)
        session.baseline_changed.connect(self._on_session_baseline_changed)
        session.changed_run_shown.connect(self._on_session_changed_run_shown)

    def _set(self, found: Differences | None) -> None:
        self.differences = found
        self._state.show_differences(() if found is None else found.steps)
        self.changed.emit()

    @Slot(object)
    def _on_state_trace_changed(self, index: object) -> None:
        self._background.cancel(LANE)
        self.differences = None

    @Slot(object)
    def _on_session_baseline_changed(self, baseline: Baseline | None) -> None:
        self._background.cancel(LANE)
        self.differences = None

    @Slot(object)
    def _on_session_changed_run_shown(self, baseline: Baseline) -> None:
        old, new = baseline.index, self._state.index
        if new is None:
            return

        def work(job: Job) -> Differences:
            def pause() -> None:
                if job.cancelled():
                    raise _DroppedError
                sleep(_PAUSE_S)

            return compare(old, new, pause)

        self._background.start(
            work,
            self._set,
            self._on_comparison_failed,
            lane=LANE,
            expected=(TraceError, _DroppedError),
            computes=True,
        )

    def _on_comparison_failed(self, error: Exception) -> None:
        """Ignore it: the views that show its tensors report a damaged or missing file."""
