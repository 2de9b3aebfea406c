"""Starts the window, and ends it cleanly."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QTimer

from gradviz.viewer.exception_hook import ExceptionHook
from gradviz.viewer.theme_control import remembered_choice
from gradviz.viewer.workplace import Workplace, make_application

_PULSE_MS = 250


def run_app(paths: Sequence[Path] = ()) -> int:
    """Shows the window until it is closed.

    Args:
        paths: Python files and traces to open; with none, the first scene is run.

    Returns:
        The exit code.
    """
    app = make_application([])
    hook = ExceptionHook()
    hook.install()
    place = Workplace(app, remembered_choice())
    place.window.show_on_screen()
    # After the first frame, so that the window is there at once.
    QTimer.singleShot(0, place.window, lambda: place.window.start(list(paths)))
    pulse = _let_python_hear_signals(place)
    code = app.exec()
    pulse.stop()
    place.close()
    hook.remove()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return code


def _let_python_hear_signals(place: Workplace) -> QTimer:
    """Ctrl+C and a kill close the window like its button does."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QCoreApplication.quit())
    # Python handles a signal only when it runs some code.
    pulse = QTimer(place.window)
    pulse.timeout.connect(lambda: None)
    pulse.start(_PULSE_MS)
    return pulse
