"""Measures how long the window does not respond."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Slot

BEAT_MS = 5

_SCHEDULING = Path("/proc/thread-self/schedstat")


class Heartbeat(QObject):
    """Beats in the window's thread; the longest time between two beats is how long it stalled.

    Time in which the machine gave the processor to others is not counted, where that is known.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last = self._now()
        self.longest_ms = 0.0
        self._timer = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timer_timeout)

    def __enter__(self) -> Heartbeat:
        self.longest_ms = 0.0
        self._last = self._now()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._on_timer_timeout()
        self._timer.stop()

    def _now(self) -> float:
        return time.perf_counter() - _waited_s()

    @Slot()
    def _on_timer_timeout(self) -> None:
        now = self._now()
        self.longest_ms = max(self.longest_ms, (now - self._last) * 1000)
        self._last = now


def _waited_s() -> float:
    """How long this thread was runnable without getting a processor."""
    try:
        return int(_SCHEDULING.read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
