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
from gradviz.viewer.faults.exception_hook import ErrorDialog
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.settings_dialog import SettingsDialog
from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows
from gradviz.viewer.tensor_view.small.tensor_head import HeadButtons
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.about_dialog import AboutDialog
from gradviz.viewer.window.tab_order import is_stop, tab_stops
from tests.gui.conftest import WindowDriver

MOST = 60
Opener = Callable[[WindowDriver], QDialog]


def opened(driver: WindowDriver, kind: type[QDialog]) -> QDialog:
    found = driver.window.findChild(kind)
    assert isinstance(found, QDialog)
    return found


def settings(driver: WindowDriver) -> QDialog:
    driver.window.commands.settings.trigger()
    return opened(driver, SettingsDialog)


def keys(driver: WindowDriver) -> QDialog:
    driver.window.commands.show_keys.trigger()
    return opened(driver, KeySheet)


def about(driver: WindowDriver) -> QDialog:
    driver.window.commands.about.trigger()
    return opened(driver, AboutDialog)


def report(driver: WindowDriver) -> QDialog:
    dialog = ErrorDialog("An error", "Some facts")
    driver.qtbot.addWidget(dialog)
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
    """The focused widgets of one whole Tab cycle."""

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


def at_work(driver: WindowDriver) -> QWidget:
    """The window with the focus where a user works."""
    driver.state.go_to(5)
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    worked: QWidget = driver.window.parts[TimelinePanel].bar
    worked.setFocus(Qt.FocusReason.TabFocusReason)
    return worked


def dialogs_are_used_by_keyboard_and_by_ear(driver: WindowDriver, worked: QWidget) -> None:
    openers: tuple[Opener, ...] = (settings, keys, about, report)
    for opener in openers:
        dialog = opener(driver)
        driver.qtbot.waitUntil(dialog.isActiveWindow)
        assert dialog.windowTitle()
        within = round_trip(dialog)
        assert set(within) == reachable(dialog)
        for stop in within:
            assert spoken(stop), stop
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()
        # Nobody manages windows here; elsewhere the one below becomes active by itself.
        driver.window.activateWindow()
        driver.qtbot.waitUntil(driver.window.isActiveWindow)
        assert QApplication.focusWidget() is worked


def the_list_of_commands_gives_the_focus_back(driver: WindowDriver, worked: QWidget) -> None:
    driver.window.commands.show_commands.trigger()
    palette = driver.window.parts[CommandController].palette
    assert palette.isAncestorOf(QApplication.focusWidget())
    for each in (palette, palette.field, palette.list):
        assert spoken(each), each
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert palette.isHidden()
    assert QApplication.focusWidget() is worked


def finding_gives_the_focus_back(driver: WindowDriver, worked: QWidget) -> None:
    driver.window.commands.find.trigger()
    field = QApplication.focusWidget()
    assert field is not None
    assert field is not worked
    QTest.keyClicks(field, "linear")
    QApplication.processEvents()
    for stop in tab_stops(driver.window):
        assert spoken(stop), stop
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is worked


def every_tab_stop_of_the_outline_has_a_name(driver: WindowDriver) -> None:
    dock = driver.window.docks["outline"]
    dock.toggleViewAction().trigger()
    QApplication.processEvents()
    inside = [stop for stop in tab_stops(driver.window) if dock.isAncestorOf(stop)]
    assert inside
    for stop in inside:
        assert spoken(stop), stop


def every_tab_stop_of_presenter_mode_has_a_name(driver: WindowDriver) -> None:
    driver.window.commands.present.trigger()
    QApplication.processEvents()
    for stop in tab_stops(driver.window):
        assert spoken(stop), stop
    driver.controller.presenter.leave()
    QApplication.processEvents()


def every_tab_stop_of_a_large_tensor_has_a_name(driver: WindowDriver) -> None:
    heads = driver.window.parts[Inspector].findChildren(HeadButtons)
    next(each for each in heads if each.parentWidget().isVisible()).buttons[0].click()
    driver.wait()
    dock = driver.window.parts[TensorWindows].docks[-1]
    for floating in (False, True):
        dock.setFloating(floating)
        QApplication.processEvents()
        inside = [each for each in dock.findChildren(QWidget) if is_stop(each)]
        assert len(inside) >= 3
        for stop in inside:
            assert spoken(stop), stop
    dock.activateWindow()
    driver.qtbot.waitUntil(dock.isActiveWindow)
    # Of buttons that exclude each other Tab goes to the chosen one, arrows to the others.
    assert set(round_trip(dock)) == {each for each in inside if not is_unchosen(each)}


@pytest.mark.quick
def test_all_is_named_and_gives_the_focus_back(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    driver.start()
    worked = at_work(driver)
    dialogs_are_used_by_keyboard_and_by_ear(driver, worked)
    the_list_of_commands_gives_the_focus_back(driver, worked)
    finding_gives_the_focus_back(driver, worked)
    every_tab_stop_of_presenter_mode_has_a_name(driver)
    every_tab_stop_of_the_outline_has_a_name(driver)
    every_tab_stop_of_a_large_tensor_has_a_name(driver)
