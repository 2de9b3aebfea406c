"""The command palette."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import without_mnemonic
from gradviz.viewer.commands.command_list import commands_of_menus, scene_commands
from gradviz.viewer.commands.controller import MOST, RecentCommands
from gradviz.viewer.commands.palette import Palette
from gradviz.viewer.theme.theme import LIGHT


class PaletteDriver:
    """Drives a window with a few commands in its menus."""

    def __init__(self, qtbot: QtBot) -> None:
        self.done: list[str] = []
        self.window = QMainWindow()
        self.window.resize(800, 600)
        bar = self.window.menuBar()
        file, view = bar.addMenu("&File"), bar.addMenu("&View")
        self.open = file.addAction("&Open…", lambda: self.done.append("open"))
        self.open.setShortcut("Ctrl+O")
        file.addSeparator()
        self.save = file.addAction("Sa&ve", lambda: self.done.append("save"))
        self.save.setEnabled(False)
        themes = view.addMenu("&Theme")
        self.dark = themes.addAction("Black && &Dark", lambda: self.done.append("dark"))
        self.dark.setCheckable(True)
        view.addAction("Hidden").setVisible(False)
        self.late = view.addMenu("&Late")
        self.late.aboutToShow.connect(self.fill)
        self.button = QPushButton("elsewhere")
        self.window.setCentralWidget(self.button)
        self.palette = Palette(LIGHT, self.window)
        self.palette.chosen.connect(lambda command: command.run())
        qtbot.addWidget(self.window)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        self.button.setFocus()
        self.qtbot = qtbot

    def fill(self) -> None:
        self.late.clear()
        self.late.addAction("Came late")

    def open_palette(self, *recent: str) -> None:
        reasons = {self.save: "there is no run to show yet"}
        self.palette.open(commands_of_menus(self.window.menuBar(), reasons), recent)

    @property
    def titles(self) -> list[str]:
        return [command.title for command in self.palette.shown]

    def press(self, key: Qt.Key) -> None:
        self.qtbot.keyClick(self.palette.field, key)


@pytest.fixture
def driver(qtbot: QtBot) -> PaletteDriver:
    return PaletteDriver(qtbot)


def test_every_command_of_the_menus_is_there(driver: PaletteDriver) -> None:
    driver.open_palette()
    assert driver.titles == ["Open…", "Save", "Black & Dark", "Came late"]
    opened, save, dark, _ = driver.palette.shown
    assert (opened.path, opened.keys, opened.usable) == ("File", ("Ctrl+O",), True)
    assert (save.usable, save.why_not) == (False, "there is no run to show yet")
    assert (dark.path, dark.state) == ("View > Theme", "off")


def test_what_was_used_last_comes_first(driver: PaletteDriver) -> None:
    driver.open_palette("View > Theme > Black & Dark", "File > Save", "gone")
    assert driver.titles == ["Black & Dark", "Save", "Open…", "Came late"]


def test_typing_and_enter_do_it(driver: PaletteDriver) -> None:
    driver.open_palette()
    assert driver.palette.field.hasFocus()
    driver.qtbot.keyClicks(driver.palette.field, "dark")
    assert driver.titles == ["Black & Dark"]
    driver.press(Qt.Key.Key_Return)
    assert driver.done == ["dark"]
    assert driver.palette.isHidden()
    assert driver.button.hasFocus()


def test_a_menu_is_a_name_too(driver: PaletteDriver) -> None:
    driver.open_palette()
    driver.qtbot.keyClicks(driver.palette.field, "theme")
    assert driver.titles == ["Black & Dark"]


def test_arrows_go_round(driver: PaletteDriver) -> None:
    driver.open_palette()
    driver.press(Qt.Key.Key_Up)
    assert driver.palette.list.current_key == 3
    driver.press(Qt.Key.Key_Down)
    driver.press(Qt.Key.Key_Down)
    assert driver.palette.list.current_key == 1
    assert "there is no run to show yet" in driver.palette.field.accessibleDescription()


def test_an_unusable_command_explains_itself_and_does_nothing(driver: PaletteDriver) -> None:
    driver.open_palette()
    driver.qtbot.keyClicks(driver.palette.field, "save")
    driver.press(Qt.Key.Key_Enter)
    assert driver.done == []
    assert driver.palette.isVisible()
    assert "there is no run to show yet" in driver.palette.list.rows.document.row(0).sentence


def test_clicking_does_it(driver: PaletteDriver) -> None:
    driver.open_palette()
    place = driver.palette.list.visualRect(driver.palette.list.rows.index(0, 0)).center()
    driver.qtbot.mouseClick(driver.palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert driver.done == ["open"]


def test_escape_and_going_elsewhere_close_it(driver: PaletteDriver) -> None:
    driver.open_palette()
    driver.press(Qt.Key.Key_Escape)
    assert driver.palette.isHidden()
    assert driver.button.hasFocus()
    driver.open_palette()
    driver.button.setFocus(Qt.FocusReason.MouseFocusReason)
    assert driver.palette.isHidden()


def test_no_name_like_that(driver: PaletteDriver) -> None:
    driver.open_palette()
    driver.qtbot.keyClicks(driver.palette.field, "qqq")
    assert driver.titles == []
    driver.press(Qt.Key.Key_Return)
    driver.press(Qt.Key.Key_Down)
    assert driver.palette.isVisible()
    assert "No matching commands" in driver.palette.field.accessibleDescription()


def test_it_fits_a_small_window(driver: PaletteDriver) -> None:
    driver.window.resize(320, 240)
    driver.open_palette()
    assert driver.window.rect().contains(driver.palette.geometry())


def test_scenes_are_commands() -> None:
    ran: list[str] = []
    commands = {each.title: each for each in scene_commands(lambda scene: ran.append(scene.id))}
    commands["Run scene: Exp"].run()
    assert ran == ["exp"]


def test_the_last_few_are_remembered(qapp: object) -> None:
    recent = RecentCommands()
    for number in range(MOST + 3):
        recent.note(f"c{number}")
    recent.note("c5")
    assert RecentCommands().ids == recent.ids
    assert recent.ids[:2] == ("c5", f"c{MOST + 2}")
    assert len(recent.ids) == MOST
    assert RecentCommands(stored=False).ids == ()


@pytest.mark.parametrize("value", ["", 7, ["a", "b"], "\n\n"])
def test_a_strange_setting_does_no_harm(qapp: object, value: object) -> None:
    QSettings().setValue("commands/recent", value)
    assert len(RecentCommands().ids) <= 1


@pytest.mark.parametrize(
    ("text", "shown"), [("&Open", "Open"), ("Sa&ve && go", "Save & go"), ("开(&O)…", "开…")]
)
def test_plain_names(text: str, shown: str) -> None:
    assert without_mnemonic(text) == shown
