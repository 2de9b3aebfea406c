"""The clock of everything that moves on the canvas: one movement at a time, always to its end.

A movement is a function of how far it is, from 0 to 1, that leaves the canvas at rest when it is
given 1. It decorates a change that is already made: it never delays one. Whoever changes the
canvas calls `Clock.play` with the function; a movement that was under way is brought to its end
first, at once. Where motion is not wanted, the function is given 1 and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation, Signal, Slot

from gradviz.viewer.look.motion import may_move
from gradviz.viewer.preferences import Preferences

Movement = Callable[[float], None]
"""Shows how far a movement is, from 0 to 1; with 1 it leaves what is shown at rest."""

STEP_MS = 260
"""The hand-over from one step to the next."""

FOLD_MS = 220
"""Boxes that go to new places."""


class Clock(QObject):
    """Plays movements.

    Signals:
        rested: A movement came to its end.
    """

    rested = Signal()

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._movement: Movement | None = None
        self._ticks = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._ticks.setEasingCurve(QEasingCurve.Type.InOutSine)
        self._ticks.valueChanged.connect(self._on_ticks_value_changed)
        self._ticks.finished.connect(self.finish)

    @property
    def moving(self) -> bool:
        """Whether a movement is under way."""
        return self._movement is not None

    def play(self, movement: Movement, duration_ms: int = STEP_MS) -> None:
        """Plays a movement, after bringing another one to its end.

        Args:
            movement: Called many times with values from 0 on, at last with exactly 1.
            duration_ms: How long it takes.
        """
        self.finish()
        if not may_move(self._preferences):
            movement(1.0)
            return
        self._movement = movement
        movement(0.0)
        self._ticks.setDuration(duration_ms)
        self._ticks.start()

    @Slot()
    def finish(self) -> None:
        """Brings the movement that is under way to its end."""
        self._ticks.stop()
        movement, self._movement = self._movement, None
        if movement is not None:
            movement(1.0)
            self.rested.emit()

    @Slot(object)
    def _on_ticks_value_changed(self, part: float) -> None:
        # The end belongs to `finish`, which comes right after.
        if self._movement is not None and part < 1.0:
            self._movement(part)
