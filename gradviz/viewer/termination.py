"""Signals that ask this process to end close its windows, as their close buttons do."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from gradviz.host.interruption import ENDING_SIGNALS

_PULSE_MS = 250
_DIALOG_MS = 20
"""Time for a dialog that was closed to leave its event loop."""


class Termination(QObject):
    """Handles signals until `stop` is called.

    A signal closes the windows, which may ask about unsaved work. Another one, or one while such a
    question is open, ends the process without an answer.
    """

    def __init__(
        self, close_windows: Callable[[], object], is_asking: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._close_windows = close_windows
        self._is_asking = is_asking
        self._is_closing = False
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._on_soon_timeout)
        for number in ENDING_SIGNALS:
            # A signal that is ignored, as by nohup, stays so.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        # Python handles signals only while it runs bytecode, so wake it regularly.
        self._pulse = QTimer(self)
        self._pulse.timeout.connect(lambda: None)
        self._pulse.start(_PULSE_MS)

    def stop(self) -> None:
        """End the process at once on further signals."""
        self._pulse.stop()
        for number in ENDING_SIGNALS:
            if signal.getsignal(number) == self._on_signal:
                signal.signal(number, signal.SIG_DFL)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._is_closing or self._is_asking():
            # By convention 128 plus the number of the signal. This also ends a dialog's event loop.
            QCoreApplication.exit(128 + number)
        else:
            self._is_closing = True
            # Not here, in the middle of any other code.
            self._soon.start(0)

    @Slot()
    def _on_soon_timeout(self) -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is not None and dialog.close():
            self._soon.start(_DIALOG_MS)
            return
        self._close_windows()
        self._is_closing = False
