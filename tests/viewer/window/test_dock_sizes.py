"""Stored sizes of docks that are damaged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.window.dock_sizes import DockSizes

STORED = "window/sizes"


@pytest.fixture(autouse=True)
def stored() -> Iterator[QSettings]:
    settings = QSettings()
    yield settings
    settings.remove(STORED)


def width_after(qtbot: QtBot, settings: QSettings, text: str) -> int:
    """Width of the only dock in a window that restores what is stored."""
    settings.setValue(STORED, text)
    window = QMainWindow()
    qtbot.addWidget(window)
    sizes = DockSizes(window, LIGHT)
    dock = QDockWidget(window)
    dock.setObjectName("library")
    window.setCentralWidget(QWidget())
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    sizes.add(dock)
    sizes.restore()
    window.resize(1200, 800)
    window.show()
    sizes.apply()
    return dock.width()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "5",
        "[1]",
        '[["library", "Sideways", 400]]',
        '[["library", {}, 400]]',
        '[["library", "Horizontal", "400"]]',
        '[["library", "Horizontal", -400]]',
        f'[["library", "Horizontal", {10**30}]]',
        f'[["library", "Horizontal", {2**31}]]',
        "[" * 100_000,
    ],
    ids=lambda text: text[:40],
)
def test_damaged_sizes_are_left_out(qtbot: QtBot, stored: QSettings, text: str) -> None:
    assert width_after(qtbot, stored, text) == width_after(qtbot, stored, "[]")
    assert width_after(qtbot, stored, '[["library", "Horizontal", 400]]') == 400
