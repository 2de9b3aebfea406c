"""When the display has gone, the process ends at once, before destructors could crash."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import atexit
from PySide6.QtCore import qWarning
from gradviz.viewer.faults.qt_messages import LostDisplay

atexit.register(print, "went on")
LostDisplay().install()
qWarning("another one")
qWarning("The X11 connection broke: I/O error (code 1)")
"""


def test_a_lost_display_ends_the_process_at_once() -> None:
    command = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.splitlines() == [
        "another one",
        "The X11 connection broke: I/O error (code 1)",
    ]
