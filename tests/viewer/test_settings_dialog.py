"""Settings: each field takes effect at once and follows changes made elsewhere."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.forms.controls import FormComboBox, FormSpinBox, FormTextField
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.settings_dialog import SettingsDialog
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT, Theme


@pytest.fixture
def state(qtbot: QtBot) -> ViewerState:
    return ViewerState(LIGHT, preferences=Preferences())


@pytest.fixture
def dialog(qtbot: QtBot, state: ViewerState) -> SettingsDialog:
    dialog = SettingsDialog(state)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def choose(dialog: SettingsDialog, name: str, text: str) -> None:
    """Choose by typing the first letter, as a user does."""
    field = dialog.form.controls[name]
    assert isinstance(field, FormComboBox)
    QTest.keyClicks(field, text[0])
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.currentText() == text


def enter(dialog: SettingsDialog, name: str, text: str) -> None:
    field = dialog.form.controls[name]
    assert isinstance(field, FormSpinBox)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert dialog.isVisible()


def test_choices_count_at_once_and_are_remembered(dialog: SettingsDialog) -> None:
    choose(dialog, "theme", "Dark")
    choose(dialog, "motion", "No animation")
    assert (Preferences().theme, Preferences().motion) == ("dark", "off")


def test_numbers_count_when_they_are_complete(dialog: SettingsDialog) -> None:
    for name, text, value in (
        ("text_scale", "125", 1.25),
        ("time_limit_s", "30", 30),
        ("memory_percent", "75", 75),
        ("budget_mib", "512", 512),
        ("trace_mib", "100", 100),
        ("output_characters", "20000", 20_000),
    ):
        enter(dialog, name, text)
        assert getattr(Preferences(), name) == value


def test_passes_are_a_range_or_a_sample(dialog: SettingsDialog) -> None:
    field = dialog.form.controls["passes"]
    assert isinstance(field, FormTextField)
    shown = []
    for text in ("all", "5:3", "last:20", "some", ""):
        field.setText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        shown.append((Preferences().passes, bool(field.problem)))
    assert shown == [
        ("all", False),
        ("all", True),
        ("last:20", False),
        ("last:20", True),
        ("", False),
    ]


def test_half_a_number_is_no_number(dialog: SettingsDialog) -> None:
    field = dialog.form.controls["text_scale"]
    assert isinstance(field, FormSpinBox)
    field.selectAll()
    QTest.keyClicks(field, "9")
    assert Preferences().text_scale == 1.0


def test_no_time_limit_has_its_own_text(dialog: SettingsDialog) -> None:
    enter(dialog, "time_limit_s", "0")
    field = dialog.form.controls["time_limit_s"]
    assert isinstance(field, FormSpinBox)
    assert field.text() == "none"
    assert Preferences().time_limit_s == 0


def test_it_follows_what_is_changed_elsewhere(state: ViewerState, dialog: SettingsDialog) -> None:
    state.preferences.theme = "light"
    state.preferences.budget_mib = 1000
    theme, budget = dialog.form.controls["theme"], dialog.form.controls["budget_mib"]
    assert isinstance(theme, FormComboBox)
    assert isinstance(budget, FormSpinBox)
    assert (theme.currentText(), budget.value()) == ("Light", 1000)
    dialog.reset.click()
    assert (theme.currentText(), budget.value()) == ("System", 256)


def test_every_field_can_be_reached(dialog: SettingsDialog) -> None:
    reached: list[QWidget] = []
    dialog.form.controls["theme"].setFocus()
    widget = dialog.focusWidget()
    while widget is not None and widget not in reached:
        reached.append(widget)
        QTest.keyClick(widget, Qt.Key.Key_Tab)
        widget = dialog.focusWidget()
    assert set(dialog.form.controls.values()) <= set(reached)
    assert dialog.reset in reached


def test_mnemonics_are_unique(dialog: SettingsDialog) -> None:
    from PySide6.QtWidgets import QAbstractButton, QLabel

    texts = [each.text() for each in dialog.findChildren(QLabel) if each.buddy()]
    texts += [each.text() for each in dialog.findChildren(QAbstractButton)]
    letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    assert len(letters) >= 8
    assert len(set(letters)) == len(letters)


def test_at_the_largest_type_it_fits_the_screen(
    qtbot: QtBot, state: ViewerState, dialog: SettingsDialog
) -> None:
    state.set_theme(Theme(name="light", scale=2.0))
    space = dialog.screen().availableGeometry().height()
    assert 0.9 * space < dialog.height() <= space
