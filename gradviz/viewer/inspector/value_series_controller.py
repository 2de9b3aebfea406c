"""Reads the value of the current step over the iterations, for the sparkline of the inspector."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from gradviz.analysis.training.value_series import ValueSeries, value_series
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background
from gradviz.viewer.inspector.value_sparkline import ValueSparkline
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests

LANE = "value-series"

_REST_MS = 120
"""Time without a step after which the values are read, so that stepping does not wait for it."""


class ValueSeriesController(QObject):
    """Shows the current step's value in all iterations; in each of them, it is read only once."""

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        sparkline: ValueSparkline,
        background: Background | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._state, self._background, self._sparkline = state, background, sparkline
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._read)
        state.step_changed.connect(self._on_state_step_changed)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.revealed_changed.connect(self._update)
        sparkline.clicked.connect(lambda: requests.show_series(sparkline.series))

    @property
    def is_resting(self) -> bool:
        """Whether nothing is about to be read."""
        return not self._rest.isActive()

    def _on_state_trace_changed(self, index: object) -> None:
        if self._background is not None:
            self._background.cancel(LANE)
        self._take(None)

    def _on_state_step_changed(self, number: int) -> None:
        self._rest.stop()
        current, series = self._state.iterations.current, self._sparkline.series
        if current is None:
            return
        if series is not None and any(each.step == number for each in series.points):
            # The same step of another iteration.
            self._take(series)
            return
        if self._background is not None:
            self._background.cancel(LANE)
        self._rest.start()

    def _update(self) -> None:
        self._take(self._sparkline.series)

    def _read(self) -> None:
        index, scope, number = self._state.index, self._state.iterations, self._state.number
        current = scope.current
        if index is None or current is None:
            return
        if self._background is None:
            self._take(value_series(index, scope.all, current, number))
            return
        self._background.start(
            lambda job: value_series(index, scope.all, current, number, job.pause),
            self._take,
            lane=LANE,
            expected=(TraceError,),
            computes=True,
        )

    def _take(self, series: ValueSeries | None) -> None:
        current, revealed = self._state.iterations.current, self._state.revealed
        hides = not revealed.is_complete
        if current is None or series is None or hides or len(series.points) < 2:
            self._sparkline.show_series(None, 0)
        else:
            self._sparkline.show_series(series, current.number)
