"""The Tab order of a window, and where the focus goes."""

from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.window.tab_order import focus_next


class Window(QMainWindow):
    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802
        return focus_next(self, forward=forward)


def test_a_disabled_button_passes_the_focus_to_its_neighbor(qtbot: QtBot) -> None:
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
    buttons[1].setFocus()
    buttons[1].setEnabled(False)
    assert QApplication.focusWidget() is buttons[2]
