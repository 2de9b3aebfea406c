"""A window shows the control characters of a trace's texts, wherever it shows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from gradviz.catalogue.visible_text import visible_text
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.writing import write_lesson
from gradviz.viewer.commands.context_menu import ContextMenu
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.console import ConsolePanel
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window.top_bar import TABS
from tests.deceptive_trace import VISIBLE, deceptive_trace
from tests.gui.conftest import WindowDriver
from tests.viewer.widget_texts import texts_of


@pytest.mark.quick
def test_no_widget_shows_a_control_character_as_it_is(driver: WindowDriver, tmp_path: Path) -> None:
    window = driver.window
    file = deceptive_trace("check", tmp_path / "F\u202eevil\x1b[31m.gradviz")
    window.parts[RunController].open_path(file)
    driver.wait()
    driver.state.go_to(5)
    driver.state.into()
    for dock in window.docks.all():
        dock.show()
    for tab in TABS:
        window.top.show_tab(tab)
        driver.wait()
    actions = window.findChildren(QAction)
    texts = {
        *texts_of(window, visible=False),
        *(text for each in actions for text in (each.text(), each.toolTip(), each.statusTip())),
    }
    assert sum(VISIBLE in text for text in texts) > 50
    assert r"F\u202eevil\x1b[31m.gradviz" in window.windowTitle()
    assert [text for text in texts if text != visible_text(text, lines=True)] == []
    printed = {
        text for each in window.findChildren(ConsolePanel) for text in texts_of(each, visible=False)
    }
    assert [text for text in texts - printed if "[31m\n<img" in text] == []
    subject = window.top.subject
    assert subject.textFormat() == Qt.TextFormat.PlainText
    assert "&lt;img" in subject.toolTip()


# The offscreen platform has no keyboard that a menu could grab, and says so.
pytestmark = pytest.mark.qt_log_ignore("grabbing the (keyboard|mouse)")

NAME = "F<b>\u202eevil\x1b[31m&x"
SOURCE = """
import torch

def double(x, name="{}"):
    return (2 * x).sin()

EXAMPLES = {{double: (torch.ones(2, requires_grad=True),)}}
""".format(NAME.encode("unicode_escape").decode("ascii"))


def test_the_name_of_a_file_of_code_is_shown_as_it_is(driver: WindowDriver, tmp_path: Path) -> None:
    window = driver.window
    path = tmp_path / f"{NAME}.py"
    path.write_text(SOURCE)
    window.start([path])
    driver.wait()
    texts = set(texts_of(window, visible=False))
    actions = window.findChildren(QAction)
    texts |= {text for each in actions for text in (each.text(), each.toolTip())}
    assert any(visible_text(NAME) in text for text in texts)
    assert [text for text in texts if text != visible_text(text, lines=True)] == []
    window.docks["changes"].show()
    for step in (1, 3):
        driver.state.go_to(step)
        assert deceiving_in_menus(window) == []
    assert deceiving() == []


def is_key(text: str) -> bool:
    """Whether an ampersand of a name would be taken for the mark of a key."""
    return "evil" in text and "&x" in text.replace("&&", "")


def deceiving() -> list[str]:
    """Texts in any window, menu or dialog that are taken for control characters, markup or keys."""
    windows = QApplication.topLevelWidgets()
    actions = {action for each in windows for action in each.findChildren(QAction)}
    labels = {label for each in windows for label in each.findChildren(QLabel)}
    buttons = {button for each in windows for button in each.findChildren(QAbstractButton)}
    texts = {text for each in windows for text in texts_of(each, visible=False)}
    texts |= {text for each in actions for text in (each.text(), each.toolTip())}
    tips = {each.toolTip() for top in windows for each in (top, *top.findChildren(QWidget))}
    rich = {each.text() for each in labels if each.textFormat() != Qt.TextFormat.PlainText}
    keys = {each.text() for each in (*actions, *buttons)}
    return [
        *(text for text in texts if text != visible_text(text, lines=True)),
        *(text for text in rich | tips if "<b>" in text and "evil" in text),
        *(text for text in keys if is_key(text)),
    ]


def deceiving_in_menus(window: QWidget) -> list[str]:
    found: list[str] = []
    for each in window.findChildren(ContextMenu):
        menu = each.open(None)
        if menu is not None:
            texts = [action.text() for action in menu.findChildren(QAction)]
            found += [text for text in texts if text != visible_text(text) or is_key(text)]
            menu.close()
    return found


def test_a_lesson_shows_the_control_characters_of_its_texts(
    driver: WindowDriver, tmp_path: Path
) -> None:
    window, parts = driver.window, driver.window.parts
    text, fact = f"{NAME}\n" + "x" * 10_000, f"{{{{1|exp: {NAME}}}}}"
    stops = (
        LessonStop(scene="exp", headline=text, question=f"{text} {fact}", notes=text),
        LessonStop(trace=f"{NAME}.gradviz"),
    )
    path = tmp_path / f"{NAME}.gradviz-lesson"
    write_lesson(Lesson(title=text, stops=stops), path)
    parts[RunController].open_path(path)
    player = parts[LessonPlayer]
    window.commands.speaker_view.trigger()
    for at in (0, 0, 1):
        player.go_to(at)
        driver.qtbot.waitUntil(lambda: driver.at_rest() and not player.runs.busy)
        assert deceiving() == [], at
        driver.controller.presenter.leave()
    assert player.problem


def test_two_deceptive_traces_are_compared(driver: WindowDriver, tmp_path: Path) -> None:
    window = driver.window
    files = [deceptive_trace("check", tmp_path / f"{NAME}{each}.gradviz") for each in "ab"]
    window.parts[RunController].open_path(files[0])
    driver.wait()
    driver.state.go_to(5)
    window.top.show_tab(TABS[2])
    window.parts[CompareLauncher].controller().choose_file(files[1])
    driver.wait()
    assert deceiving() == []
    window.parts[RunController].refuse([tmp_path / NAME])
    window.top.show_tab(TABS[0])
    window.commands.settings.trigger()
    assert deceiving() == []
    assert deceiving_in_menus(window) == []
