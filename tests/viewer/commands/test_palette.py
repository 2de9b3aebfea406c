"""The command palette."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from gradviz.viewer.commands.controller import MOST, RecentCommands
from gradviz.viewer.commands.palette import Palette
from gradviz.viewer.commands.palette_commands import commands_of_menus, plain, scene_commands
from gradviz.viewer.theme.theme import LIGHT


class Shop:
    """A window with a few commands in its menus."""

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
def shop(qtbot: QtBot) -> Shop:
    return Shop(qtbot)


def test_every_command_of_the_menus_is_there(shop: Shop) -> None:
    shop.open_palette()
    assert shop.titles == ["Open…", "Save", "Black & Dark", "Came late"]
    opened, save, dark, _ = shop.palette.shown
    assert (opened.path, opened.keys, opened.usable) == ("File", ("Ctrl+O",), True)
    assert (save.usable, save.why_not) == (False, "there is no run to show yet")
    assert (dark.path, dark.state) == ("View > Theme", "off")


def test_what_was_used_last_comes_first(shop: Shop) -> None:
    shop.open_palette("View > Theme > Black & Dark", "File > Save", "gone")
    assert shop.titles == ["Black & Dark", "Save", "Open…", "Came late"]


def test_typing_and_enter_do_it(shop: Shop) -> None:
    shop.open_palette()
    assert shop.palette.field.hasFocus()
    shop.qtbot.keyClicks(shop.palette.field, "dark")
    assert shop.titles == ["Black & Dark"]
    shop.press(Qt.Key.Key_Return)
    assert shop.done == ["dark"]
    assert shop.palette.isHidden()
    assert shop.button.hasFocus()


def test_a_menu_is_a_name_too(shop: Shop) -> None:
    shop.open_palette()
    shop.qtbot.keyClicks(shop.palette.field, "theme")
    assert shop.titles == ["Black & Dark"]


def test_arrows_go_round(shop: Shop) -> None:
    shop.open_palette()
    shop.press(Qt.Key.Key_Up)
    assert shop.palette.list.row == 3
    shop.press(Qt.Key.Key_Down)
    shop.press(Qt.Key.Key_Down)
    assert shop.palette.list.row == 1
    assert "there is no run to show yet" in shop.palette.field.accessibleDescription()


def test_what_cannot_be_used_is_told_and_not_done(shop: Shop) -> None:
    shop.open_palette()
    shop.qtbot.keyClicks(shop.palette.field, "save")
    shop.press(Qt.Key.Key_Enter)
    assert shop.done == []
    assert shop.palette.isVisible()
    assert "there is no run to show yet" in shop.palette.list.rows.choice(0).sentence


def test_clicking_does_it(shop: Shop) -> None:
    shop.open_palette()
    place = shop.palette.list.visualRect(shop.palette.list.rows.index(0, 0)).center()
    shop.qtbot.mouseClick(shop.palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shop.done == ["open"]


def test_escape_and_going_elsewhere_close_it(shop: Shop) -> None:
    shop.open_palette()
    shop.press(Qt.Key.Key_Escape)
    assert shop.palette.isHidden()
    assert shop.button.hasFocus()
    shop.open_palette()
    shop.button.setFocus(Qt.FocusReason.MouseFocusReason)
    assert shop.palette.isHidden()


def test_no_name_like_that(shop: Shop) -> None:
    shop.open_palette()
    shop.qtbot.keyClicks(shop.palette.field, "qqq")
    assert shop.titles == []
    shop.press(Qt.Key.Key_Return)
    shop.press(Qt.Key.Key_Down)
    assert shop.palette.isVisible()
    assert "No matching commands" in shop.palette.field.accessibleDescription()


def test_it_fits_a_small_window(shop: Shop) -> None:
    shop.window.resize(320, 240)
    shop.open_palette()
    assert shop.window.rect().contains(shop.palette.geometry())


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
    assert plain(text) == shown
