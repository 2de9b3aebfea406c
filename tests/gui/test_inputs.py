"""Inputs in the whole window: undo, run, remembered values, and the summary beside Run."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.forms.controls import FormTextField
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.session.run_controller import RunController
from tests.gui.conftest import WindowDriver

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def shape_field(driver: WindowDriver) -> FormTextField:
    row = driver.window.parts[InputsForm].rows[0]
    row.open()
    QApplication.processEvents()
    field = row.fields.shape
    field.setFocus()
    field.selectAll()
    return field


def undo_keys_work_wherever_the_focus_is(used: WindowDriver) -> None:
    field, actions = shape_field(used), used.window.commands
    used.qtbot.keyClicks(field, "3x2")
    assert actions.undo.text() == "&Undo: shape of input"
    used.qtbot.keyClick(field, Qt.Key.Key_Z, CONTROL)
    assert field.text() == "2×2"
    assert not actions.undo.isEnabled()
    # Nothing is left to undo: the field has no history of its own to go on with.
    used.qtbot.keyClick(field, Qt.Key.Key_Z, CONTROL)
    assert field.text() == "2×2"
    used.qtbot.keyClick(field, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert field.text() == "3x2"
    used.window.parts[GraphPanel].view.setFocus()
    used.qtbot.keyClick(used.window.parts[GraphPanel].view, Qt.Key.Key_Z, CONTROL)
    assert field.text() == "2×2"
    used.qtbot.keyClick(used.window.parts[GraphPanel].view, Qt.Key.Key_Y, CONTROL)
    assert field.text() == "3x2"
    actions.reset.trigger()
    assert used.window.parts[InputsForm].offer() == offer_of(scene("linear"))
    assert not actions.reset.isEnabled()


def another_field_keeps_its_own_undo(used: WindowDriver) -> None:
    used.qtbot.keyClicks(shape_field(used), "3x2")
    fields = used.window.findChildren(QLineEdit)
    search = next(each for each in fields if each.objectName() == "library-search")
    search.setFocus()
    used.qtbot.keyClicks(search, "exp")
    used.qtbot.keyClick(search, Qt.Key.Key_Z, CONTROL)
    assert search.text() != "exp"
    assert used.window.parts[InputsForm].rows[0].fields.shape.text() == "3x2"


def the_last_inputs_of_a_scene_are_restored_with_a_message(used: WindowDriver) -> None:
    used.qtbot.keyClicks(shape_field(used), "5x2")
    assert used.window.top.hint.text() == "inputs changed: Ctrl+R runs them"
    for scene_id in ("exp", "linear"):
        used.window.parts[RunController].run_offer(offer_of(scene(scene_id)))
        used.wait()
    index = used.state.index
    assert index is not None
    first = index.trace.calls[0].arguments[0].tensor
    assert first is not None
    assert index.tensor[first].shape == (5, 2)
    assert (
        used.window.parts[InputsForm].notice.text() == "These are not the scene's original inputs."
    )
    assert used.window.top.hint.text() == ""


def what_is_typed_in_a_cell_is_run_at_once(used: WindowDriver) -> None:
    used.window.parts[RunController].run_offer(offer_of(scene("exp")))
    used.wait()
    row = used.window.parts[InputsForm].rows[0]
    row.open()
    used.qtbot.waitUntil(lambda: row.fields.editor is not None)
    editor = row.fields.editor
    assert editor is not None
    used.qtbot.waitUntil(editor.view.isVisible)
    editor.view.setFocus()
    used.qtbot.keyClicks(editor.view, "0")
    used.qtbot.keyClick(editor.view, Qt.Key.Key_R, CONTROL)
    used.qtbot.waitUntil(lambda: used.session.activity == "running")
    used.wait()
    index = used.state.index
    assert index is not None
    tensor = index.trace.calls[0].arguments[0].tensor
    assert tensor is not None
    value = used.state.value(tensor)
    assert value is not None
    assert value.array() == 0


@pytest.mark.quick
def test_inputs_are_edited_undone_run_and_restored(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than most of this."""
    driver.start()
    driver.pin("inputs")
    driver.window.activateWindow()
    # Shortcuts need an active window.
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    for part in (
        undo_keys_work_wherever_the_focus_is,
        another_field_keeps_its_own_undo,
        the_last_inputs_of_a_scene_are_restored_with_a_message,
        what_is_typed_in_a_cell_is_run_at_once,
    ):
        driver.window.commands.reset.trigger()
        part(driver)
