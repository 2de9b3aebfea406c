"""Plays the steps automatically at a chosen speed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.viewer.actions import USUAL_SPEED
from gradviz.viewer.state import ViewerState


class Player(QObject):
    """Plays the trace of the state.

    Signals:
        playing_changed: Whether playback is running.
    """

    playing_changed = Signal(bool)

    def __init__(self, state: ViewerState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._speed = USUAL_SPEED
        self._stop_at: Callable[[TracePosition], TracePosition | None] = _nowhere
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timer_timeout)
        state.trace_changed.connect(self.pause)

    @property
    def playing(self) -> bool:
        """Whether playback is running."""
        return self._timer.isActive()

    def stop_at(self, first_hit_until: Callable[[TracePosition], TracePosition | None]) -> None:
        """Set what stops playback.

        Args:
            first_hit_until: Given the next place, returns the first place to stop at on the way
                there.
        """
        self._stop_at = first_hit_until

    def set_speed(self, steps_per_second: float) -> None:
        """Change the speed, even during playback."""
        self._speed = steps_per_second
        self._timer.setInterval(round(1000 / steps_per_second))

    def toggle(self) -> None:
        """Pause, or play; at the end of the run, start from the beginning."""
        if self.playing:
            self.pause()
            return
        if self._state.count == 0:
            return
        if self._state.is_at_end:
            self._state.first_step()
        self._timer.start(round(1000 / self._speed))
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stop at the current step."""
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    @Slot()
    def _on_timer_timeout(self) -> None:
        target = None if self._state.revealed.hides_answer else self._state.next_target
        stop = None if target is None else self._stop_at(target[0])
        if stop is not None:
            self._state.go_to_place(stop, stop.level)
            self.pause()
            return
        self._state.next_step()
        if self._state.is_at_end:
            self.pause()


def _nowhere(_: TracePosition) -> None:
    return None
