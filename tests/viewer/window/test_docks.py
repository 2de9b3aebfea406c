"""Docks that are shown and closed by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QTabBar
from pytestqt.qtbot import QtBot

from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.window.docks import Docks


@pytest.fixture
def docks(qtbot: QtBot) -> Docks:
    """Source, Doctor and Console as tabs of one place, the first in front."""
    window, graph = QMainWindow(), QLineEdit("graph")
    window.setCentralWidget(graph)
    qtbot.addWidget(window)
    docks = Docks(window, LIGHT, graph)
    for name in ("source", "doctor", "console"):
        docks.add(name, name, "right")
        docks.fill(name, QLineEdit(name))
    docks.stack("source", "doctor", "console")
    window.resize(600, 400)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(lambda: window.isActiveWindow() and docks.is_in_front("source"))
    return docks


def focused() -> str:
    widget = QApplication.focusWidget()
    return widget.text() if isinstance(widget, QLineEdit) else ""


def test_the_menu_brings_a_tab_to_the_front_before_it_closes_it(docks: Docks, qtbot: QtBot) -> None:
    toggle = docks["doctor"].toggleViewAction()
    toggle.trigger()
    qtbot.waitUntil(lambda: docks.is_in_front("doctor") and focused() == "doctor")
    assert toggle.isChecked()
    toggle.trigger()
    assert docks["doctor"].isHidden()
    assert not toggle.isChecked()


def test_the_focus_goes_from_a_closed_dock_to_the_tab_that_takes_its_place(
    docks: Docks, qtbot: QtBot
) -> None:
    for name in ("console", "doctor", "source"):
        docks[name].raise_()
    docks["source"].widget().setFocus()
    docks["source"].close()
    qtbot.waitUntil(lambda: focused() in ("doctor", "console"))
    assert docks.is_in_front(focused())
    for _ in range(2):
        docks[focused()].close()
        QApplication.processEvents()
    assert focused() == "graph"


def test_a_closed_dock_takes_no_focus_from_others(docks: Docks, qtbot: QtBot) -> None:
    docks["source"].widget().setFocus()
    docks["source"].hide()
    docks["doctor"].widget().setFocus()
    docks["console"].raise_()
    QApplication.processEvents()
    assert focused() == "doctor"


def test_the_focus_leaves_a_tab_bar_whose_docks_are_hidden(docks: Docks, qtbot: QtBot) -> None:
    window = docks["source"].window()
    (bar,) = (each for each in window.findChildren(QTabBar) if each.isVisible())
    bar.setFocus()
    docks["source"].close()
    QApplication.processEvents()
    assert bar.hasFocus()
    for name in ("doctor", "console"):
        docks[name].hide()
    qtbot.waitUntil(lambda: focused() == "graph")
