"""What needs an active window, on a display with a window manager."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradviz.viewer.inputs.form import InputsForm
from tests.gui.conftest import Desk

pytestmark = pytest.mark.xcb


def test_clicker_keys_step_while_a_field_has_the_focus(desk: Desk) -> None:
    desk.start()
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow, timeout=10_000)
    desk.window.parts[InputsForm].rows[0].open()
    field = desk.window.parts[InputsForm].rows[0].fields.shape
    field.setFocus()
    desk.qtbot.waitUntil(field.hasFocus, timeout=10_000)
    desk.qtbot.keyClick(field, Qt.Key.Key_PageDown)
    assert desk.state.number == 2
    desk.qtbot.keyClick(field, Qt.Key.Key_F10)
    assert desk.state.number == 3
    desk.qtbot.keyClick(field, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    desk.qtbot.keyClick(field, Qt.Key.Key_PageUp)
    assert desk.state.number == 1
    assert field.text() == "2×2"


def test_run_again_from_a_field(desk: Desk) -> None:
    desk.start()
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow, timeout=10_000)
    desk.window.parts[InputsForm].rows[0].open()
    field = desk.window.parts[InputsForm].rows[0].fields.shape
    field.setFocus()
    desk.qtbot.keyClick(field, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert desk.session.activity == "running"
    desk.wait()
    assert desk.state.count == 8


def test_the_platforms_own_keys_close_and_quit(desk: Desk) -> None:
    desk.start()
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow, timeout=10_000)
    with desk.qtbot.waitSignal(desk.window.quit_requested):
        desk.qtbot.keyClick(desk.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    with desk.qtbot.waitSignal(desk.window.closed):
        desk.qtbot.keyClick(desk.window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
