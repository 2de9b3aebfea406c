"""Tunes threads, garbage collection and memory so that the window stays responsive and small."""

from __future__ import annotations

import ctypes
import gc
import sys

from PySide6.QtCore import QObject, QTimer

_TURN_S = 0.0005
"""Interpreter switch interval in seconds; the GUI thread needs the GIL many times per frame."""
_EVERY_MS = 500
_FIRST_MS = 3_000
"""The first collection waits for the first scene, as the new window leaves no garbage."""
_FEW = 2_000
"""With fewer new objects, a collection is not worth its time."""
_MANY = 40_000
"""So many new objects are trace records and analysis results, not widgets."""
_FULL_EVERY = 20
"""Every how many collections a full one is made."""
_FEW_WHILE_IDLE = 200
_IDLE_TURNS = 20
"""After so many turns with so few new objects each, nobody is using the window."""
_MOST_THAWED = 500_000
"""With more frozen objects, traversing them would block even an idle window for too long."""


class GcPolicy(QObject):
    """Garbage collection policy for the process, in force until `release`.

    The collector runs between two events of the GUI thread. Left alone, it would run in whichever
    thread allocates: it would block the window for a third of a second to traverse a hundred
    thousand records that contain no cycles, and it might delete Qt objects outside their thread.
    If very many objects were created since the last check, they are taken to be such records and
    frozen, that is, excluded from collection; reference counting still frees them. Cycles that
    were frozen with them are collected when the window is idle.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = gc.isenabled(), sys.getswitchinterval()
        self._runs = self._idle_turns = self._new = 0
        sys.setswitchinterval(_TURN_S)
        gc.disable()
        gc.freeze()
        self._frozen = gc.get_freeze_count()
        self._has_frozen_more = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start(_FIRST_MS)

    def release(self) -> None:
        """Restore the interpreter's previous settings."""
        self._timer.stop()
        was_on, interval = self._before
        sys.setswitchinterval(interval)
        gc.unfreeze()
        if was_on:
            gc.enable()

    def _on_timer_timeout(self) -> None:
        self._timer.setInterval(_EVERY_MS)
        new = gc.get_count()[0]
        is_idle = abs(new - self._new) < _FEW_WHILE_IDLE
        self._idle_turns = self._idle_turns + 1 if is_idle else 0
        self._new = new
        if new > _MANY:
            gc.freeze()
            self._has_frozen_more = True
        elif new > _FEW:
            self._runs += 1
            gc.collect(2 if self._runs % _FULL_EVERY == 0 else 1)
        elif self._has_frozen_more and self._idle_turns >= _IDLE_TURNS:
            self._idle_turns = 0
            self._collect_frozen()

    def _collect_frozen(self) -> None:
        """Collect what was frozen since the last time, with everything else.

        Counting frozen objects takes as long as there are many: 15 ms for those of a large trace.
        """
        count = gc.get_freeze_count()
        if count >= _MOST_THAWED:
            return
        self._has_frozen_more = False
        if count > self._frozen + _FEW:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._frozen = gc.get_freeze_count()


_ARENA_MAX = -8
"""``M_ARENA_MAX`` of ``malloc.h``."""


def use_single_arena() -> None:
    """Let all threads allocate from one arena; call it before any other thread starts.

    The C library of Linux (glibc) gives each thread its own arena, and memory that background
    jobs leave scattered in it is never returned: 50 MB after 500 runs. The threads of the window
    hold Python's lock most of the time, so they hardly wait for each other here. No effect with
    other C libraries.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_ARENA_MAX, 1)
