"""The graph panel with a small trace, as in the window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import linear_reader
from tests.viewer.view_requests import requests_of


class GraphDriver:
    """Drives a graph panel with its state and services."""

    def __init__(self, qtbot: QtBot) -> None:
        self._owner = QObject()
        self._background = Background()
        self.qtbot = qtbot
        self.state = ViewerState(LIGHT)
        self.actions = Actions(self._owner)
        self.panel = GraphPanel(self.state, requests_of(self.state), self._background, self.actions)
        self.panel.resize(900, 640)

    @property
    def scene(self) -> GraphScene:
        scene = self.panel.scene
        assert scene is not None
        return scene

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: self.panel.is_settled and not self._background.busy)

    def close(self) -> None:
        self.panel.motion.clock.finish()
        self.panel.close()
        self._background.close()


@pytest.fixture
def driver(qtbot: QtBot) -> Iterator[GraphDriver]:
    driver = GraphDriver(qtbot)
    qtbot.addWidget(driver.panel)
    driver.panel.show()
    driver.state.show(linear_reader())
    driver.wait()
    yield driver
    driver.close()
