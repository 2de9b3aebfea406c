"""The black screen covers everything; any key or click only removes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication, QDockWidget, QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from gradviz.viewer.presenter.black_screen import BlackScreen
from tests.viewer.pixels import pixels_of

Covered = tuple[BlackScreen, QLineEdit, list[str]]


@pytest.fixture
def covered(qtbot: QtBot) -> Iterator[Covered]:
    window = QMainWindow()
    field = QLineEdit("text")
    window.setCentralWidget(field)
    window.menuBar().addMenu("File")
    heard: list[str] = []
    for key in ("PgDown", "Esc", "F10", "X"):
        QShortcut(key, window).activated.connect(lambda key=key: heard.append(key))
    qtbot.addWidget(window)
    window.resize(400, 300)
    black = BlackScreen(window)
    with qtbot.waitExposed(window):
        window.show()
    field.setFocus()
    black.toggle()
    yield black, field, heard
    window.close()


def test_everything_is_black_and_stays_so_in_another_size(
    covered: Covered,
) -> None:
    black, _, _ = covered
    assert pixels_of(black.window()).max() == 0
    black.window().resize(500, 350)
    QApplication.processEvents()
    shown = pixels_of(black.window())
    assert shown.shape[:2] == (350, 500)
    assert shown.max() == 0


@pytest.mark.parametrize(
    "key", ["PgDown", "Esc", "F10", "X", "B", ".", "Space", "Tab", "Return", "Left"]
)
def test_any_key_lifts_it_and_does_nothing_else(covered: Covered, qtbot: QtBot, key: str) -> None:
    black, field, heard = covered
    keys = {"PgDown": "PageDown", ".": "Period", "Esc": "Escape"}
    qtbot.keyClick(black, getattr(Qt.Key, f"Key_{keys.get(key, key)}"))
    assert black.isHidden()
    assert heard == []
    assert field.text() == "text"
    assert QApplication.focusWidget() is field


def test_a_window_of_the_window_is_covered_too(covered: Covered, qtbot: QtBot) -> None:
    black, _, _ = covered
    black.toggle()
    assert black.isHidden()
    window = black.window()
    assert isinstance(window, QMainWindow)
    dock = QDockWidget("tensor", window)
    dock.setFloating(True)
    dock.show()
    black.toggle()
    assert not dock.isVisible()
    qtbot.keyClick(black, Qt.Key.Key_B)
    assert dock.isVisible()


def test_a_modifier_alone_does_not_lift_it_and_a_click_does(covered: Covered, qtbot: QtBot) -> None:
    black, _, _ = covered
    qtbot.keyClick(black, Qt.Key.Key_Shift)
    qtbot.keyClick(black, Qt.Key.Key_Control)
    assert black.isVisible()
    with qtbot.waitSignal(black.uncovered):
        qtbot.mouseClick(black, Qt.MouseButton.RightButton)
    assert black.isHidden()
