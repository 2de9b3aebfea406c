"""Tooltips and accessible descriptions say what a control does and name its keys."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QToolButton,
    QWidget,
)

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.commands.command_list import commands_of_menus
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.inputs.form import InputsForm
from tests.gui.conftest import WindowDriver
from tests.viewer.traces import linear_reader

CONTROLS = (QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox)


@pytest.fixture
def used(driver: WindowDriver) -> WindowDriver:
    driver.state.show(linear_reader())
    driver.state.go_to(5)
    driver.window.parts[InputsForm].show_offer(offer_of(scene("functional-linear")))
    for row in driver.window.parts[InputsForm].rows:
        row.open()
    driver.wait()
    return driver


def controls(window: QWidget) -> list[QWidget]:
    """Interactive widgets, without Qt's internal parts."""
    return [
        each
        for each in window.findChildren(QWidget)
        if isinstance(each, CONTROLS)
        and each.isVisible()
        and not isinstance(each.parent(), QComboBox | QAbstractSpinBox | QDockWidget | QLineEdit)
    ]


def keys_of(action: QAction) -> list[str]:
    native = QKeySequence.SequenceFormat.NativeText
    return [each.toString(native) for each in action.shortcuts()]


def test_every_control_has_a_name_and_its_keys(used: WindowDriver) -> None:
    check_names(used)
    check_keys(used)


def check_names(used: WindowDriver) -> None:
    found = controls(used.window)
    assert len(found) > 30
    nameless = [
        each
        for each in found
        if not each.accessibleName() and not (isinstance(each, QAbstractButton) and each.text())
    ]
    assert nameless == []
    silent = [
        each.accessibleName()
        for each in found
        if isinstance(each, QToolButton) and not each.toolTip()
    ]
    assert silent == [], "what shows only an icon has a tip"


def check_keys(used: WindowDriver) -> None:
    """Every button of a command names its keys."""
    window = used.window
    pairs: list[tuple[QWidget, QAction]] = [
        (window.top.run, window.commands.run),
        (window.parts[FindController].field, window.commands.find),
    ]
    for each in controls(window):
        action = each.defaultAction() if isinstance(each, QToolButton) else None
        if isinstance(action, QAction):
            pairs.append((each, action))
    assert len(pairs) > 6
    for widget, action in pairs:
        assert all(key in widget.toolTip() for key in keys_of(action)), widget.toolTip()


@pytest.mark.quick
def test_what_cannot_be_done_says_why(driver: WindowDriver) -> None:
    for reader in (None, linear_reader()):
        driver.state.show(reader)
        driver.wait()
        commands = commands_of_menus(driver.window.menuBar(), driver.window.commands.reasons)
        idle = [command for command in commands if not command.usable]
        assert len(idle) > 5
        assert [command.title for command in idle if not command.why_not] == []
