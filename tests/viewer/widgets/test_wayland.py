"""What differs where the compositor places all windows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMainWindow
from pytestqt.qtbot import QtBot

from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.window.docks import Docks


def test_a_floating_panel_is_moved_by_its_title(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[str] = []
    monkeypatch.setattr(QGuiApplication, "platformName", lambda: "wayland")
    monkeypatch.setattr(QWindow, "startSystemMove", lambda it: bool(moved.append("moved")) or True)
    window, center = QMainWindow(), QLabel("graph")
    window.setCentralWidget(center)
    qtbot.addWidget(window)
    docks = Docks(window, LIGHT, center)
    dock = docks.add("console", "Console", "right")
    # Qt makes none offscreen.
    dock.setTitleBarWidget(QLabel("Console"))
    window.show()
    # Qt would lose it in the middle of a drag.
    assert not dock.features() & dock.DockWidgetFeature.DockWidgetMovable
    title, content = QPoint(20, 5), dock.widget()
    QTest.mousePress(dock, Qt.MouseButton.LeftButton, pos=title)
    assert moved == []
    dock.setFloating(True)
    assert content is not None
    qtbot.waitUntil(lambda: content.y() > 5)
    QTest.mousePress(content, Qt.MouseButton.LeftButton)
    assert moved == []
    QTest.mousePress(dock, Qt.MouseButton.LeftButton, pos=title)
    assert moved == ["moved"]
