"""Measures how long the window takes to change steps; a separate program because it needs Qt.

The time runs from the menu's command until everything that changes is painted.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import cast

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from gradviz.analysis.position.trace_position import Level
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.gc_policy import GcPolicy
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window_controller import WindowController, make_application

STEPS = 120
PATIENCE_S = 300.0


def main(path: Path, level: Level) -> list[float]:
    """Steps forward and back through the middle of a trace; returns the seconds of each step."""
    place = open_in_window(path)
    # As in the application, which collects garbage only between two events.
    policy = GcPolicy()
    state, actions = place.state, place.window.commands
    state.go_to(state.count // 2)
    state.set_level(level)
    seconds = []
    for at in range(STEPS):
        QApplication.processEvents()
        before = state.place
        start = time.perf_counter()
        (actions.next if at < STEPS // 2 else actions.previous).trigger()
        QApplication.processEvents()
        seconds.append(time.perf_counter() - start)
        if state.place == before:
            raise SystemExit("The window did not step.")
    policy.release()
    return seconds


def open_in_window(path: Path) -> WindowController:
    """Returns a window that shows the trace and whose background analysis is complete."""
    place = WindowController(make_application([]), "light", remember=False)
    place.window.resize(1280, 800)
    place.window.show()
    place.window.parts[RunController].open_path(path)
    loop, began = QEventLoop(), time.perf_counter()
    busy, timer = True, QTimer()
    # With a time limit, `processEvents` would not wait but take the interpreter lock from the jobs.
    timer.start(20)
    while busy:
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        there = place.state.index is not None and place.window.parts[GraphPanel].is_settled
        busy = not there or place.background.busy
        if time.perf_counter() - began > PATIENCE_S:
            raise SystemExit(place.window.messages.text or "The trace did not open.")
    return place


if __name__ == "__main__":
    print(*main(Path(sys.argv[1]), cast(Level, sys.argv[2])), flush=True)
    # Exit at once: a regular shutdown waits for child processes.
    os._exit(0)
