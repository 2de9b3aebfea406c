"""Typing in a field keeps its text and its focus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import WindowDriver

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


def keys_of_the_table_do_nothing_but_type(driver: WindowDriver, field: QLineEdit) -> None:
    driver.state.go_to(4)
    before = (driver.window.parts[GraphPanel].view.scale_factor, driver.state.selection)
    for key in KEYS:
        driver.qtbot.keyClick(field, key)
    assert field.text() == " fb.?2"
    assert driver.state.number == 4
    assert not driver.window.parts[TimelinePanel].player.playing
    assert (driver.window.parts[GraphPanel].view.scale_factor, driver.state.selection) == before


def a_wrong_shape_is_reported_at_its_field(driver: WindowDriver, field: QLineEdit) -> None:
    driver.qtbot.keyClicks(field, "two")
    fields, top = driver.window.parts[InputsForm].rows[0].fields, driver.window.top
    assert "Write a shape as" in fields.problem("shape")
    assert not driver.window.commands.run.isEnabled()
    assert (
        top.hint.text()
        == top.run.accessibleDescription()
        == driver.window.parts[InputsForm].problem()
    )
    field.clear()
    driver.qtbot.keyClicks(field, "3,2")
    assert fields.problem("shape") == ""
    assert top.hint.text() == "inputs changed: Ctrl+R runs them"
    offer = driver.window.parts[InputsForm].offer()
    assert offer is not None
    assert offer.inputs[0].shape == (3, 2)
    assert driver.window.commands.run.isEnabled()


def an_edited_shape_is_what_runs(driver: WindowDriver, field: QLineEdit) -> None:
    driver.qtbot.keyClicks(field, "4x2")
    driver.window.commands.run.trigger()
    driver.wait()
    index = driver.state.index
    assert index is not None
    first = index.trace.calls[0].arguments[0].tensor
    assert first is not None
    assert index.tensor[first].shape == (4, 2)
    assert driver.window.top.hint.text() == ""


def page_keys_step_from_anywhere(driver: WindowDriver, field: QLineEdit) -> None:
    # Shortcuts need an active window.
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    driver.qtbot.keyClick(driver.window, Qt.Key.Key_PageDown)
    driver.qtbot.keyClick(driver.window, Qt.Key.Key_F10)
    assert driver.state.number == 3
    driver.qtbot.keyClick(driver.window, Qt.Key.Key_PageUp)
    assert driver.state.number == 2


def test_a_field_is_typed_into(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    driver.start()
    driver.window.parts[InputsForm].rows[0].open()
    field = driver.window.parts[InputsForm].rows[0].fields.shape
    for part in (
        keys_of_the_table_do_nothing_but_type,
        a_wrong_shape_is_reported_at_its_field,
        page_keys_step_from_anywhere,
        an_edited_shape_is_what_runs,
    ):
        driver.state.first_step()
        field.setFocus()
        field.clear()
        part(driver, field)
