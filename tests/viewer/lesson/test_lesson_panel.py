"""The list of stops, and the texts of a stop that could not be written."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.shipped import LESSONS, shipped_lesson
from gradviz.viewer.lesson.panel import LessonPanel
from gradviz.viewer.lesson.stop_dialog import StopDialog
from gradviz.viewer.library.scene_sketches import scene_sketches
from gradviz.viewer.rows.rows_model import sketch_pixmap
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


def test_a_lesson_and_a_stop_have_a_picture_of_their_graph(qtbot: QtBot) -> None:
    make: Callable[..., LessonPanel] = LessonPanel
    player = FakePlayer()
    panel = make(ViewerState(LIGHT), player, RefusingEditor())
    qtbot.addWidget(panel)

    def pictures() -> list[object]:
        rows = panel.list.rows
        places = [rows.index(row, 0) for row in range(rows.rowCount())]
        return [each.data(Qt.ItemDataRole.DecorationRole).toImage() for each in places]

    def graph_of(scene: str) -> object:
        return sketch_pixmap(scene_sketches()[scene], LIGHT).toImage()

    assert pictures() == [graph_of("exp")]
    player.lesson_changed.emit(None)
    assert pictures() == [graph_of(shipped_lesson(each).stops[0].scene) for each in LESSONS]
    assert all(one != other for at, one in enumerate(pictures()) for other in pictures()[:at])
