"""What is typed in a field is checked at once, and is what runs."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit

from gradviz.viewer.inputs.form import InputsForm
from tests.gui.conftest import WindowDriver


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


def test_a_shape_is_typed(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    driver.start()
    driver.window.parts[InputsForm].rows[0].open()
    field = driver.window.parts[InputsForm].rows[0].fields.shape
    for part in (a_wrong_shape_is_reported_at_its_field, an_edited_shape_is_what_runs):
        field.setFocus()
        field.clear()
        part(driver, field)
