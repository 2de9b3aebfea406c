"""Goes through the steps by itself, at a chosen speed."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gradviz.viewer.state import ViewerState

SPEEDS = (0.5, 1.0, 2.0, 5.0, 20.0)
"""Steps a second."""


class Player(QObject):
    """Plays the steps of the state's trace.

    Signals:
        playing_changed: Whether it plays.
    """

    playing_changed = Signal(bool)

    def __init__(self, state: ViewerState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._speed = 1.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timer_timeout)
        state.trace_changed.connect(self._on_state_trace_changed)

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._timer.isActive()

    def set_speed(self, steps_per_second: float) -> None:
        """Changes the speed, also while playing."""
        self._speed = steps_per_second
        self._timer.setInterval(round(1000 / steps_per_second))

    def toggle(self) -> None:
        """Plays, from the start where the end was reached; or pauses."""
        if self.playing:
            self.pause()
            return
        if self._state.count == 0:
            return
        if self._state.way_on is None and not self._state.concealed:
            self._state.first_step()
        self._timer.start(round(1000 / self._speed))
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stops where it is."""
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    @Slot()
    def _on_timer_timeout(self) -> None:
        self._state.next_step()
        if self._state.way_on is None and not self._state.concealed:
            self.pause()

    @Slot(object)
    def _on_state_trace_changed(self, index: object) -> None:
        self.pause()
