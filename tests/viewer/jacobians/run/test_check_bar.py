from typing import cast, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.model.check_settings import CheckSettings, ForwardModeSetting
from gradviz.viewer.forms.controls import FormCheckBox, FormComboBox, FormTextField
from gradviz.viewer.jacobians.run.check_bar import CheckBar, CheckForm
from gradviz.viewer.theme.theme import LIGHT

LEFT = Qt.MouseButton.LeftButton
pytestmark = pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)


def asked(bar: CheckBar, qtbot: QtBot) -> CheckSettings:
    with qtbot.waitSignal(bar.check_requested) as signal:
        qtbot.mouseClick(bar.check_button, LEFT)
    chosen = signal.args[0]
    assert isinstance(chosen, CheckSettings)
    return chosen


def test_check_gets_the_focus_back(bar: CheckBar) -> None:
    start = bar.check_button
    start.setFocus()
    QTest.keyClick(start, Qt.Key.Key_Space)
    bar.show_running(True)
    bar.show_running(True)
    assert bar.focusWidget() is bar.options
    bar.show_running(False)
    assert bar.focusWidget() is start


def pick(bar: CheckBar, name: str) -> None:
    """Switches a box of the form."""
    box = bar.form.controls[name]
    assert isinstance(box, FormCheckBox)
    box.click()


def choose(form: CheckForm, mode: ForwardModeSetting) -> None:
    box = form.controls["forward_mode"]
    assert isinstance(box, FormComboBox)
    box.setCurrentIndex(box.findData(mode))


@pytest.mark.parametrize(
    "name",
    [
        "cast",
        "masked",
        "batched",
        "undefined",
        "noncontiguous",
        "fast",
        "variations",
        "battery",
    ],
)
def test_a_switch_is_asked_for_and_stays(bar: CheckBar, qtbot: QtBot, name: str) -> None:
    usual = getattr(CheckSettings(), name)
    assert asked(bar, qtbot) == CheckSettings()
    pick(bar, name)
    assert bar.options.text() == "Options (1)"
    box = bar.form.controls[name]
    assert isinstance(box, FormCheckBox)
    for text in (bar.options.accessibleDescription(), bar.options.toolTip()):
        assert (box.text() in text) is not usual
    expected = replace(CheckSettings(), **{name: not usual})
    assert asked(bar, qtbot) == expected
    pick(bar, name)
    assert bar.options.text() == "Options"
    assert asked(bar, qtbot) == CheckSettings()


def test_every_setting_of_a_check_is_offered(bar: CheckBar) -> None:
    not_offered = {"nondet_tol", "auto_cast", "allow_once", "nudge", "grad_outputs", "curve"}
    assert set(bar.form.controls) == set(CheckSettings.__struct_fields__) - not_offered


SWITCHES = ("batched", "batched_forward", "backward_mode", "variations")


@settings(max_examples=30)
@given(st.lists(st.sampled_from((*SWITCHES, *get_args(ForwardModeSetting))), max_size=6))
def test_no_choice_contradicts_another(chosen: list[str]) -> None:
    form = CheckForm(LIGHT)
    for each in chosen:
        name = each if each in SWITCHES else "forward_mode"
        control = form.controls[name]
        if isinstance(control, FormCheckBox):
            wanted: object = not control.isChecked()
            control.click()
        else:
            wanted = each
            choose(form, cast("ForwardModeSetting", each))
        assert control.value() == wanted
        assert form.settings().problem() is None
    form.deleteLater()


def test_a_plain_version_is_named(bar: CheckBar, qtbot: QtBot) -> None:
    qtbot.mouseClick(bar.options, LEFT)
    field = bar.form.controls["reference"]
    qtbot.keyClicks(field, " plain ")
    assert bar.options.text() == "Options (1)"
    with qtbot.waitSignal(bar.check_requested) as signal:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert signal.args[0] == CheckSettings(reference="plain")
    assert bar.options.popup.isHidden()


def test_settings_from_elsewhere_are_shown(bar: CheckBar) -> None:
    chosen = CheckSettings(eps=1e-4, cast=True, forward_mode="on", reference="plain.py:f")
    bar.show_settings(chosen)
    assert bar.settings() == chosen
    assert bar.form.controls["cast"].value()
    assert bar.form.controls["reference"].value() == "plain.py:f"


def test_the_order_is_not_changed_while_a_check_is_under_way(bar: CheckBar) -> None:
    bar.show_running(True)
    assert not bar.switch.isEnabled()
    bar.show_running(False)
    assert bar.switch.isEnabled()


def test_a_suggested_check_does_not_begin_while_there_is_a_reason(bar: CheckBar) -> None:
    bar.set_reason("Another task is in progress.")
    seen: list[object] = []
    bar.check_requested.connect(seen.append)
    bar.start(CheckSettings(cast=True))
    assert seen == []


def enter(bar: CheckBar, qtbot: QtBot, name: str, text: str) -> None:
    field = bar.form.controls[name]
    assert isinstance(field, FormTextField)
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClicks(field, text)


def test_the_order_is_chosen_by_mouse_and_asked_for(bar: CheckBar, qtbot: QtBot) -> None:
    changed: list[object] = []
    bar.switch.segment_chosen.connect(changed.append)
    qtbot.mouseClick(bar.switch.segment(1), LEFT)
    assert (changed, bar.order) == ([1], 2)
    with qtbot.waitSignal(bar.check_requested) as asked:
        qtbot.mouseClick(bar.check_button, LEFT)
    assert asked.args == [CheckSettings(), 2]


@pytest.mark.parametrize(
    ("name", "text"), [("eps", "0"), ("eps", "x"), ("atol", "-1"), ("rtol", "nan"), ("rtol", "")]
)
def test_what_is_no_fit_number_is_reported(
    bar: CheckBar, qtbot: QtBot, name: str, text: str
) -> None:
    enter(bar, qtbot, name, text)
    assert name in bar.problem.text()
    assert not bar.check_button.isEnabled()
    asked: list[object] = []
    bar.check_requested.connect(asked.append)
    bar.request_order(2)
    assert (asked, bar.options.popup.focusWidget()) == ([], bar.form.controls[name])


def test_only_one_check_runs_at_a_time(bar: CheckBar) -> None:
    asked: list[object] = []
    bar.check_requested.connect(lambda settings, order: asked.append(order))
    bar.show_running(True)
    assert not bar.check_button.isEnabled()
    bar.request()
    assert asked == []
    bar.show_running(False)
    bar.request()
    assert len(asked) == 1


def test_the_fields_open_with_the_button_and_are_reached_by_tab(
    bar: CheckBar, qtbot: QtBot
) -> None:
    qtbot.mouseClick(bar.options, LEFT)
    popup = bar.options.popup
    assert popup.focusWidget() is bar.form.controls["eps"]
    qtbot.keyClick(bar.form.controls["eps"], Qt.Key.Key_Tab)
    assert popup.focusWidget() is bar.form.controls["atol"]
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    assert popup.isHidden()


def test_the_button_counts_the_numbers_that_were_changed(bar: CheckBar, qtbot: QtBot) -> None:
    assert bar.options.text() == "Options"
    enter(bar, qtbot, "eps", "1e-4")
    assert bar.options.text() == "Options (1)"
    assert bar.options.accessibleDescription().startswith("eps 1e-4")
