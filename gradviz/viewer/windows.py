"""All open windows: each has its own run, all share children, theme and preferences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from gradviz.viewer.commons import Commons
from gradviz.viewer.workplace import Workplace

MOST = 9
"""Once this many windows are open, further files do not open new ones."""

_SHIFT = QPoint(28, 28)
"""Offset between windows, so that none covers another."""


class Windows(QObject):
    """Opens windows and disposes of closed ones.

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
        """The open windows' controllers, the oldest first."""
        return tuple(self._places)

    def open(self, paths: Sequence[Path] = ()) -> Workplace:
        """Show a new window.

        Args:
            paths: Files to open, one after the other; if empty, run the first scene.
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
        # Build the rest after the first frame, so that the window appears at once.
        QTimer.singleShot(0, window, partial(self._go_on, place, paths))
        return place

    def open_each(self, paths: Sequence[Path]) -> None:
        """Show one window for each file; without files, one window with the first scene."""
        self.open(paths[:1])
        self._on_window_wanted(tuple(paths[1:]))

    @Slot()
    def close_all(self) -> None:
        """Close every window; each one stores its layout."""
        for place in self.places:
            place.window.close()

    def _go_on(self, place: Workplace, paths: Sequence[Path]) -> None:
        """Build one part of a window's content, then return to the event loop."""
        if place not in self._places:
            return
        if place.go_on():
            QTimer.singleShot(0, place.window, partial(self._go_on, place, paths))
        else:
            place.window.start(list(paths))

    @Slot(object)
    def _on_window_wanted(self, paths: tuple[Path, ...] | None) -> None:
        """Open a window for each file; None means one window with the first scene."""
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
                # Later, since the window is still handling its close event.
                QTimer.singleShot(0, self, place.close)
        if not self._places:
            self.emptied.emit()
