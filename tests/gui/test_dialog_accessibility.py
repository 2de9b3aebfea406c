"""Dialogs and panels: named controls, a complete Tab order, and focus after Esc."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QWidget

from gradviz.viewer.commands.controller import CommandController
from gradviz.viewer.commands.key_sheet import KeySheet
from gradviz.viewer.faults.error_dialog import ErrorDialog
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.settings.settings_dialog import SettingsDialog
from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows
from gradviz.viewer.tensor_view.small.tensor_head import HeadButtons
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.about_dialog import AboutDialog
from gradviz.viewer.window.tab_order import is_stop, tab_stops
from tests.gui.conftest import Desk

MOST = 60
Opener = Callable[[Desk], QDialog]


def opened(desk: Desk, kind: type[QDialog]) -> QDialog:
    found = desk.window.findChild(kind)
    assert isinstance(found, QDialog)
    return found


def settings(desk: Desk) -> QDialog:
    desk.window.commands.settings.trigger()
    return opened(desk, SettingsDialog)


def keys(desk: Desk) -> QDialog:
    desk.window.commands.show_keys.trigger()
    return opened(desk, KeySheet)


def about(desk: Desk) -> QDialog:
    desk.window.commands.about.trigger()
    return opened(desk, AboutDialog)


def report(desk: Desk) -> QDialog:
    dialog = ErrorDialog("An error", "Some facts")
    desk.qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def spoken(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name).strip()


def reachable(window: QWidget) -> set[QWidget]:
    return {
        each
        for each in window.findChildren(QWidget)
        if is_stop(each) and each.window() is window and not each.size().isEmpty()
    }


def is_unchosen(widget: QWidget) -> bool:
    if not isinstance(widget, QAbstractButton) or widget.isChecked():
        return False
    group = widget.group()
    return widget.autoExclusive() or (group is not None and group.exclusive())


def round_trip(window: QWidget) -> list[QWidget]:
    """What has the focus, from one stop until it is there again."""

    def tab() -> QWidget:
        here = QApplication.focusWidget()
        QTest.keyClick(window if here is None else here, Qt.Key.Key_Tab)
        there = QApplication.focusWidget()
        assert there is not None
        return there

    found = [tab()]
    while (then := tab()) is not found[0]:
        found.append(then)
        assert len(found) < MOST, "Tab never comes back"
    return found


def at_work(desk: Desk) -> QWidget:
    """The window with the focus where somebody works."""
    desk.start()
    desk.state.go_to(5)
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    worked: QWidget = desk.window.parts[TimelinePanel].bar
    worked.setFocus(Qt.FocusReason.TabFocusReason)
    return worked


@pytest.mark.parametrize("opener", [settings, keys, about, report])
def test_a_dialog_is_used_by_keyboard_and_by_ear(desk: Desk, opener: Opener) -> None:
    worked = at_work(desk)
    dialog = opener(desk)
    desk.qtbot.waitUntil(dialog.isActiveWindow)
    assert dialog.windowTitle()
    within = round_trip(dialog)
    assert set(within) == reachable(dialog)
    for stop in within:
        assert spoken(stop), stop
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    # Nobody manages windows here; elsewhere the one below becomes active by itself.
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    assert QApplication.focusWidget() is worked


def test_the_list_of_commands_gives_the_focus_back(desk: Desk) -> None:
    worked = at_work(desk)
    desk.window.commands.show_commands.trigger()
    palette = desk.window.parts[CommandController].palette
    assert palette.isAncestorOf(QApplication.focusWidget())
    for each in (palette, palette.field, palette.list):
        assert spoken(each), each
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert palette.isHidden()
    assert QApplication.focusWidget() is worked


def test_finding_gives_the_focus_back(desk: Desk) -> None:
    worked = at_work(desk)
    desk.window.commands.find.trigger()
    field = QApplication.focusWidget()
    assert field is not None
    assert field is not worked
    QTest.keyClicks(field, "linear")
    QApplication.processEvents()
    for stop in tab_stops(desk.window):
        assert spoken(stop), stop
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is worked


def test_every_stop_of_the_outline_says_what_it_is(desk: Desk) -> None:
    at_work(desk)
    dock = desk.window.docks["outline"]
    dock.toggleViewAction().trigger()
    QApplication.processEvents()
    inside = [stop for stop in tab_stops(desk.window) if dock.isAncestorOf(stop)]
    assert inside
    for stop in inside:
        assert spoken(stop), stop


def test_every_stop_of_the_room_says_what_it_is(desk: Desk) -> None:
    at_work(desk)
    desk.window.commands.present.trigger()
    QApplication.processEvents()
    for stop in tab_stops(desk.window):
        assert spoken(stop), stop
    desk.place.presenter.leave()
    QApplication.processEvents()


@pytest.mark.parametrize("floating", [False, True])
def test_every_stop_of_a_large_tensor_says_what_it_is(desk: Desk, floating: bool) -> None:
    at_work(desk)
    heads = desk.window.parts[Inspector].findChildren(HeadButtons)
    next(each for each in heads if each.isVisible()).open_button.click()
    desk.wait()
    dock = desk.window.parts[TensorWindows].docks[-1]
    dock.setFloating(floating)
    QApplication.processEvents()
    inside = [each for each in dock.findChildren(QWidget) if is_stop(each)]
    assert len(inside) >= 3
    for stop in inside:
        assert spoken(stop), stop
    if floating:
        dock.activateWindow()
        desk.qtbot.waitUntil(dock.isActiveWindow)
        # Of buttons that exclude each other Tab goes to the chosen one, arrows to the others.
        assert set(round_trip(dock)) == {each for each in inside if not is_unchosen(each)}
