"""The run of a lesson's stop is opened: what is shown meanwhile, and if that fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.shipped import shipped_lesson
from gradviz.lesson.writing import write_lesson
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.lesson.controller import LessonController
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from tests.gui.conftest import WindowDriver
from tests.gui.lesson_driver import LessonDriver, play_lesson


@pytest.fixture
def lesson(driver: WindowDriver, tmp_path: Path) -> LessonDriver:
    return play_lesson(driver, tmp_path)


@pytest.mark.parametrize("first", ["linear-wrong", "exp"])
def test_a_comparison_is_shown_as_a_whole(driver: WindowDriver, tmp_path: Path, first: str) -> None:
    stops = (
        LessonStop(scene=first, step="2"),
        LessonStop(scene="linear-wrong", step="5", tab="compare", compare="linear"),
    )
    path = tmp_path / "a.gradviz-lesson"
    write_lesson(Lesson(title="All", stops=stops), path)
    played, control = LessonDriver(driver), driver.window.parts[LessonController]
    control.open(path)
    played.wait()
    compare, player = driver.window.parts[CompareLauncher], played.player
    player.go_to(1)
    seen: list[bool] = []

    def is_shown() -> bool:
        if player.at == 1 and not control.cover.keeps_picture:
            seen.append(compare.shown is not None)
        return bool(seen) and not player.is_pending

    is_shown()
    driver.qtbot.waitUntil(is_shown)
    assert all(seen)
    assert control.cover.isHidden()


@pytest.mark.quick
def test_a_stop_whose_opening_is_canceled_leaves_the_one_before(lesson: LessonDriver) -> None:
    player, cover = lesson.player, lesson.window.parts[LessonController].cover
    player.go_to(4)
    assert cover.keeps_picture
    lesson.session.cancel()
    lesson.wait()
    assert lesson.place == (0, "exp", 1)
    assert cover.isHidden()
    player.go_to(4)
    lesson.wait()
    assert lesson.place == (4, "linear", 4)


@pytest.mark.parametrize("key", [Qt.Key.Key_PageDown, Qt.Key.Key_PageUp])
def test_the_first_stop_is_shown_by_a_click_if_its_opening_was_canceled(
    lesson: LessonDriver, tmp_path: Path, key: Qt.Key
) -> None:
    player = lesson.player
    player.play(
        Lesson(title="", stops=(LessonStop(trace="run.gradviz", step="4"),)), tmp_path / "b"
    )
    lesson.session.cancel()
    lesson.wait()
    assert player.stop is None
    lesson.press(key)
    assert lesson.place == (0, "linear", 4)


def test_what_else_fails_while_a_stop_is_opened_is_no_problem_of_the_stop(
    lesson: LessonDriver,
) -> None:
    lesson.player.go_to(4)
    lesson.session.failed.emit("The copy cannot be written.")
    lesson.wait()
    assert lesson.player.problem == ""
    assert lesson.player.has_arrived
    assert lesson.place == (4, "linear", 4)


@pytest.mark.parametrize("way", ["leave", "change"])
def test_what_is_shown_stays_if_the_lesson_changes_while_a_stop_is_opened(
    lesson: LessonDriver, way: str
) -> None:
    player = lesson.player
    player.go_to(4)
    if way == "leave":
        player.leave()
    else:
        player.change(Lesson(title="", stops=(LessonStop(scene="exp"),)), Path("b"), 0)
    lesson.wait()
    assert lesson.place == (0, "exp", 1)
    assert lesson.window.parts[LessonController].cover.isHidden()


def test_a_compared_stop_is_shown_with_its_comparison(driver: WindowDriver) -> None:
    player, control = driver.window.parts[LessonPlayer], driver.window.parts[LessonController]
    stage = driver.controller.presenter.stage
    (at,) = (k for k, x in enumerate(shipped_lesson("a-wrong-gradient").stops) if x.compare)
    shown: list[list[str]] = []

    def note(pending: bool) -> None:
        if not pending:
            keys = [each.key for frame in stage.frames for each in frame.drawn]
            shown.append([each for each in keys if each.startswith("problem")])

    control.open_shipped("a-wrong-gradient")
    driver.qtbot.waitUntil(lambda: player.at == 0 and not player.is_pending)
    player.pending_changed.connect(note)
    player.go_to(at)
    driver.qtbot.waitUntil(lambda: player.at == at and not player.is_pending)
    assert shown == [[]], "it says that there is nothing to compare with"


def test_in_quiz_mode_one_click_answers_the_question_of_a_stop(lesson: LessonDriver) -> None:
    lesson.state.set_quiz_mode()
    stage = lesson.presenter.stage
    while (lesson.player.at, stage.at) != (1, 0):
        lesson.press(Qt.Key.Key_PageDown)
    assert lesson.state.revealed.hides_answer
    lesson.press(Qt.Key.Key_PageDown)
    assert (lesson.player.at, stage.at) == (1, 1)
    assert not lesson.state.revealed.hides_answer
    lesson.state.set_quiz_mode(False)
