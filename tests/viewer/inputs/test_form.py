"""The form: its values are what would run, and messages appear at their field."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec import structs
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gradviz.gallery.registry import Scene, offer_of, scene
from gradviz.model.inputs import InputSpec, ModuleSetup, Offer, RunSubject
from gradviz.viewer.forms.controls import FormComboBox
from gradviz.viewer.inputs.fields.argument_fields import ArgumentFields
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT, Theme, apply_theme, load_fonts
from gradviz.viewer.window.window_style import window_style
from tests.sweeps import scene_of_each_kind

LEFT = Qt.MouseButton.LeftButton
LINEAR = offer_of(scene("linear"))


@pytest.fixture
def clothes(qapp: QApplication) -> Iterator[QApplication]:
    """The fonts and the style that the program has: some tests here are a matter of pixels."""
    load_fonts()
    apply_theme(qapp, LIGHT)
    yield qapp
    apply_theme(qapp, LIGHT)


@pytest.fixture
def form(clothes: QApplication, qtbot: QtBot) -> InputsForm:
    return made_form(qtbot, LIGHT, 270)


def made_form(qtbot: QtBot, theme: Theme, width: int) -> InputsForm:
    form = InputsForm(ViewerState(theme))
    form.setStyleSheet(window_style(theme))
    form.resize(width, 900)
    qtbot.addWidget(form)
    form.show()
    return form


def offer_with(*inputs: InputSpec) -> Offer:
    return Offer(subject=RunSubject(path="f.py", name="F"), title="F", inputs=inputs)


def opened(form: InputsForm, at: int = 0) -> ArgumentFields:
    form.rows[at].open()
    # What is new in a layout is shown a moment later.
    QApplication.processEvents()
    return form.rows[at].fields


def choose(choice: QComboBox, value: str) -> None:
    assert choice.findData(value) >= 0
    choice.setCurrentIndex(choice.findData(value))


def retype(qtbot: QtBot, field: QWidget, text: str) -> None:
    qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    if text:
        qtbot.keyClicks(field, text)
    else:
        qtbot.keyClick(field, Qt.Key.Key_Delete)


def spec_in(form: InputsForm, at: int = 0) -> InputSpec:
    offer = form.offer()
    assert offer is not None
    return offer.inputs[at]


@pytest.mark.parametrize("scene", scene_of_each_kind())
def test_an_unedited_form_yields_the_offer(form: InputsForm, scene: Scene) -> None:
    form.show_offer(offer_of(scene))
    assert form.offer() == offer_of(scene)
    assert not form.is_changed


def test_nothing_is_yielded_before_an_offer_and_for_an_opened_trace(form: InputsForm) -> None:
    assert form.offer() is None
    form.show_offer(LINEAR)
    form.show_nothing()
    assert form.offer() is None
    assert form.problem() == ""


def test_edits_are_in_the_offer(form: InputsForm, qtbot: QtBot) -> None:
    form.show_offer(LINEAR)
    form.start_fields.seed.setValue(7)
    choose(form.start_fields.start, "nothing")
    fields = opened(form, 2)
    choose(fields.kind, "tensor")
    retype(qtbot, fields.shape, "3")
    choose(fields.fill, "ones")
    qtbot.mouseClick(fields.grad, LEFT, pos=fields.grad.rect().center() * 0.1)
    offer = form.offer()
    assert offer is not None
    assert (offer.seed, offer.start.gradient) == (7, "nothing")
    assert offer.inputs[2] == InputSpec(name="bias", shape=(3,), fill="ones", requires_grad=True)


def test_a_problem_is_shown_below_its_field_and_to_screen_readers(
    form: InputsForm, qtbot: QtBot
) -> None:
    form.show_offer(LINEAR)
    fields = opened(form)
    retype(qtbot, fields.shape, "2,,x")
    sentence = "A size is missing. Write a shape as 2×3."
    assert fields.problem("shape") == sentence
    assert fields.shape.accessibleDescription() == sentence
    assert fields.shape.property("wrong")
    assert form.offer() is None
    assert form.problem() == f"input: {sentence}"
    assert sentence in form.rows[0].header.accessibleDescription()
    labels = [each for each in fields.findChildren(QLabel) if each.isVisible()]
    below = next(each for each in labels if each.text() == sentence)
    assert (
        0
        < below.mapTo(form, below.rect().topLeft()).y()
        - fields.shape.mapTo(form, fields.shape.rect().bottomLeft()).y()
        < 12
    )
    retype(qtbot, fields.shape, "[2, 3]")
    assert fields.problem("shape") == ""
    assert not fields.shape.property("wrong")
    assert fields.shape.accessibleDescription() == ""
    assert spec_in(form).shape == (2, 3)


def test_integers_cannot_require_grad_and_the_reason_is_shown(form: InputsForm) -> None:
    form.show_offer(LINEAR)
    fields = opened(form)
    choose(fields.dtype, "int64")
    assert not fields.grad.isEnabled()
    assert fields.grad_note.text().startswith("int64 tensors cannot require gradients")
    assert not spec_in(form).requires_grad
    choose(fields.dtype, "complex64")
    assert spec_in(form).requires_grad


def test_each_fill_has_its_numbers(form: InputsForm, qtbot: QtBot) -> None:
    form.show_offer(LINEAR)
    fields = opened(form)
    choose(fields.fill, "linspace")
    retype(qtbot, fields.parameters[1], "-0.5")
    assert spec_in(form).parameters == (0, -0.5)
    assert [field.accessibleName() for field in fields.parameters] == ["input: start", "input: end"]
    choose(fields.fill, "full")
    assert not fields.parameters[1].isVisible()
    retype(qtbot, fields.parameters[0], "x")
    assert fields.problem("parameter 0") == "x is not a number."
    choose(fields.fill, "eye")
    assert not fields.parameters[0].isVisible()
    assert form.offer() is not None


def test_what_is_known_is_shown_and_what_is_drawn_is_reported(form: InputsForm) -> None:
    form.show_offer(LINEAR)
    fields = opened(form)
    assert fields.preview.isVisible()
    assert fields.preview.value is not None
    assert fields.preview.value.array().tolist() == [[0, 1], [2, 3]]
    choose(fields.fill, "randn")
    assert not fields.preview.isVisible()
    assert fields.elements_note.text() == "Random elements, drawn during the run with seed 0."
    form.start_fields.seed.setValue(3)
    assert fields.elements_note.text() == "Random elements, drawn during the run with seed 3."
    assert "drawn" not in form.start_fields.sentence
    choose(form.start_fields.start, "randn")
    assert form.start_fields.sentence.endswith("with a random gradient (seed 3).")


def test_given_inputs_keep_their_shape(form: InputsForm) -> None:
    spec = InputSpec(name="x", shape=(2,), dtype="uint16", fill="given", values=(1, 2))
    form.show_offer(offer_with(spec))
    fields = opened(form)
    assert not fields.shape.isEnabled()
    assert fields.dtype.value() == "uint16"
    assert form.offer() == offer_with(spec)
    choose(fields.fill, "zeros")
    assert fields.shape.isEnabled()
    assert spec_in(form) == structs.replace(spec, fill="zeros", values=())
    assert fields.fill.findData("given") >= 0
    form.show_offer(LINEAR)
    assert opened(form).fill.findData("given") < 0


@pytest.mark.parametrize(("dtype", "grad"), [("float8_e4m3fn", True), ("uint64", False)])
def test_a_files_own_dtype_is_shown_as_it_is(form: InputsForm, dtype: str, grad: bool) -> None:
    values = (2**64 - 1,) if dtype == "uint64" else (0.5,)
    spec = InputSpec(
        name="x", shape=(1,), dtype=dtype, fill="given", values=values, requires_grad=grad
    )
    form.show_offer(offer_with(spec))
    fields = opened(form)
    assert (fields.grad.isChecked(), fields.grad.isEnabled()) == (grad, grad)
    assert form.offer() == offer_with(spec)
    value = fields.preview.value
    assert value is not None
    assert value.array().tolist() == list(values)


def test_literals_are_checked_while_they_are_typed(form: InputsForm, qtbot: QtBot) -> None:
    form.show_offer(offer_of(scene("mul-constant")))
    fields = opened(form, 1)
    retype(qtbot, fields.text, "mean")
    assert form.problem() == "constant: mean is a name; a string needs quotes: 'mean'."
    retype(qtbot, fields.text, "'mean'")
    assert spec_in(form, 1).text == "'mean'"


def test_an_input_is_read_from_a_file(
    form: InputsForm, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    form.show_offer(LINEAR)
    fields = opened(form)
    choose(fields.kind, "file")
    assert form.problem() == (
        "input: Enter a file that ends in .npy, .npz, .pt, .pth, .safetensors."
    )
    assert not fields.shape.isVisible()
    assert fields.grad.isVisible()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/data/some where/x.pt", ""))
    qtbot.mouseClick(fields.browse, LEFT)
    assert fields.text.text() == "/data/some where/x.pt"
    assert form.rows[0].header.pieces == ("x.pt",)
    retype(qtbot, fields.text, "~/w.pt:layer.bias")
    found = spec_in(form)
    assert (found.kind, found.text, found.requires_grad) == ("file", "~/w.pt:layer.bias", True)


def test_a_module_has_a_state_dict_and_a_mode(
    form: InputsForm, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    form.show_offer(LINEAR)
    fields = form.module_fields
    assert not fields.isVisible()
    own = structs.replace(offer_with(), is_module=True, given_mode="eval")
    form.show_offer(own)
    assert fields.isVisible()
    assert fields.mode.currentText() == "given (eval)"
    assert form.offer() == own
    form.show_last_run_inputs(own)
    retype(qtbot, fields.state, "w.npy")
    assert form.offer() is None
    assert form.is_changed
    assert form.problem() == "state dict: Enter a file that ends in .pt, .pth, .safetensors."
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/data/w.pt", ""))
    qtbot.mouseClick(fields.browse, LEFT)
    choose(fields.mode, "train")
    setup = ModuleSetup(state_dict="/data/w.pt", mode="train")
    assert form.offer() == structs.replace(own, module=setup)
    assert form.unrun
    form.reset()
    assert form.offer() == own
    assert all(each.toolTip() for each in fields.in_order)
    # Its file may now define a function of that name.
    plain = structs.replace(own, is_module=False)
    form.show_offer(plain, structs.replace(plain, module=setup))
    assert form.offer() == plain


def test_undo_and_redo_by_the_form(form: InputsForm, qtbot: QtBot) -> None:
    form.show_offer(LINEAR)
    fields = opened(form)
    stack = form.history.stack
    retype(qtbot, fields.shape, "3x1")
    choose(fields.fill, "ones")
    form.start_fields.seed.setValue(5)
    assert stack.count() == 3
    assert stack.undoText() == "seed"
    for _ in range(3):
        stack.undo()
    assert form.offer() == LINEAR
    assert fields.shape.text() == "2×2"
    assert stack.redoText() == "shape of input"
    for _ in range(3):
        stack.redo()
    assert spec_in(form).shape == (3, 1)
    assert form.start_fields.seed.value() == 5


def test_reset_of_one_argument_and_of_all_can_be_undone(form: InputsForm, qtbot: QtBot) -> None:
    form.show_offer(LINEAR)
    assert form.notice.text() == ""
    fields = opened(form)
    assert not form.rows[0].reset.isVisible()
    retype(qtbot, fields.shape, "5")
    choose(opened(form, 1).fill, "zeros")
    changed = form.offer()
    assert form.notice.text() == "These are not the scene's original inputs."
    qtbot.mouseClick(form.rows[0].reset, LEFT)
    assert spec_in(form) == LINEAR.inputs[0]
    assert form.is_changed
    qtbot.mouseClick(form.notice.reset, LEFT)
    assert form.offer() == LINEAR
    assert form.notice.text() == ""
    form.history.stack.undo()
    form.history.stack.undo()
    assert form.offer() == changed


def test_a_field_that_does_not_fit_can_be_reset(form: InputsForm, qtbot: QtBot) -> None:
    form.show_offer(LINEAR)
    retype(qtbot, opened(form).shape, "x")
    assert form.is_changed
    qtbot.mouseClick(form.rows[0].reset, LEFT)
    assert form.offer() == LINEAR


def test_the_last_inputs_come_back(qtbot: QtBot) -> None:
    state = ViewerState(LIGHT)
    form = InputsForm(state, remembers=True)
    qtbot.addWidget(form)
    form.show_offer(LINEAR)
    form.start_fields.seed.setValue(9)
    form.show_offer(offer_of(scene("exp")))
    form.show_offer(LINEAR)
    assert form.start_fields.seed.value() == 9
    assert form.is_changed
    assert not form.history.stack.canUndo()
    again = InputsForm(state, remembers=True)
    forgetful = InputsForm(state)
    for each in (again, forgetful):
        qtbot.addWidget(each)
        each.show_offer(LINEAR)
    assert again.start_fields.seed.value() == 9
    assert forgetful.start_fields.seed.value() == 0


def test_picking_the_same_again_keeps_edits_and_undo(form: InputsForm) -> None:
    form.show_offer(LINEAR)
    form.start_fields.seed.setValue(4)
    form.show_offer(LINEAR)
    assert form.start_fields.seed.value() == 4
    assert form.history.stack.canUndo()


def test_it_knows_whether_its_inputs_were_run(form: InputsForm, qtbot: QtBot) -> None:
    form.show_offer(LINEAR)
    assert not form.unrun
    form.show_last_run_inputs(LINEAR)
    form.start_fields.seed.setValue(4)
    assert form.unrun
    form.show_last_run_inputs(form.offer())
    assert not form.unrun
    retype(qtbot, opened(form).shape, "x")
    assert not form.unrun  # there is nothing to run
    form.show_last_run_inputs(offer_of(scene("exp")))
    assert not form.unrun


def test_every_control_has_a_name_and_a_tooltip(form: InputsForm) -> None:
    spec = InputSpec(name="x", shape=(2, 2, 2), fill="values", values=tuple(range(8)))
    form.show_offer(offer_with(spec))
    opened(form)
    for row in form.rows:
        for field in row.in_order:
            assert row.name in field.accessibleName() or not field.isVisible()
            assert field.toolTip() or not field.isVisible(), field.accessibleName()


WIDE = offer_with(
    InputSpec(name="input", shape=(1000, 1000), dtype="complex128", requires_grad=True),
    InputSpec(name="a_very_long_argument_name_indeed", dtype="bfloat16"),
    InputSpec(name="reduction", kind="object", text="'mean, of all that there is to be said'"),
    InputSpec(name="x", shape=(2, 3, 4), fill="linspace", parameters=(0, 100)),
)


@pytest.mark.parametrize("scale", [1.0, 1.3, 1.6])
@pytest.mark.parametrize("width", [270, 420])
def test_nothing_is_cut_or_overlaps(
    clothes: QApplication, qtbot: QtBot, width: int, scale: float
) -> None:
    theme = Theme(name="light", scale=scale)
    apply_theme(clothes, theme)
    form = made_form(qtbot, theme, width)
    form.show_offer(WIDE)
    for at in range(len(WIDE.inputs)):
        opened(form, at)
    qtbot.wait(1)
    inside = form.area.viewport().width()
    for row in form.rows:
        assert row.width() <= inside
        shown = [each for each in row.fields.findChildren(QWidget) if each.isVisible()]
        for choice in (each for each in shown if isinstance(each, FormComboBox)):
            assert text_room(choice) >= choice.fontMetrics().horizontalAdvance(choice.currentText())
        for label in (each for each in shown if isinstance(each, QLabel) and each.text()):
            needed = label.heightForWidth(label.width()) if label.wordWrap() else 0
            assert label.height() >= needed
        leaves = [each for each in shown if not each.findChildren(QWidget)]
        boxes = [each.rect().translated(each.mapTo(row, each.rect().topLeft())) for each in leaves]
        for at, box in enumerate(boxes):
            assert not any(box.intersects(other) for other in boxes[:at])


def text_room(choice: QComboBox) -> int:
    option = QStyleOptionComboBox()
    choice.initStyleOption(option)
    part, kind = QStyle.SubControl.SC_ComboBoxEditField, QStyle.ComplexControl.CC_ComboBox
    return choice.style().subControlRect(kind, option, part, choice).width()


def test_folded_rows_stand_in_columns_and_say_all(form: InputsForm) -> None:
    form.show_offer(LINEAR)
    QApplication.processEvents()
    headers = [row.header for row in form.rows]
    assert headers[0].pieces == ("2×2", "float64", "arange", "grad")
    assert headers[2].pieces == ("None",)
    assert headers[0].accessibleDescription() == "shape 2×2, float64, arange, requires grad"
    assert {header.height() for header in headers} == {28}
    metrics = QFontMetrics(LIGHT.font(12))
    assert sum(map(metrics.horizontalAdvance, headers[0].pieces)) < headers[0].width()


def test_a_head_is_pressed_by_keys(form: InputsForm, qtbot: QtBot) -> None:
    form.show_offer(LINEAR)
    QApplication.processEvents()
    header = form.rows[1].header
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Return):
        qtbot.keyClick(header, key)
    assert not form.rows[1].fields.isVisible()
    qtbot.keyClick(header, Qt.Key.Key_Space)
    qtbot.waitUntil(form.rows[1].fields.isVisible)


def test_what_is_unfolded_comes_into_sight(form: InputsForm, qtbot: QtBot) -> None:
    form.resize(270, 260)
    form.show_offer(LINEAR)
    choose(opened(form, 1).fill, "values")
    form.rows[1].open(opened=False)
    QApplication.processEvents()
    form.rows[1].open()
    row, view = form.rows[1], form.area.viewport()

    def top() -> int:
        return row.mapTo(view, row.rect().topLeft()).y()

    # It is higher than the view: its head goes to the top, and no further.
    qtbot.waitUntil(lambda: row.height() > view.height() and top() == 0)
    form.resize(270, 900)
    qtbot.waitUntil(lambda: form.area.verticalScrollBar().maximum() == 0)


def test_a_grid_that_comes_later_is_reached_in_its_place(form: InputsForm) -> None:
    form.show_offer(LINEAR)
    fields = opened(form)
    choose(fields.fill, "values")
    QApplication.processEvents()
    editor = fields.editor
    assert editor is not None
    at: QWidget = editor.view
    while at is not form.rows[1].header:
        at = at.nextInFocusChain()
        assert at is not form.start_fields.seed
