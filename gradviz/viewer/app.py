"""Starts the window, and ends it cleanly."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer

from gradviz.viewer.commons import Commons
from gradviz.viewer.exception_hook import ExceptionHook
from gradviz.viewer.own_folder import remove_stale
from gradviz.viewer.windows import Windows
from gradviz.viewer.workplace import make_application

_PULSE_MS = 250


def run_app(paths: Sequence[Path] = ()) -> int:
    """Shows windows until the last one is closed.

    Args:
        paths: Python files and traces to open, each in a window; with none, the first scene is run.

    Returns:
        The exit code.
    """
    app = make_application([])
    hook = ExceptionHook()
    hook.install()
    commons = Commons(app)
    windows = Windows(app, commons)
    windows.open_each(list(paths))
    remove_stale()
    pulse = _let_python_hear_signals(windows)
    code = app.exec()
    pulse.stop()
    windows.close_all()
    app.sendPostedEvents()
    app.processEvents()
    commons.close()
    hook.remove()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return code


def _let_python_hear_signals(parent: QObject) -> QTimer:
    """Ctrl+C and a kill close the window like its button does."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QCoreApplication.quit())
    # Python handles a signal only when it runs some code.
    pulse = QTimer(parent)
    pulse.timeout.connect(lambda: None)
    pulse.start(_PULSE_MS)
    return pulse
