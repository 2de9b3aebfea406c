"""The title of a map is built without opening a window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.viewer.jacobians.map.map_labels import MapOption, MapTitle
from gradviz.viewer.theme.theme import Theme


class _Windows(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.shown = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            self.shown += watched.isWindow()
        return False


@pytest.mark.parametrize("side_by_side", [False, True])
def test_no_window_takes_the_keyboard_away(qapp: QApplication, side_by_side: bool) -> None:
    windows = _Windows()
    qapp.installEventFilter(windows)
    options = [MapOption("numerical", ""), MapOption("analytical", "")]
    title = MapTitle(Theme(name="light"), "Map", options, side_by_side=side_by_side)
    qapp.removeEventFilter(windows)
    assert windows.shown == 0
    assert title.box is not None
    assert title.box.isHidden() == side_by_side
