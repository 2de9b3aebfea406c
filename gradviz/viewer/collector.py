"""Python's garbage collector, so that it neither halts the window nor works in another thread.

By itself it runs in whatever thread makes many objects. There it would destroy Qt's objects, which
belong to the window's thread, and while it looks through all objects of a large trace, everything
stands still.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

_EVERY_MS = 500
_YOUNG = 2_000
"""Fewer new objects are not worth a look."""
_MANY = 40_000
"""So many new objects come from a trace that was opened: they stay, and are not looked through."""
_OLD_EVERY = 20
"""Looks at the young, for each look at the older ones."""


class Collector(QObject):
    """Collects from the window's own thread, a few milliseconds at a time."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Begins: what is there already is no garbage."""
        super().__init__(parent)
        self._was_enabled = gc.isenabled()
        self._looks = 0
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        gc.disable()
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """Leaves it to Python again."""
        self._timer.stop()
        gc.unfreeze()
        if self._was_enabled:
            gc.enable()

    @Slot()
    def _on_timer_timeout(self) -> None:
        young = gc.get_count()[0]
        if young > _MANY:
            gc.freeze()
        elif young > _YOUNG:
            self._looks += 1
            gc.collect(1 if self._looks % _OLD_EVERY == 0 else 0)
