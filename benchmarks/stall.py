"""Measures the longest pause of the window while it opens a trace; a separate program for Qt.

A timer fires every five milliseconds. The longest gap between two timeouts is how long a click,
a key press or a frame would have had to wait.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.gc_policy import GcPolicy
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window_controller import WindowController, make_application

BEAT_MS = 5
LONGER_S = 2.0
"""How long to keep measuring after the graph appears, while background analysis continues."""
PATIENCE_S = 120.0


class Pulse:
    """Measures the longest time that the event loop was blocked."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def _beat(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now


def main(path: Path) -> float:
    """Opens the trace in a window; returns the longest pause in seconds."""
    app = make_application([])
    place = WindowController(app, "light", remember=False)
    window = place.window
    window.resize(1280, 800)
    window.show()
    smooth = GcPolicy()
    loop = QEventLoop()
    window.parts[RunController].open_path(path)
    pulse = Pulse()
    began = time.perf_counter()
    while place.state.index is None or not window.parts[GraphPanel].is_settled:
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.perf_counter() - began > PATIENCE_S:
            raise SystemExit(window.messages.text or "The trace did not open.")
    until = time.perf_counter() + LONGER_S
    while time.perf_counter() < until:
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    smooth.release()
    return pulse.longest


if __name__ == "__main__":
    print(main(Path(sys.argv[1])), flush=True)
    # Exit at once: a regular shutdown waits for child processes.
    os._exit(0)
