"""Fits the interpreter to a window: the GUI thread waits for no other thread, nor for rubbish."""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, QTimer, Slot

_TURN_S = 0.0005
"""So long a thread that computes keeps the interpreter while the GUI thread wants it; it wants it
many times for one frame."""
_EVERY_MS = 500
_FEW = 2_000
"""Fewer new objects are not worth a look."""
_MANY = 40_000
"""So many new objects are records of a trace and what was found in it, not widgets."""
_FULL_EVERY = 20
"""Each so many collections are full ones."""


class Smooth(QObject):
    """In force from its making to `release`; there is one for all windows of a process.

    The garbage collector runs between two events of the GUI thread. By itself it would run in the
    middle of whatever makes values, in whichever thread: it would stop the window for a third of a
    second to walk over a hundred thousand records, which have no cycles, and it might end Qt's
    objects outside of their thread. Where very many objects have come up since the last time, they
    are taken for such records and left out from then on; they go when nobody refers to them.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = gc.isenabled(), sys.getswitchinterval()
        self._runs = 0
        sys.setswitchinterval(_TURN_S)
        gc.disable()
        gc.freeze()
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()

    def release(self) -> None:
        """Puts everything back as it was."""
        self._timer.stop()
        was_on, interval = self._before
        sys.setswitchinterval(interval)
        gc.unfreeze()
        if was_on:
            gc.enable()

    @Slot()
    def _on_timer_timeout(self) -> None:
        new = gc.get_count()[0]
        if new > _MANY:
            gc.freeze()
        elif new > _FEW:
            self._runs += 1
            gc.collect(2 if self._runs % _FULL_EVERY == 0 else 1)
