"""Measures the memory of a window that shows a trace; a separate program because it needs Qt."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil
from PySide6.QtWidgets import QApplication

from benchmarks.scrub import open_in_window

STEPS = 50


def main(path: Path) -> int:
    """Opens a trace and steps through it; returns the window's resident memory in bytes."""
    place = open_in_window(path)
    state = place.state
    for at in range(STEPS):
        state.go_to(1 + at * (state.count - 1) // (STEPS - 1))
        QApplication.processEvents()
    return psutil.Process().memory_info().rss


if __name__ == "__main__":
    print(main(Path(sys.argv[1])), flush=True)
    # Exit at once: a regular shutdown waits for child processes.
    os._exit(0)
