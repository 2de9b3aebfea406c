import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.jacobians.run.check_bar import CheckBar


def enter(bar: CheckBar, qtbot: QtBot, name: str, text: str) -> None:
    bar.fields[name].selectAll()
    qtbot.keyClick(bar.fields[name], Qt.Key.Key_Delete)
    qtbot.keyClicks(bar.fields[name], text)


def test_it_begins_with_gradcheck_s_defaults(bar: CheckBar) -> None:
    assert bar.settings() == CheckSettings(eps=1e-6, atol=1e-5, rtol=1e-3, nondet_tol=0.0)


def test_check_uses_the_values_of_the_fields(bar: CheckBar, qtbot: QtBot) -> None:
    enter(bar, qtbot, "atol", "1e-4")
    with qtbot.waitSignal(bar.check_requested) as asked:
        qtbot.mouseClick(bar.check_button, Qt.MouseButton.LeftButton)
    assert asked.args == [CheckSettings(atol=1e-4), 1]


def test_the_order_is_chosen_by_mouse_and_asked_for(bar: CheckBar, qtbot: QtBot) -> None:
    changed: list[object] = []
    bar.order_changed.connect(changed.append)
    qtbot.mouseClick(bar.switch.button(2), Qt.MouseButton.LeftButton)
    assert (changed, bar.switch.order) == ([2], 2)
    with qtbot.waitSignal(bar.check_requested) as asked:
        qtbot.mouseClick(bar.check_button, Qt.MouseButton.LeftButton)
    assert asked.args == [CheckSettings(), 2]


def test_the_order_is_chosen_by_keyboard(bar: CheckBar, qtbot: QtBot) -> None:
    button = bar.switch.button(2)
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert bar.switch.order == 2


@pytest.mark.parametrize(
    ("name", "text"), [("eps", "0"), ("eps", "x"), ("atol", "-1"), ("rtol", "nan"), ("rtol", "")]
)
def test_what_is_no_fit_number_is_reported(
    bar: CheckBar, qtbot: QtBot, name: str, text: str
) -> None:
    enter(bar, qtbot, name, text)
    assert name in bar.problem_text
    assert not bar.check_button.isEnabled()
    asked: list[object] = []
    bar.check_requested.connect(asked.append)
    qtbot.keyClick(bar.fields[name], Qt.Key.Key_Return)
    assert asked == []


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


def test_numbers_are_in_the_options_which_count_those_that_were_changed(
    bar: CheckBar, qtbot: QtBot
) -> None:
    assert bar.options.menu().isAncestorOf(bar.fields["eps"])
    assert bar.options.text() == "Options"
    enter(bar, qtbot, "eps", "1e-4")
    assert bar.options.text() == "Options (1)"
    assert bar.options.accessibleDescription().startswith("eps 1e-4")
