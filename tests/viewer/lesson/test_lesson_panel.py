"""The list of stops, and the texts of a stop that could not be written."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.viewer.lesson.panel import LessonPanel
from gradviz.viewer.lesson.stop_dialog import StopDialog
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT


class FakePlayer(QObject):
    lesson_changed = Signal(object)
    stop_changed = Signal(int)
    lesson = Lesson(title="A", stops=(LessonStop(scene="exp", step="1", headline="Exp"),))
    at = 0

    def spent_ms(self, at: int) -> int:
        return 0


class RefusingEditor:
    """Nobody chose a file for the copy."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def remove(self, at: int) -> int:
        self.asked.append(at)
        return at

    def replace_stop(self, at: int, stop: LessonStop) -> int:
        return at


def test_texts_that_were_not_written_are_not_lost(qtbot: QtBot) -> None:
    # It is typed for the real ones, of which it uses no more than these.
    make: Callable[..., LessonPanel] = LessonPanel
    state, player = ViewerState(LIGHT), FakePlayer()
    panel = make(state, player, RefusingEditor())
    qtbot.addWidget(panel)
    panel.show()
    (edit,) = (each for each in panel.findChildren(QToolButton) if each.text() == "Edit…")
    edit.click()
    (dialog,) = panel.findChildren(StopDialog)
    dialog.headline.setText("The exponential")
    dialog.accept()
    (again,) = (each for each in panel.findChildren(StopDialog) if each.isVisible())
    assert again.headline.text() == "The exponential"
    again.reject()
    qtbot.waitUntil(lambda: not panel.findChildren(StopDialog))


def test_before_the_first_stop_is_shown_it_is_the_one_to_change(qtbot: QtBot) -> None:
    make: Callable[..., LessonPanel] = LessonPanel
    player, editor = FakePlayer(), RefusingEditor()
    panel = make(ViewerState(LIGHT), player, editor)
    qtbot.addWidget(panel)
    stops = tuple(LessonStop(scene="exp", step=str(step)) for step in (1, 2, 3))
    player.lesson, player.at = Lesson(title="A", stops=stops), 1
    player.lesson_changed.emit(player.lesson)
    (remove,) = (each for each in panel.findChildren(QToolButton) if each.text() == "Remove")
    remove.click()
    assert editor.asked == [1]
