"""The clock of all canvas animations: one runs at a time, and always to its end.

An animation is a function of its progress from 0 to 1; called with 1, it leaves the canvas at
rest. It decorates a change that has already been made and never delays one. To animate a
change, call `AnimationClock.play` with the function; a running animation is first finished
immediately. If animations are off, the function is only called with 1.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation, Signal, Slot

from gradviz.viewer.preferences import Preferences
from gradviz.viewer.theme.animation_policy import may_move

Animation = Callable[[float], None]
"""Function that shows an animation at a progress from 0 to 1; 1 leaves the canvas at rest."""

STEP_MS = 260
"""Duration of the transition from one step to the next."""

FOLD_MS = 220
"""Duration of moving boxes to new positions."""


class AnimationClock(QObject):
    """Plays animations.

    Signals:
        animation_finished: An animation has reached its end.
    """

    animation_finished = Signal()

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._movement: Animation | None = None
        self._ticks = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._ticks.setEasingCurve(QEasingCurve.Type.InOutSine)
        self._ticks.valueChanged.connect(self._on_ticks_value_changed)
        self._ticks.finished.connect(self.finish)

    @property
    def moving(self) -> bool:
        """Whether an animation is running."""
        return self._movement is not None

    def play(self, movement: Animation, duration_ms: int = STEP_MS) -> None:
        """Play an animation, after finishing the one that is running.

        Args:
            movement: Called repeatedly with values from 0 up, and finally with exactly 1.
            duration_ms: Duration in milliseconds.
        """
        # Jump to the end of the running animation, so that the new one starts from a valid picture.
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
        """Finish the running animation immediately."""
        self._ticks.stop()
        # Cleared first, so that a `finish` during the last call does nothing.
        movement, self._movement = self._movement, None
        if movement is not None:
            movement(1.0)
            self.animation_finished.emit()

    @Slot(object)
    def _on_ticks_value_changed(self, part: float) -> None:
        # `finish` is called right afterwards and shows the last frame.
        if self._movement is not None and part < 1.0:
            self._movement(part)
