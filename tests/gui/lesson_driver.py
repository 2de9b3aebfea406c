"""A window in which a lesson is played."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt

from gradviz.analysis.scene_of_trace import scene_of
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.writing import write_lesson
from gradviz.viewer.lesson.lesson_bar import LessonBar
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.session.run_controller import RunController
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver


class LessonDriver:
    def __init__(self, driver: WindowDriver) -> None:
        self.window, self.state, self._driver = driver.window, driver.state, driver
        self.session = driver.session
        parts = driver.window.parts
        self.player, self.bar = parts[LessonPlayer], parts[LessonBar]
        self.presenter = driver.controller.presenter

    def press(self, key: Qt.Key) -> None:
        self._driver.qtbot.keyClick(self.window, key)
        self.wait()

    def wait(self) -> None:
        def at_rest() -> bool:
            player = self.player
            return not player.is_pending and not player.runs.busy and self._driver.at_rest()

        self._driver.qtbot.waitUntil(at_rest)

    @property
    def place(self) -> tuple[int, str, int]:
        return self.player.at, scene_of(self.state.index), self.state.number


def play_lesson(driver: WindowDriver, folder: Path) -> LessonDriver:
    """Write a lesson with stops of all kinds, and open it."""
    write_trace(folder / "run.gradviz", linear_trace())
    stops = (
        LessonStop(scene="exp", step="1", headline="One", question="Why {{1|exp: x}}?", steps=True),
        LessonStop(scene="exp", step="3", question="What?", notes="Wait.", solution="2"),
        LessonStop(scene="nowhere", headline="Gone"),
        LessonStop(trace="missing.gradviz"),
        LessonStop(trace="run.gradviz", step="4", tab="jacobians"),
        LessonStop(scene="exp", step="99", select="ExpBackward"),
    )
    path = folder / "a.gradviz-lesson"
    write_lesson(Lesson(title="All", stops=stops), path)
    played = LessonDriver(driver)
    driver.window.parts[RunController].open_path(path)
    played.wait()
    return played
