"""A window shows the control characters of a trace's texts, wherever it shows them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton

from gradviz.catalogue.visible_text import visible_text
from gradviz.viewer.console.console_view import ConsoleView
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window.top_bar import TABS
from tests.deceptive_trace import VISIBLE, deceptive_trace
from tests.gui.conftest import WindowDriver
from tests.viewer.widget_texts import texts_of


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
        text for each in window.findChildren(ConsoleView) for text in texts_of(each, visible=False)
    }
    assert [text for text in texts - printed if "[31m\n<img" in text] == []
    subject = window.top.subject
    assert subject.textFormat() == Qt.TextFormat.PlainText
    assert "&lt;img" in subject.toolTip()


NAME = "F<b>\u202eevil\x1b[31m&x"
SOURCE = """
import torch

def double(x, name="{}"):
    return 2 * x

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
    pressed = {each.text() for each in (*actions, *window.findChildren(QAbstractButton))}
    assert [text for text in pressed if "evil" in text and "&x" in text.replace("&&", "")] == []
