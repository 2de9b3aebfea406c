"""The Jacobians tab on its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.jacobians.run.check_bar import CheckBar
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.jacobians.panel_reports import Opener, settle
from tests.viewer.traces import MemoryReader


@pytest.fixture
def panel(state: ViewerState, qtbot: QtBot) -> JacobiansPanel:
    panel = JacobiansPanel(state)
    qtbot.addWidget(panel)
    panel.resize(1200, 760)
    panel.show()
    return panel


@pytest.fixture
def opened(qtbot: QtBot) -> Iterator[Opener]:
    """Opens a panel for each trace."""
    kept: list[tuple[JacobiansPanel, ViewerState]] = []

    def open_on(reader: MemoryReader) -> tuple[JacobiansPanel, ViewerState]:
        state = ViewerState(LIGHT)
        panel = JacobiansPanel(state)
        qtbot.addWidget(panel)
        panel.resize(960, 620)
        panel.show()
        state.show(reader)
        settle()
        kept.append((panel, state))
        return panel, state

    yield open_on
    for _, state in kept:
        state.show(None)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def bar(qtbot: QtBot) -> CheckBar:
    bar = CheckBar(LIGHT)
    qtbot.addWidget(bar)
    bar.resize(900, 60)
    bar.show()
    return bar
