"""All open windows: each with its own run, all with the same children, look and preferences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from gradviz.viewer.commons import Commons
from gradviz.viewer.workplace import Workplace

MOST = 9
"""More windows are not opened at once, whatever is dropped."""

_SHIFT = QPoint(28, 28)
"""From one window to the next, so that none hides another."""


class Windows(QObject):
    """Opens windows and lets go of those that were closed.

    Signals:
        emptied: The last window was closed.
    """

    emptied = Signal()

    def __init__(self, app: QApplication, commons: Commons) -> None:
        super().__init__()
        self._app = app
        self._commons = commons
        self._places: list[Workplace] = []

    @property
    def places(self) -> tuple[Workplace, ...]:
        """One for each open window, the oldest first."""
        return tuple(self._places)

    def open(self, paths: Sequence[Path] = ()) -> Workplace:
        """Shows a new window.

        Args:
            paths: What it opens, one after the other; with none, it runs the first scene.
        """
        place = Workplace(self._app, commons=self._commons, at_once=False)
        window = place.window
        if self._places:
            window.move(self._places[-1].window.pos() + _SHIFT)
        self._places.append(place)
        window.closed.connect(self._on_window_closed)
        window.window_wanted.connect(self._on_window_wanted)
        window.quit_wanted.connect(self.close_all)
        window.show_on_screen()
        # After the first frame, so that the window is there at once.
        QTimer.singleShot(0, window, partial(self._go_on, place, paths))
        return place

    def open_each(self, paths: Sequence[Path]) -> None:
        """Shows a window for each file; one with the first scene where there is no file."""
        self.open(paths[:1])
        self._on_window_wanted(tuple(paths[1:]))

    @Slot()
    def close_all(self) -> None:
        """Closes every window; each remembers how it stood."""
        for place in self.places:
            place.window.close()

    def _go_on(self, place: Workplace, paths: Sequence[Path]) -> None:
        """Brings a portion of what is in a window, then lets the window answer."""
        if place not in self._places:
            return
        if place.go_on():
            QTimer.singleShot(0, place.window, partial(self._go_on, place, paths))
        else:
            place.window.start(list(paths))

    @Slot(object)
    def _on_window_wanted(self, paths: tuple[Path, ...] | None) -> None:
        """None wants a window with the first scene."""
        if paths is None:
            self.open()
            return
        for path in paths[: MOST - len(self._places)]:
            self.open((path,))

    @Slot()
    def _on_window_closed(self) -> None:
        window = self.sender()
        for place in self.places:
            if place.window is window:
                self._places.remove(place)
                # Not now: the window is still in the middle of its closing.
                QTimer.singleShot(0, self, place.close)
        if not self._places:
            self.emptied.emit()
