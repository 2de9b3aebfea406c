"""The Tab order of a window, and where the focus goes."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.window.tab_order import focus_next


class Window(QMainWindow):
    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802
        return focus_next(self, forward=forward)


@pytest.fixture
def buttons(qtbot: QtBot) -> Iterator[list[QPushButton]]:
    """Four buttons below each other."""
    window, page = Window(), QWidget()
    column = QVBoxLayout(page)
    buttons = [QPushButton() for _ in range(4)]
    for button in buttons:
        column.addWidget(button)
    window.setCentralWidget(page)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield buttons
    # Kept until here, or its buttons would be deleted.
    window.close()


def test_a_disabled_button_passes_the_focus_to_its_neighbor(buttons: list[QPushButton]) -> None:
    buttons[1].setFocus()
    buttons[1].setEnabled(False)
    assert QApplication.focusWidget() is buttons[2]


def test_a_hidden_button_passes_the_focus_to_its_neighbor(buttons: list[QPushButton]) -> None:
    buttons[2].setFocus()
    buttons[2].hide()
    assert QApplication.focusWidget() is buttons[3]
