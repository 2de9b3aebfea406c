"""The guide beside the stage: the page of the scene, in large text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gradviz.viewer.guide.controller import GuideController
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.state import ViewerState

if TYPE_CHECKING:
    from gradviz.viewer.guide.panel import GuidePanel
    from gradviz.viewer.window.main_window import MainWindow


class GuideSheet:
    """Shows the guide's own panel in Presenter Mode, and puts it back into its dock."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._area = window.parts[PresenterArea]
        self._presentation = window.parts[ViewerState].presentation
        self._panel: GuidePanel | None = None

    @property
    def panel(self) -> GuidePanel | None:
        """The panel while it is shown; None otherwise."""
        return self._panel

    def show(self) -> None:
        """Show the page of the scene; the keys that scroll are for the page."""
        self._panel = self._window.parts[GuideController].lend_panel()
        for bar in (self._panel.head, self._panel.foot):
            bar.hide()
        self._area.show_sheet(self._panel)
        self._presentation.set_values_covered(True)
        self._panel.browser.setFocus(Qt.FocusReason.OtherFocusReason)

    def close(self) -> bool:
        """Close it, and return whether it was shown."""
        panel, self._panel = self._panel, None
        if panel is None:
            return False
        had_focus = panel.isAncestorOf(QApplication.focusWidget() or self._window)
        self._area.show_sheet(None)
        self._presentation.set_values_covered(False)
        for bar in (panel.head, panel.foot):
            bar.show()
        self._window.parts[GuideController].take_back_panel()
        if had_focus:
            self._area.setFocus(Qt.FocusReason.OtherFocusReason)
        return True
