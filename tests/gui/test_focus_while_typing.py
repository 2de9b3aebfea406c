"""Typing in a field keeps its text and its focus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import Desk

KEYS = (
    Qt.Key.Key_Right,
    Qt.Key.Key_Left,
    Qt.Key.Key_Down,
    Qt.Key.Key_Up,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Space,
    Qt.Key.Key_F,
    Qt.Key.Key_B,
    Qt.Key.Key_Period,
    Qt.Key.Key_Question,
    Qt.Key.Key_2,
)


@pytest.fixture
def field(desk: Desk) -> QLineEdit:
    desk.start()
    desk.window.parts[InputsForm].rows[0].open()
    field = desk.window.parts[InputsForm].rows[0].fields.shape
    field.setFocus()
    field.clear()
    return field


def test_keys_of_the_table_do_nothing_but_type(desk: Desk, field: QLineEdit) -> None:
    desk.state.go_to(4)
    before = (desk.window.parts[GraphPanel].view.scale_factor, desk.state.selection)
    for key in KEYS:
        desk.qtbot.keyClick(field, key)
    assert field.text() == " fb.?2"
    assert desk.state.number == 4
    assert not desk.window.parts[TimelinePanel].player.playing
    assert (desk.window.parts[GraphPanel].view.scale_factor, desk.state.selection) == before


def test_a_wrong_shape_is_said_at_the_field(desk: Desk, field: QLineEdit) -> None:
    desk.qtbot.keyClicks(field, "two")
    fields, top = desk.window.parts[InputsForm].rows[0].fields, desk.window.top
    assert "Write a shape as" in fields.problem("shape")
    assert not desk.window.commands.run.isEnabled()
    assert (
        top.hint.text()
        == top.run.accessibleDescription()
        == desk.window.parts[InputsForm].problem()
    )
    field.clear()
    desk.qtbot.keyClicks(field, "3,2")
    assert fields.problem("shape") == ""
    assert top.hint.text() == "inputs changed: Ctrl+R runs them"
    offer = desk.window.parts[InputsForm].offer()
    assert offer is not None
    assert offer.inputs[0].shape == (3, 2)
    assert desk.window.commands.run.isEnabled()


def test_an_edited_shape_is_what_runs(desk: Desk, field: QLineEdit) -> None:
    desk.qtbot.keyClicks(field, "4x2")
    desk.window.commands.run.trigger()
    desk.wait()
    index = desk.state.index
    assert index is not None
    first = index.trace.calls[0].arguments[0].tensor
    assert first is not None
    assert index.tensor[first].shape == (4, 2)
    assert desk.window.top.hint.text() == ""


def test_page_keys_step_from_anywhere(desk: Desk, field: QLineEdit) -> None:
    # Shortcuts need an active window.
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_PageDown)
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_F10)
    assert desk.state.number == 3
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_PageUp)
    assert desk.state.number == 2
