"""Copying and pasting elements from the header of an argument."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from gradviz.gallery.registry import offer_of, scene
from gradviz.model.inputs import InputSpec
from gradviz.viewer.inputs.fields.argument import python_of
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT

# Offscreen, there is no keyboard that a menu could take.
pytestmark = pytest.mark.qt_log_ignore("grabbing the (keyboard|mouse)")


@pytest.fixture
def form(qtbot: QtBot) -> InputsForm:
    form = InputsForm(ViewerState(LIGHT))
    qtbot.addWidget(form)
    form.show()
    form.show_offer(offer_of(scene("linear")))
    QApplication.processEvents()
    return form


def entry(form: InputsForm, at: int, text: str) -> QAction:
    """An entry of the menu that the Menu key opens on a head."""
    header = form.rows[at].header
    reason = QContextMenuEvent.Reason.Keyboard
    centre = header.rect().center()
    event = QContextMenuEvent(reason, centre, header.mapToGlobal(centre))
    QApplication.sendEvent(header, event)
    menu = header.findChildren(QMenu)[-1]
    found = next(each for each in menu.actions() if each.text().replace("&", "") == text)
    menu.hide()
    return found


def test_a_printed_tensor_becomes_the_argument(form: InputsForm) -> None:
    for at in (0, 2):  # a tensor, and None
        QGuiApplication.clipboard().setText("tensor([[1., 2., 3.]])")
        entry(form, at, "Paste Elements").trigger()
        offer = form.offer()
        assert offer is not None
        assert (offer.inputs[at].shape, offer.inputs[at].values) == ((1, 3), (1, 2, 3))
        assert form.rows[at].header.isChecked()
    form.history.stack.undo()
    form.history.stack.undo()
    assert form.offer() == offer_of(scene("linear"))


def test_what_is_no_tensor_is_reported(form: InputsForm) -> None:
    QGuiApplication.clipboard().setText("hello")
    entry(form, 0, "Paste Elements").trigger()
    refusal = form.rows[0].fields.refusal.text()
    assert refusal == "hello in the pasted text is not a number."
    assert form.offer() == offer_of(scene("linear"))


def test_copied_elements_can_be_pasted(form: InputsForm) -> None:
    entry(form, 1, "Copy as torch.tensor(…)").trigger()
    expected = (
        "torch.tensor([[0.0, 1.0, 2.0],\n              [3.0, 4.0, 5.0]], dtype=torch.float64)"
    )
    assert QGuiApplication.clipboard().text() == expected
    entry(form, 0, "Paste Elements").trigger()
    offer = form.offer()
    assert offer is not None
    assert offer.inputs[0].values == (0, 1, 2, 3, 4, 5)


def test_reset_is_there_for_what_was_changed(form: InputsForm) -> None:
    assert not entry(form, 0, "Reset").isEnabled()
    QGuiApplication.clipboard().setText("5")
    entry(form, 0, "Paste Elements").trigger()
    entry(form, 0, "Reset").trigger()
    assert form.offer() == offer_of(scene("linear"))


def test_what_is_not_known_is_not_copied() -> None:
    assert python_of(None) == ""
    assert python_of(InputSpec(name="x", fill="randn")) == ""
    assert python_of(InputSpec(name="x", kind="none")) == ""
    half = InputSpec(name="x", dtype="float16", fill="full", parameters=(0.1,))
    assert python_of(half) == "torch.tensor(0.0999755859375, dtype=torch.float16)"
