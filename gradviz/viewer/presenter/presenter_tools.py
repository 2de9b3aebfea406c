"""The tools of a speaker that Esc puts away first: guide, pen and spotlight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gradviz.viewer.presenter.guide_sheet import GuideSheet
from gradviz.viewer.presenter.pen import PenLayer
from gradviz.viewer.presenter.spotlight import SpotlightLayer
from gradviz.viewer.state import ViewerState

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow


class PresenterTools(QObject):
    """Shows one pointer tool at a time, until the step or the page changes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        state = window.parts[ViewerState]
        self.pen, self.spotlight = PenLayer(state, window), SpotlightLayer(window)
        actions = window.commands
        self.guide = GuideSheet(window)
        self._state = state
        self._pointers = ((actions.pen, self.pen), (actions.spotlight, self.spotlight))
        actions.pen.toggled.connect(self._on_pen_toggled)
        actions.spotlight.toggled.connect(self._on_spotlight_toggled)
        actions.show_guide.triggered.connect(self._on_show_guide_triggered)
        state.place_changed.connect(self._put_away_pointers)
        # A build step changes what is shown, but not the place.
        for step in (actions.next, actions.previous, actions.next_stop, actions.previous_stop):
            step.triggered.connect(self._put_away_pointers)
        window.top.tab_changed.connect(self._on_top_tab_changed)

    def close_one(self) -> bool:
        """Put away what is in front, and return whether there was something."""
        return self._put_away_pointers() or self.guide.close()

    def stop(self) -> None:
        """Put away everything."""
        self._put_away_pointers()
        self.guide.close()

    def _put_away_pointers(self) -> bool:
        shown = [action for action, _ in self._pointers if action.isChecked()]
        for action in shown:
            action.setChecked(False)
        return bool(shown)

    def _show(self, at: int, shown: bool) -> None:
        layer = self._pointers[at][1]
        if shown:
            self._pointers[1 - at][0].setChecked(False)
            layer.put_on_top()
        else:
            layer.hide()

    @Slot()
    def _on_show_guide_triggered(self) -> None:
        if self._state.presentation.presenting and not self.guide.close():
            self.guide.show()

    @Slot(bool)
    def _on_pen_toggled(self, checked: bool) -> None:
        self._show(0, checked)

    @Slot(bool)
    def _on_spotlight_toggled(self, checked: bool) -> None:
        self._show(1, checked)

    @Slot(str)
    def _on_top_tab_changed(self, name: str) -> None:
        self._put_away_pointers()
