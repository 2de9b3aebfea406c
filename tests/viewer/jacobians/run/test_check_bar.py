import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.forms.controls import FormTextField
from gradviz.viewer.jacobians.run.check_bar import CheckBar

pytestmark = pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)


def enter(bar: CheckBar, qtbot: QtBot, name: str, text: str) -> None:
    field = bar.form.controls[name]
    assert isinstance(field, FormTextField)
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClicks(field, text)


def test_it_begins_with_gradcheck_s_defaults(bar: CheckBar) -> None:
    assert bar.settings() == CheckSettings(eps=1e-6, atol=1e-5, rtol=1e-3, nondet_tol=0.0)


def test_the_order_is_chosen_by_mouse_and_asked_for(bar: CheckBar, qtbot: QtBot) -> None:
    changed: list[object] = []
    bar.order_changed.connect(changed.append)
    qtbot.mouseClick(bar.switch.button(2), Qt.MouseButton.LeftButton)
    assert (changed, bar.switch.order) == ([2], 2)
    with qtbot.waitSignal(bar.check_requested) as asked:
        qtbot.mouseClick(bar.check_button, Qt.MouseButton.LeftButton)
    assert asked.args == [CheckSettings(), 2]


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
    qtbot.keyClick(bar.form.controls[name], Qt.Key.Key_Return)
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


def test_the_fields_open_with_the_button_and_are_reached_by_tab(
    bar: CheckBar, qtbot: QtBot
) -> None:
    qtbot.mouseClick(bar.options, Qt.MouseButton.LeftButton)
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
