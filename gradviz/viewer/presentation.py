"""Whether the window is in Presenter Mode, where, and what the audience sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QScreen

if TYPE_CHECKING:
    from gradviz.story.frame import Frame


class Presentation(QObject):
    """What the parts of a window know of the stage.

    Signals:
        presenting_changed: Whether the window is in Presenter Mode.
        ready_changed: Whether the pictures of the current place are there has changed.
        pictures_changed: The audience sees another picture.

    Attributes:
        is_ready: Whether the pictures of the current place are there.
        pictures: The picture that the audience sees, and that of the next click at this place; may
            be fewer.
        screen: The screen that shows the stage; None if it is unknown, as on Wayland if the stage
            does not fill a screen.
        presenting: Whether the window is in Presenter Mode.
    """

    presenting_changed = Signal(bool)
    ready_changed = Signal()
    pictures_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_ready = True
        self.pictures: tuple[Frame, ...] = ()
        self.screen: QScreen | None = None
        self.presenting = False

    def set_presenting(self, presenting: bool) -> None:
        """Announce that Presenter Mode begins or ends."""
        if presenting != self.presenting:
            self.presenting = presenting
            self.presenting_changed.emit(presenting)

    def set_ready(self, ready: bool) -> None:
        """Announce that the stage waits for pictures, or has them."""
        if ready != self.is_ready:
            self.is_ready = ready
            self.ready_changed.emit()

    def set_pictures(self, pictures: tuple[Frame, ...]) -> None:
        """Announce what the audience sees now and after the next click."""
        self.pictures = pictures
        self.pictures_changed.emit()
