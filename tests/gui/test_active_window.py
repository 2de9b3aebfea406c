"""What needs an active window, on a display with a window manager."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradviz.viewer.inputs.form import InputsForm
from tests.gui.conftest import WindowDriver

pytestmark = [pytest.mark.xcb, pytest.mark.quick]


def test_clicker_keys_step_while_a_field_has_the_focus(driver: WindowDriver) -> None:
    driver.start()
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    driver.window.parts[InputsForm].rows[0].open()
    field = driver.window.parts[InputsForm].rows[0].fields.shape
    field.setFocus()
    driver.qtbot.waitUntil(field.hasFocus)
    driver.qtbot.keyClick(field, Qt.Key.Key_PageDown)
    assert driver.state.number == 2
    driver.qtbot.keyClick(field, Qt.Key.Key_F10)
    assert driver.state.number == 3
    driver.qtbot.keyClick(field, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    driver.qtbot.keyClick(field, Qt.Key.Key_PageUp)
    assert driver.state.number == 1
    assert field.text() == "2×2"


def test_run_again_from_a_field(driver: WindowDriver) -> None:
    driver.start()
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    driver.window.parts[InputsForm].rows[0].open()
    field = driver.window.parts[InputsForm].rows[0].fields.shape
    field.setFocus()
    driver.qtbot.keyClick(field, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert driver.session.activity == "running"
    driver.wait()
    assert driver.state.count == 8


def test_the_platforms_own_keys_close_and_quit(driver: WindowDriver) -> None:
    driver.start()
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    with driver.qtbot.waitSignal(driver.window.quit_requested):
        driver.qtbot.keyClick(driver.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    with driver.qtbot.waitSignal(driver.window.closed):
        driver.qtbot.keyClick(driver.window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
