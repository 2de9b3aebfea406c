"""Whether the window is in Presenter Mode, where, and whether its picture is there."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QScreen


class Presentation(QObject):
    """What the parts of a window know of the stage.

    Signals:
        presenting_changed: Whether the window is in Presenter Mode.
        ready_changed: Whether the pictures of the current place are there has changed.

    Attributes:
        is_ready: Whether the pictures of the current place are there.
        screen: The screen that shows the stage; None if it is unknown, as on Wayland if the stage
            does not fill a screen.
    """

    presenting_changed = Signal(bool)
    ready_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_ready = True
        self.screen: QScreen | None = None
        self._presenting = False

    @property
    def presenting(self) -> bool:
        """Whether the window is in Presenter Mode."""
        return self._presenting

    def set_presenting(self, presenting: bool) -> None:
        """Announce that Presenter Mode begins or ends."""
        if presenting != self._presenting:
            self._presenting = presenting
            self.presenting_changed.emit(presenting)

    def set_ready(self, ready: bool) -> None:
        """Announce that the stage waits for pictures, or has them."""
        if ready != self.is_ready:
            self.is_ready = ready
            self.ready_changed.emit()
