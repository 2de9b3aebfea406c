"""When the display has gone, the process ends at once, before destructors could crash."""

from __future__ import annotations

import sys

from tests.programs import run_program

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
    ended = run_program(command, timeout=60)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.splitlines() == [
        "another one",
        "The X11 connection broke: I/O error (code 1)",
    ]
