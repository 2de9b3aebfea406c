"""The commands of the Node menu."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import Actions
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import linear_reader
from tests.viewer.view_requests import requests_of


class CommandsDriver:
    def __init__(self, qtbot: QtBot) -> None:
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.state = ViewerState(LIGHT)
        self.actions = Actions(self.window)
        self.nodes = NodeCommands(self.state, requests_of(self.state), self.actions, self.window)

    def submenus(self) -> list[QMenu]:
        found = [action.menu() for action in self.nodes.menu.actions()]
        return [menu for menu in found if isinstance(menu, QMenu)]

    def listed(self, at: int) -> list[str]:
        menu = self.submenus()[at]
        menu.aboutToShow.emit()
        return [action.text() for action in menu.actions()]

    @property
    def place(self) -> tuple[int, int | None]:
        return self.state.number, self.state.selection


@pytest.fixture
def driver(qtbot: QtBot) -> CommandsDriver:
    driver = CommandsDriver(qtbot)
    driver.state.show(linear_reader())
    return driver


def test_a_node_leads_to_its_steps(driver: CommandsDriver) -> None:
    driver.state.select(1)
    driver.actions.go_executed.trigger()
    assert driver.place == (5, 1)
    driver.actions.go_made.trigger()
    assert driver.place == (1, 1)
    driver.actions.go_sender.trigger()
    assert driver.place == (4, 2)
    driver.actions.go_sender.trigger()
    # Where the pass begins, the root is what the step is about.
    assert driver.place == (3, 2)


def test_a_leaf_was_made_by_no_step(driver: CommandsDriver) -> None:
    driver.state.select(4)
    assert not driver.actions.go_made.isEnabled()
    driver.actions.go_sender.trigger()
    assert driver.place == (5, 1)


def test_without_a_selection_it_is_the_node_of_the_step(driver: CommandsDriver) -> None:
    driver.state.go_to(7)
    assert driver.nodes.node == 4
    driver.actions.copy_name.trigger()
    assert QGuiApplication.clipboard().text() == "weight"
    driver.state.go_to(8)
    assert driver.nodes.node is None
    assert not driver.actions.copy_name.isEnabled()
    assert not any(menu.isEnabled() for menu in driver.submenus())


def test_users_and_inputs_are_listed_and_can_be_selected(driver: CommandsDriver) -> None:
    sought: list[int] = []
    requests_of(driver.state).node_requested.connect(sought.append)
    driver.state.select(1)
    assert driver.listed(0) == ["SumBackward0"]
    assert driver.listed(1) == ["input", "weight"]
    driver.submenus()[1].actions()[1].trigger()
    assert driver.state.selection == 4
    assert sought == [4]


def test_nothing_can_be_done_without_a_trace(driver: CommandsDriver) -> None:
    driver.state.select(1)
    driver.state.show(None)
    actions = driver.actions
    for action in (actions.go_made, actions.go_executed, actions.go_sender, actions.copy_name):
        assert not action.isEnabled()
    assert not any(menu.isEnabled() for menu in driver.submenus())
