from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.model.check_settings import CheckSettings, ForwardModeSetting
from gradviz.viewer.jacobians.run.check_bar import CheckBar
from gradviz.viewer.jacobians.run.check_options import CheckOptionsButton
from gradviz.viewer.theme.theme import LIGHT

LEFT = Qt.MouseButton.LeftButton


def asked(bar: CheckBar, qtbot: QtBot) -> CheckSettings:
    with qtbot.waitSignal(bar.check_requested) as signal:
        qtbot.mouseClick(bar.check_button, LEFT)
    settings = signal.args[0]
    assert isinstance(settings, CheckSettings)
    return settings


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
    """Chooses an entry of the menu."""
    bar.options.action(name).trigger()


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
    pick(bar, name)
    assert bar.options.text() == "Options (1)"
    expected = replace(CheckSettings(), **{name: not usual})
    assert asked(bar, qtbot) == expected
    assert asked(bar, qtbot) == expected
    pick(bar, name)
    assert bar.options.text() == "Options"
    assert asked(bar, qtbot) == CheckSettings()


def test_forward_mode_is_one_of_three(bar: CheckBar, qtbot: QtBot) -> None:
    pick(bar, "forward_mode")
    assert asked(bar, qtbot).forward_mode == "on"
    bar.options.modes["off"].trigger()
    assert asked(bar, qtbot).forward_mode == "off"
    assert not bar.options.modes["on"].isChecked()


def test_every_option_of_a_check_is_offered(bar: CheckBar) -> None:
    elsewhere = {"eps", "atol", "rtol", "reference"}  # Fields of the bar.
    not_offered = {"nondet_tol", "auto_cast", "allow_once", "nudge", "grad_outputs"}
    for name in set(CheckSettings.__struct_fields__) - elsewhere - not_offered:
        bar.options.action(name)


@given(data=st.data())
def test_no_choice_contradicts_another(data: st.DataObject) -> None:
    options = CheckOptionsButton(LIGHT)
    switches = ("batched", "batched_forward", "backward_mode", "variations")
    entries = [options.action(each) for each in switches]
    entries += [options.modes[each] for each in get_args(ForwardModeSetting)]
    for entry in data.draw(st.lists(st.sampled_from(entries), max_size=6)):
        was_checked = entry.isChecked()
        entry.trigger()
        assert entry.isChecked() is (entry not in entries[:4] or not was_checked)
        assert options.settings(CheckSettings()).problem() is None
    options.deleteLater()


def test_a_plain_version_is_named(bar: CheckBar, qtbot: QtBot) -> None:
    assert bar.reference.isHidden()
    pick(bar, "reference")
    assert bar.reference.isVisible()
    qtbot.keyClicks(bar.reference, "plain")
    with qtbot.waitSignal(bar.check_requested) as signal:
        qtbot.keyClick(bar.reference, Qt.Key.Key_Return)
    assert signal.args[0] == CheckSettings(reference="plain")
    pick(bar, "reference")
    assert bar.reference.isHidden()
    assert asked(bar, qtbot) == CheckSettings()


def test_enabled_options_are_described_in_words(bar: CheckBar) -> None:
    pick(bar, "fast")
    assert "Fast Mode" in bar.options.accessibleDescription()
    assert "Fast Mode" in bar.options.toolTip()


def test_settings_from_elsewhere_are_shown(bar: CheckBar, qtbot: QtBot) -> None:
    settings = CheckSettings(eps=1e-4, cast=True, forward_mode="on", reference="plain.py:f")
    bar.show_settings(settings)
    assert bar.settings() == settings
    assert bar.options.action("cast").isChecked()
    assert bar.reference.isVisible()


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
