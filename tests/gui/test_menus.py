"""Menus: standard order, unique mnemonics, and one command per key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from gradviz.viewer.actions import sequences_of
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.controller import CommandController
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window.top_bar import TABS
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver

OF_OTHERS = (
    "Open Recent",
    "Present On",
    "Select Where Its Gradient Comes From",
    "Select Where Its Gradients Go",
    "What If",
)
"""Menus whose entries have names from outside."""


def letter_of(text: str) -> str:
    text = text.replace("&&", "")
    return text[text.index("&") + 1].lower() if "&" in text else ""


def menus_below(menu: QMenu) -> Iterator[QMenu]:
    yield menu
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu) and below.title().replace("&", "") not in OF_OTHERS:
            yield from menus_below(below)


def menus(driver: WindowDriver) -> Iterator[QMenu]:
    for action in driver.window.menuBar().actions():
        menu = action.menu()
        assert isinstance(menu, QMenu)
        yield from menus_below(menu)


def entries(menu: QMenu) -> list[QAction]:
    menu.aboutToShow.emit()
    return [each for each in menu.actions() if not each.isSeparator() and each.isVisible()]


@pytest.mark.quick
def test_menus_and_entries_have_the_usual_order_and_a_letter_of_their_own(
    driver: WindowDriver, tmp_path: Path
) -> None:
    names = [each.text().replace("&", "") for each in driver.window.menuBar().actions()]
    assert names == ["File", "Edit", "View", "Run", "Step", "Lesson", "Node", "Help"]
    letters = [letter_of(each.text()) for each in driver.window.menuBar().actions()]
    assert len(set(letters)) == len(letters)
    driver.start()
    clashes = []
    for menu in menus(driver):
        letters = Counter(letter_of(each.text()) for each in entries(menu))
        assert letters, menu.title()
        clashes += [f"{menu.title()}: {each!r}" for each, count in letters.items() if count > 1]
        clashes += [f"{menu.title()}: {each.text()} has none" for each in entries(menu)
                    if not letter_of(each.text())]  # fmt: skip
    assert clashes == []
    lesson = next(each for each in menus(driver) if each.title() == "&Lesson")
    assert entries(lesson)[0] is driver.window.docks["lesson"].toggleViewAction()
    check_keys(driver)
    check_roles(driver)
    check_titles_of_panels(driver)
    check_views(driver)
    check_palette(driver)
    check_recent_menu(driver, tmp_path)


def check_palette(driver: WindowDriver) -> None:
    palette = driver.window.parts[CommandController].palette
    driver.window.commands.show_commands.trigger()
    palette.field.setText("check")
    assert palette.shown[0].title == "Check the Gradient"
    palette.shown[0].run()
    palette.leave()
    assert TABS[driver.window.top.tabs.currentIndex()] == "jacobians"
    assert driver.session.activity == "checking"
    driver.wait()


def check_keys(driver: WindowDriver) -> None:
    """No key belongs to two commands."""
    keys = Counter(
        key.toString(QKeySequence.SequenceFormat.PortableText)
        for action in driver.window.findChildren(QAction)
        for key in dict.fromkeys(action.shortcuts())
    )
    assert [key for key, count in keys.items() if count > 1] == []
    assert {"Ctrl+N", "Ctrl+O", "Ctrl+W", "Ctrl+Q", "Ctrl+,", "Ctrl+R", "Ctrl+9"} <= set(keys)


@pytest.mark.quick
def test_a_key_that_the_platform_has_already_is_given_once(qapp: object) -> None:
    find = QKeySequence.StandardKey.Find
    keys = [each.toString() for each in sequences_of([find, "Ctrl+F", "F3"])]
    assert keys == ["Ctrl+F", "F3"]


def check_roles(driver: WindowDriver) -> None:
    """The platform knows what it places itself."""
    commands, role = driver.window.commands, QAction.MenuRole
    assert commands.quit.menuRole() == role.QuitRole
    assert commands.about.menuRole() == role.AboutRole
    assert commands.settings.menuRole() == role.PreferencesRole
    # Else a macOS would take them for others by their words.
    strays = [
        action.text()
        for menu in menus(driver)
        for action in entries(menu)
        if action.menuRole() == role.TextHeuristicRole
        and any(word in action.text().lower() for word in ("setting", "config", "option", "about"))
    ]
    assert strays == []


def check_titles_of_panels(driver: WindowDriver) -> None:
    """Panels are chosen by letter and titled without."""
    for dock in driver.window.docks.all():
        assert "&" not in dock.windowTitle()
        assert letter_of(dock.toggleViewAction().text())
        assert dock.toggleViewAction().text().replace("&", "") == dock.windowTitle()


def check_recent_menu(driver: WindowDriver, tmp_path: Path) -> None:
    """The menu lists what was opened."""
    path = write_trace(tmp_path / "a.gradviz", linear_trace())
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    assert [each.text() for each in entries(driver.window.recent_menu)] == [
        "&1  a.gradviz",
        "&Clear List",
    ]


def check_views(driver: WindowDriver) -> None:
    """Commands show them."""
    commands, top = driver.window.commands, driver.window.top
    commands.show_jacobians.trigger()
    assert top.tabs.tabText(top.tabs.currentIndex()) == "Jacobians"
    assert driver.window.parts[CheckController].panel().isVisible()
    commands.show_graph.trigger()
    assert top.tabs.tabText(top.tabs.currentIndex()) == "Graph"
    assert driver.window.parts[GraphPanel].isVisible()
