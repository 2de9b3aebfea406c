"""Forms: what holds for each field of each form, and what a form does with its fields."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gradviz.model.inputs import InputSpec
from gradviz.viewer.breakpoints.panel import ConditionEditor
from gradviz.viewer.forms.controls import (
    FormCheckBox,
    FormComboBox,
    FormDecimalField,
    FormSpinBox,
    FormTextField,
)
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.inputs.fields.argument_fields import ArgumentFields
from gradviz.viewer.inputs.fields.backward_fields import BackwardFields, ModuleFields
from gradviz.viewer.jacobians.run.check_bar import CheckForm
from gradviz.viewer.provenance.origin_page import QuestionBar
from gradviz.viewer.settings_dialog import SettingsDialog
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT

FORMS = {
    "settings": lambda: SettingsDialog(ViewerState(LIGHT)),
    "argument": lambda: ArgumentFields(InputSpec(name="x", shape=(2, 3)), LIGHT),
    **{
        each.__name__: lambda each=each: each(LIGHT)
        for each in (BackwardFields, ModuleFields, CheckForm, ConditionEditor, QuestionBar)
    },
}


def takes_wheel(field: QWidget) -> bool:
    center, none = QPointF(field.rect().center()), Qt.MouseButton.NoButton
    at, phase, keys = QPoint(0, -120), Qt.ScrollPhase.NoScrollPhase, Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(center, center, QPoint(), at, none, keys, phase, False)
    QApplication.sendEvent(field, event)
    return event.isAccepted()


@pytest.mark.parametrize("name", FORMS)
def test_each_field_shows_values_silently_and_takes_the_wheel_only_when_in_use(
    qtbot: QtBot, name: str
) -> None:
    window = FORMS[name]()
    form = window.form if isinstance(window, SettingsDialog) else window
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    edits: list[str] = []
    form.edited.connect(lambda name, value: edits.append(name))
    for name, control in form.controls.items():
        # The parameters of a fill are named when it is chosen.
        assert control.accessibleName() or name.startswith("parameter") or control.text()
        others: list[object] = []
        match control:
            case FormComboBox():
                others = [control.itemData(at) for at in range(control.count())]
            case FormCheckBox():
                others = [True, False]
            case FormSpinBox():
                others = [control.maximum(), control.minimum()]
            case FormDecimalField():
                others = [0.25, 1e-6]
        for value in others:
            control.show_value(value)
            assert control.value() == value
        if isinstance(control, FormComboBox | FormSpinBox) and control.isVisible():
            control.clearFocus()
            assert not takes_wheel(control)
            control.setFocus()
            assert edits == []
            assert takes_wheel(control)
            edits.clear()
    assert edits == []


def test_a_choice_shows_the_fields_that_it_needs_and_only_these_are_read(qtbot: QtBot) -> None:
    form = FieldForm(LIGHT)
    qtbot.addWidget(form)
    kind = form.add_field("kind", FormComboBox((("all", "All"), ("above", "Above"))))
    limit = FormDecimalField("No number.")
    form.add_field("limit", limit, shown=lambda values: values["kind"] == "above")
    form.add_field("name", FormTextField())
    form.show()
    assert limit.isHidden()
    assert form.values() == {"kind": "all", "name": ""}
    kind.setCurrentIndex(1)
    assert limit.isVisible()
    assert form.problem_text == "No number."
    form.show_values(SimpleNamespace(limit=2.5, name="x", other=1))
    assert form.values() == {"kind": "above", "limit": 2.5, "name": "x"}


@pytest.mark.parametrize("row", [True, False])
def test_a_text_that_cannot_be_read_is_marked_until_it_can(qtbot: QtBot, row: bool) -> None:
    form = FieldForm(LIGHT, row=QHBoxLayout() if row else None)
    qtbot.addWidget(form)
    field = form.add_field("limit", FormDecimalField("No number.", is_positive=True))
    form.show()
    for text, problem in (("0", "No number."), ("0.5", ""), ("nan", "No number.")):
        field.selectAll()
        qtbot.keyClicks(field, text)
        assert field.accessibleDescription() == problem
        assert form.lines["limit"].problem_text == ("" if row else problem)
