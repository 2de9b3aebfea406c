"""The inspector on its own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT, Theme
from tests.viewer.inspector.openers import Opener
from tests.viewer.traces import MemoryReader
from tests.viewer.view_requests import requests_of


@pytest.fixture
def opened(qtbot: QtBot) -> Opener:
    """Opens an inspector for a step of a trace."""

    def open_at(
        reader: MemoryReader | None, number: int = 1, width: int = 340, theme: Theme = LIGHT
    ) -> tuple[Inspector, ViewerState]:
        state = ViewerState(theme)
        inspector = Inspector(state, requests_of(state))
        qtbot.addWidget(inspector)
        inspector.resize(width, 1200)
        # An earlier test may have left the pointer where a tensor would show its buttons.
        QCursor.setPos(inspector.mapToGlobal(inspector.rect().bottomRight()) + QPoint(50, 50))
        inspector.show()
        state.show(reader)
        state.go_to(number)
        QApplication.processEvents()
        return inspector, state

    return open_at
