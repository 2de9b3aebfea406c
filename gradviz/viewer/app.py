"""Starts the application and shuts it down cleanly."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer

from gradviz.viewer.commons import Commons
from gradviz.viewer.faults.exception_hook import ExceptionHook
from gradviz.viewer.faults.fault_log import FaultLog, salvage
from gradviz.viewer.running.own_folder import remove_stale
from gradviz.viewer.windows import Windows
from gradviz.viewer.workplace import make_application

_PULSE_MS = 250
_TIDY_MS = 1500
"""Late enough not to delay the first scene."""


def run_app(paths: Sequence[Path] = ()) -> int:
    """Open the windows and run the event loop until the last one is closed.

    Args:
        paths: Python files and traces to open, one window each; if empty, run the first scene.

    Returns:
        The exit code.
    """
    app = make_application([])
    hook = ExceptionHook()
    hook.install()
    commons = Commons(app)
    hook.facts = commons.facts
    faults = FaultLog(commons.folder.path)
    windows = Windows(app, commons)
    windows.open_each(list(paths))
    QTimer.singleShot(_TIDY_MS, windows, lambda: _tidy_up(windows))
    pulse = _let_python_hear_signals(windows)
    code = app.exec()
    pulse.stop()
    windows.close_all()
    app.sendPostedEvents()
    app.processEvents()
    faults.close()
    commons.close()
    hook.remove()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return code


def _tidy_up(windows: Windows) -> None:
    """Remove the folders of crashed processes and point to the crash report, if any."""
    kept: list[Path] = []

    def keep(folder: Path) -> None:
        report = salvage(folder)
        if report is not None:
            kept.append(report)

    remove_stale(keep)
    if kept and windows.places:
        text = QCoreApplication.translate(
            "App", "gradviz ended unexpectedly last time. The crash report is at {0}."
        )
        windows.places[0].window.messages.say(text.format(str(kept[-1])), "warning")


def _let_python_hear_signals(parent: QObject) -> QTimer:
    """Make SIGINT and SIGTERM quit the application normally."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QCoreApplication.quit())
    # Python handles signals only while it runs bytecode, so wake it regularly.
    pulse = QTimer(parent)
    pulse.timeout.connect(lambda: None)
    pulse.start(_PULSE_MS)
    return pulse
