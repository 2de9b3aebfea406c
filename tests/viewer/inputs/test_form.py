import dataclasses

import pytest
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from gradviz.gallery.catalogue import SCENES, Scene, offer_of
from gradviz.model.inputs import InputSpec, Offer, Subject
from gradviz.viewer.inputs.form import LEAST_WIDTH, InputsForm
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme import DARK, LIGHT, apply_theme
from gradviz.viewer.workplace import make_application


@pytest.fixture
def form(qtbot: QtBot) -> InputsForm:
    # With the fonts and the style that the program has: here it is a matter of pixels.
    apply_theme(make_application([]), LIGHT)
    form = InputsForm(ViewerState(LIGHT))
    qtbot.addWidget(form)
    return form


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.id)
def test_an_unedited_form_yields_the_offer(form: InputsForm, scene: Scene) -> None:
    form.show_offer(offer_of(scene))
    assert form.offer() == offer_of(scene)


def test_nothing_is_yielded_before_an_offer(form: InputsForm) -> None:
    assert form.offer() is None


def test_edits_are_in_the_offer(form: InputsForm) -> None:
    form.show_offer(offer_of(SCENES[0]))
    form.seed.setValue(7)
    form.start.setCurrentIndex(form.start.findData("nothing"))
    row = form.rows[2]
    row.kind.setCurrentIndex(row.kind.findData("tensor"))
    row.shape.setText("3")
    row.fill.setCurrentIndex(row.fill.findData("ones"))
    row.grad.setChecked(True)
    offer = form.offer()
    assert offer is not None
    assert (offer.seed, offer.start.gradient) == (7, "nothing")
    assert offer.inputs[2] == InputSpec(name="bias", shape=(3,), fill="ones", requires_grad=True)


def test_integers_need_no_gradient(form: InputsForm) -> None:
    form.show_offer(offer_of(SCENES[0]))
    row = form.rows[0]
    row.dtype.setCurrentIndex(row.dtype.findData("int64"))
    assert not row.grad.isEnabled()
    offer = form.offer()
    assert offer is not None
    assert not offer.inputs[0].requires_grad


def test_given_inputs_keep_their_shape(form: InputsForm) -> None:
    spec = InputSpec(name="x", shape=(2,), fill="given", requires_grad=True)
    form.show_offer(Offer(subject=Subject(path="f.py", name="F"), title="F", inputs=(spec,)))
    row = form.rows[0]
    assert not row.shape.isEnabled()
    assert form.offer() is not None
    row.fill.setCurrentIndex(row.fill.findData("zeros"))
    assert row.shape.isEnabled()
    offer = form.offer()
    assert offer is not None
    assert offer.inputs == (dataclasses.replace(spec, fill="zeros"),)


def test_every_field_has_a_name_for_screen_readers(form: InputsForm) -> None:
    form.show_offer(offer_of(SCENES[0]))
    for row in form.rows:
        fields = (row.kind, row.grad, row.shape, row.dtype, row.fill, row.values, row.text)
        assert all(row.name in field.accessibleName() for field in fields)
    form.rows[0].set_theme(DARK)


def test_a_shape_that_does_not_fit_its_values(form: InputsForm) -> None:
    spec = InputSpec(name="x", shape=(2,), fill="values", values=(1.0, 2.0))
    form.show_offer(Offer(subject=Subject(scene="s"), title="s", inputs=(spec,)))
    form.rows[0].shape.setText("3")
    form.rows[0].shape.textEdited.emit("3")
    assert form.offer() is None
    assert form.problem() == "x: The shape has 3 elements, and 2 values are given."


def test_no_dtype_is_cut_beside_a_scroll_bar(form: InputsForm, qtbot: QtBot) -> None:
    form.resize(LEAST_WIDTH, 120)
    form.show()
    specs = tuple(InputSpec(name=name, shape=(2, 3), dtype="complex128") for name in "abcd")
    form.show_offer(Offer(subject=Subject(scene="s"), title="s", inputs=specs))

    def all_in_sight() -> bool:
        rights = [row.mapTo(form, row.rect().topRight()).x() for row in form.rows]
        return form.verticalScrollBar().isVisible() and max(rights) <= form.viewport().width()

    # The scroll bar comes with a layout of its own.
    qtbot.waitUntil(all_in_sight)
    for row in form.rows:
        for combo in (row.dtype, row.fill):
            option = QStyleOptionComboBox()
            combo.initStyleOption(option)
            part = QStyle.SubControl.SC_ComboBoxEditField
            kind = QStyle.ComplexControl.CC_ComboBox
            room = combo.style().subControlRect(kind, option, part, combo).width()
            assert combo.fontMetrics().horizontalAdvance(combo.currentText()) <= room
