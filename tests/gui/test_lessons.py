"""A lesson in the window: the clicker goes from its first stop to its last, whatever happens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton
from pytestqt.qtbot import QtBot

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.position.view_target import ViewTarget
from gradviz.analysis.scene_of_trace import scene_of
from gradviz.catalogue.language import load_language
from gradviz.gallery.registry import FIRST_SCENE, offer_of, scene
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.reading import read_lesson
from gradviz.lesson.shipped import LESSONS, shipped_lesson, shipped_path
from gradviz.lesson.writing import write_lesson
from gradviz.text.narration import describe_position
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.lesson.controller import LessonController
from gradviz.viewer.lesson.lesson_editor import LessonEditor
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.panel import LessonPanel
from gradviz.viewer.lesson.speaker_window import SpeakerWindow
from gradviz.viewer.lesson.stop_dialog import StopDialog
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window.top_bar import TABS
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver
from tests.gui.lesson_driver import LessonDriver, play_lesson
from tests.gui.stage_texts import stage_text


@pytest.fixture
def lesson(driver: WindowDriver, tmp_path: Path) -> LessonDriver:
    return play_lesson(driver, tmp_path)


@pytest.mark.quick
def test_one_key_plays_a_lesson_from_start_to_end(lesson: LessonDriver) -> None:
    window, bar, down = lesson.window, lesson.bar, Qt.Key.Key_PageDown
    presenter = lesson.presenter
    assert presenter.presenting
    assert not bar.isVisible(), "the header of the stage shows the stop"
    assert stage_text(presenter).startswith("One\nWhy 1?")
    lesson.press(down)
    assert (lesson.place, presenter.stage.at) == ((0, "exp", 1), 1), "the stage takes the click"
    while lesson.state.clicks.has_next:
        lesson.press(down)
    lesson.press(down)
    assert lesson.place == (0, "exp", 2), "then comes the next step"
    assert len(presenter.stage.frames) == 1, "with one picture, as on slides"
    lesson.press(Qt.Key.Key_Space)
    assert lesson.place == (1, "exp", 3), "all keys go from stop to stop, as in the speaker's view"
    lesson.press(Qt.Key.Key_Left)
    assert lesson.place == (0, "exp", 1)
    lesson.press(Qt.Key.Key_Escape)
    assert not presenter.presenting
    assert bar.isVisible(), "the lesson goes on in the window"
    assert (bar.headline.text(), bar.question.text()) == ("One", "Why 1?")
    assert lesson.place == (0, "exp", 1)
    assert window.recent_menu.actions()[0].text().endswith("a.gradviz-lesson")
    lesson.press(down)
    assert lesson.place == (0, "exp", 2), "the steps up to the next stop come first"
    lesson.press(down)
    assert lesson.place == (1, "exp", 3)
    assert lesson.state.revealed.hides_answer
    lesson.press(down)
    assert lesson.place == (1, "exp", 3)
    assert not lesson.state.revealed.hides_answer
    lesson.press(down)
    assert bar.problem.text().startswith("There is no scene 'nowhere'.")
    lesson.press(down)
    assert "missing.gradviz" in bar.problem.text()
    lesson.press(down)
    assert lesson.place == (4, "linear", 4)
    assert not bar.problem.text()
    assert TABS[window.top.tabs.currentIndex()] == "jacobians"
    lesson.press(down)
    assert lesson.player.at == 5
    assert lesson.state.selection is not None
    lesson.press(down)
    assert lesson.player.at == 5
    for at in (4, 3, 2, 1, 0):
        lesson.press(Qt.Key.Key_PageUp)
        assert lesson.player.at == at
        # A visit hides the answer again.
        assert lesson.state.revealed.hides_answer == (at == 1)
    assert lesson.place == (0, "exp", 1)
    number = window.commands.next.shortcuts()
    assert number == []
    lesson.press(Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert lesson.player.lesson is None
    lesson.press(down)
    assert lesson.state.number == 2, "the key steps again"


@pytest.mark.quick
def test_a_stop_that_cannot_be_shown_says_why_on_the_stage(
    lesson: LessonDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    player, window = lesson.player, lesson.window

    for at, sentence in (
        (2, "There is no scene 'nowhere'."),
        (3, "missing.gradviz"),
        (5, "step 99"),
    ):
        player.go_to(at)
        lesson.wait()
        assert sentence in player.problem
        shown = "".join(stage_text(lesson.presenter).split())
        assert "".join(player.problem.split()) in shown
        assert not window.messages.isVisible(), "nothing says it twice"
        assert not lesson.state.revealed.hides_answer
        assert QApplication.activeModalWidget() is None
    assert lesson.place == (5, "exp", 1), "the nearest step is shown"
    player.go_to(3)
    lesson.wait()
    player.next()
    lesson.wait()
    assert lesson.place == (4, "linear", 4)
    assert not player.problem
    monkeypatch.setattr(player.runs, "path", lambda _: None)
    monkeypatch.setattr(player.runs, "prepare", lambda _: None)
    player.go_to(1)
    player.runs.failed.emit("exp", "It ended.")
    lesson.wait()
    assert player.problem == "It ended."
    assert "It ended." in stage_text(lesson.presenter)


def test_after_the_last_stop_the_stage_sums_up_and_goes_back(
    driver: WindowDriver, tmp_path: Path
) -> None:
    stops = (
        LessonStop(scene="exp", step="1", headline="First", question="Why?", answer="So."),
        LessonStop(scene="exp", step="2", headline="Second", show=("graph",), steps=True),
    )
    path = tmp_path / "a.gradviz-lesson"
    write_lesson(Lesson(title="All", stops=stops), path)
    played = LessonDriver(driver)
    driver.window.parts[RunController].open_path(path)
    played.wait()
    player, presenter = played.player, played.presenter
    down, up = Qt.Key.Key_PageDown, Qt.Key.Key_PageUp
    player.go_to(1)
    played.wait()
    last = driver.state.count
    while driver.state.number < last or driver.state.clicks.has_next:
        assert "What we have seen" not in stage_text(presenter), "steps are left"
        played.press(down)
    assert stage_text(presenter).startswith("All\nWhat we have seen\nFirst\nSo.\n")
    frame = presenter.stage.view.frame
    assert frame is not None
    shown = {each.key.split(":")[1] for each in frame.drawn if each.key.startswith("picture:")}
    assert shown == {"0", "1"}
    played.press(down)
    assert (player.at, driver.state.number) == (1, last), "that is the end"
    assert "What we have seen" in stage_text(presenter)
    played.press(up)
    assert "What we have seen" not in stage_text(presenter)
    assert driver.state.number == last


def test_a_lesson_whose_last_stop_cannot_be_shown_sums_up(
    driver: WindowDriver, tmp_path: Path
) -> None:
    stops = (LessonStop(scene="exp", headline="First"), LessonStop(scene="nowhere"))
    path = tmp_path / "a.gradviz-lesson"
    write_lesson(Lesson(title="All", stops=stops), path)
    played = LessonDriver(driver)
    driver.window.parts[RunController].open_path(path)
    played.wait()
    played.player.go_to(1)
    played.wait()
    assert played.player.problem
    played.press(Qt.Key.Key_PageDown)
    shown = stage_text(played.presenter)
    assert shown.startswith("All\nWhat we have seen\nFirst\n")
    assert shown.endswith("\nnowhere")
    played.press(Qt.Key.Key_PageUp)
    assert "There is no scene" in stage_text(played.presenter)
    played.press(Qt.Key.Key_PageUp)
    assert played.player.at == 0


def test_a_lesson_held_impatiently_shows_each_stop_whole_and_skips_none(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes = ("exp", "mark-dirty", "non-differentiable", "linear")
    stops = tuple(
        LessonStop(scene=name, step="2", headline=f"About {name}", show=("graph",))
        for name in scenes
    )
    path = tmp_path / "a.gradviz-lesson"
    write_lesson(Lesson(title="All", stops=stops), path)
    player, control = driver.window.parts[LessonPlayer], driver.window.parts[LessonController]
    recorded, there = player.runs.path, set[str]()
    monkeypatch.setattr(player.runs, "path", lambda name: recorded(name) if name in there else None)
    before = driver.state.index
    control.open(path)
    driver.qtbot.waitUntil(lambda: all(map(recorded, scenes)))
    presenter = driver.controller.presenter
    graph = driver.window.parts[GraphPanel]
    visible: list[str] = []

    def look() -> None:
        """Note which stop the window shows, as a whole."""
        if control.cover.keeps_picture or driver.state.index is before:
            return
        scene_id = scene_of(driver.state.index)
        assert graph.is_settled, "the graph is still that of another stop"
        assert graph.stage.picture is not None
        titles = " ".join(node.title for node in graph.stage.picture.nodes)
        names = {node.name for node in driver.state.index.trace.nodes}  # type: ignore[union-attr]
        assert any(name.removesuffix("Backward") in titles for name in names)
        assert stage_text(presenter).startswith(f"About {scene_id}")
        assert (player.stop, driver.state.number) == (stops[scenes.index(scene_id)], 2)
        if visible[-1:] != [scene_id]:
            visible.append(scene_id)

    def press(key: Qt.Key, times: int) -> None:
        for _ in range(times):
            driver.qtbot.keyClick(driver.window, key)
            QApplication.processEvents()
            look()

    def bring(name: str) -> None:
        there.add(name)
        player.runs.finished.emit(name)

        def is_shown() -> bool:
            look()
            return visible[-1:] == [name]

        driver.qtbot.waitUntil(is_shown)

    def wait_for(*names: str) -> None:
        def are_shown() -> bool:
            look()
            return visible == list(names) and not player.is_pending

        driver.qtbot.waitUntil(are_shown)

    press(Qt.Key.Key_PageDown, 3)
    assert driver.state.index is before, "the run of the first stop is not there"
    assert player.stop is None
    driver.qtbot.waitUntil(lambda: bool(control.cover.note))
    assert control.cover.note == "Preparing…"
    first, second, third, last = scenes
    glimpse = player.findChild(QTimer)
    usual = glimpse.interval()
    # A kept click would be done at once.
    glimpse.setInterval(0)
    bring(first)
    driver.qtbot.waitUntil(lambda: not player.is_pending)
    look()
    QApplication.processEvents()
    assert (player.at, player.is_pending) == (0, False), "no click counts before the first stop"
    glimpse.setInterval(usual)
    press(Qt.Key.Key_PageDown, 1)
    driver.qtbot.waitUntil(lambda: player.is_pending)
    press(Qt.Key.Key_PageDown, 4)
    bring(second)
    driver.qtbot.waitUntil(lambda: player.is_pending)
    press(Qt.Key.Key_PageUp, 1)
    bring(third)
    wait_for(first, second, third, second)
    there.add(last)
    player.go_to(3)
    press(Qt.Key.Key_PageUp, 5)
    wait_for(first, second, third, second, last, third)
    assert control.cover.isHidden()


def test_a_stop_of_the_same_run_keeps_the_last_picture_until_its_own_is_drawn(
    driver: WindowDriver, tmp_path: Path
) -> None:
    stops = tuple(
        LessonStop(scene="exp", step=step, question=f"{word}?", answer=f"{word}.", show=("code",))
        for step, word in (("1", "First"), ("1", "Second"), ("3", "Third"))
    )
    path = tmp_path / "a.gradviz-lesson"
    write_lesson(Lesson(title="All", stops=stops), path)
    played = LessonDriver(driver)
    driver.window.parts[RunController].open_path(path)
    played.wait()
    stage, shown = played.presenter.stage, list[str]()
    stage.view.frame_changed.connect(
        lambda: shown.append(stage_text(played.presenter).split("\n")[stage.at > 0])
    )
    for at in (1, 2):
        while driver.state.clicks.has_next:
            played.press(Qt.Key.Key_PageDown)
        before = len(shown)
        for _ in range(3):
            driver.qtbot.keyClick(driver.window, Qt.Key.Key_PageDown)
        assert shown[before:] == [], "the next stop is still being drawn"
        driver.qtbot.waitUntil(lambda: stage.at == 1)
        played.wait()
        assert played.player.at == at, "an impatient click skips no stop"
    assert shown == ["First.", "First.", "Second?", "Second.", "Second.", "Third?", "Third."]


def test_what_is_shown_until_the_next_stop_is_there_does_not_stop_on_its_way(
    lesson: LessonDriver,
) -> None:
    lesson.state.preferences.motion = "on"
    view = lesson.presenter.stage.view
    view.show_frame(view.frame, moves=True)
    assert view.is_moving
    lesson.player.go_to(1)
    assert lesson.player.is_pending
    assert not view.is_moving


def test_in_quiz_mode_a_lesson_that_starts_again_hides_its_answers(lesson: LessonDriver) -> None:
    player, state = lesson.player, lesson.state
    state.set_quiz_mode()
    state.last_step()
    state.set_answer_hidden(False)
    state.go_to(3)
    assert not state.revealed.hides_answer, "a rehearsal has revealed it"
    played, path = player.lesson, player.path
    assert played is not None
    assert path is not None
    player.play(played, path)
    lesson.wait()
    state.go_to(3)
    assert state.revealed.hides_answer
    state.set_quiz_mode(False)


def test_the_overview_and_the_speaker_follow(lesson: LessonDriver, qtbot: QtBot) -> None:
    panel = lesson.window.parts[LessonPanel]
    assert panel.list.rows.rowCount() == 6
    panel.list.chosen.emit(1, 0)
    lesson.wait()
    assert lesson.place == (1, "exp", 3)
    assert panel.list.current_key == 1
    lesson.bar.overview.click()
    assert lesson.window.focusWidget() is panel.list
    lesson.window.commands.speaker_view.trigger()
    (speaker,) = [
        each for each in QApplication.topLevelWidgets() if isinstance(each, SpeakerWindow)
    ]
    assert speaker.isVisible()
    assert speaker.headline.text() == "2 / 6  Exp"
    assert speaker.notes.toPlainText() == "2\n\nWait."
    assert speaker.following.text() == "Next: Gone"
    assert speaker.elapsed.text().startswith("0:")
    assert lesson.state.theme.scale > 1.2, "large text for the audience"
    assert speaker.notes.font().pixelSize() == speaker.headline.font().pixelSize() - 2 == 18
    stage = lesson.presenter.stage
    lesson.player.go_to(0)
    lesson.wait()
    assert len(stage.frames) > 2
    for at in (0, 1, 0):
        assert stage.at == at
        assert [view.frame for _, view in speaker.pictures] == list(stage.frames[at : at + 2])
        assert [view.isVisible() for _, view in speaker.pictures] == [True, True]
        lesson.press(Qt.Key.Key_PageUp if at else Qt.Key.Key_PageDown)
    while lesson.state.clicks.has_next:
        lesson.press(Qt.Key.Key_PageDown)
    assert [view.frame for _, view in speaker.pictures] == [stage.frames[-1], None]
    speaker.activateWindow()
    qtbot.waitUntil(speaker.isActiveWindow)
    for key in (Qt.Key.Key_B, Qt.Key.Key_PageUp):
        qtbot.keyClick(speaker, key)
        assert lesson.presenter.black.isVisible() == (key == Qt.Key.Key_B)
    speaker.notes.setPlainText("Wait.\n" * 99)
    qtbot.keyClick(speaker, Qt.Key.Key_Down)
    assert speaker.notes.verticalScrollBar().value() == 1
    qtbot.keyClick(speaker, Qt.Key.Key_Up)
    assert speaker.notes.verticalScrollBar().value() == 0
    lesson.player.leave()
    assert not speaker.isVisible()
    assert panel.list.rows.rowCount() == len(LESSONS)


def test_a_shipped_lesson_is_played_in_the_language_of_the_window(lesson: LessonDriver) -> None:
    english = shipped_path("first-function")
    load_language("de")
    try:
        lesson.window.parts[LessonController].open(english)
        lesson.wait()
        assert lesson.player.path == shipped_path("first-function") != english
        assert lesson.bar.headline.text() == "Eine Function hat ein forward und ein backward"
    finally:
        load_language("en")


@pytest.mark.quick
def test_a_mistake_in_a_file_is_a_sentence(driver: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "a.gradviz-lesson"
    path.write_text('title = "A"\nstops = 1\n')
    driver.window.parts[LessonController].open(path)
    assert "line 2: stops is not a key" in driver.window.messages.text
    path.write_text('title = "A"\n')
    driver.window.parts[LessonController].open(path)
    assert "has no stops" in driver.window.messages.text


def test_a_lecture_starts_in_two_clicks(driver: WindowDriver) -> None:
    driver.start()
    window, left = driver.window, Qt.MouseButton.LeftButton
    driver.qtbot.mouseClick(window.sides.rail.button("lesson"), left)
    rows = window.parts[LessonPanel].list
    driver.qtbot.waitUntil(rows.isVisible)
    place = rows.visualRect(rows.rows.index(0, 0)).center()
    driver.qtbot.mouseClick(rows.viewport(), left, pos=place)
    player = window.parts[LessonPlayer]
    assert player.lesson == shipped_lesson(LESSONS[0])
    presenter = driver.controller.presenter
    assert presenter.presenting
    presenter.leave()
    assert window.sides.overlay.shown is None, "the list does not cover the graph afterward"
    player.leave()
    driver.wait()


def test_lessons_can_be_chosen_at_the_start(driver: WindowDriver) -> None:
    driver.window.start([], ViewTarget(panel="lesson"))
    assert driver.window.sides.overlay.shown is driver.window.docks["lesson"]
    driver.wait()
    assert scene_of(driver.state.index) == FIRST_SCENE
    assert driver.window.docks["lesson"].isVisible()


def test_a_lesson_is_written_by_adding_views(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.gradviz-lesson"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    run = write_trace(tmp_path / "run.gradviz", linear_trace())
    driver.window.parts[RunController].open_path(run)
    driver.wait()
    written, editor = LessonDriver(driver), driver.window.parts[LessonEditor]
    driver.state.go_to(4)
    driver.state.select(1)
    driver.window.commands.add_stop.trigger()
    written.wait()
    driver.state.go_to(5)
    driver.state.set_answer_hidden()
    driver.window.commands.add_stop.trigger()
    assert driver.state.revealed.hides_answer, "the stop has become a question"
    first, second = read_lesson(path).stops
    assert (first.trace, first.step, first.select) == (str(run), "4", "LinearFunctionBackward")
    assert (second.step, written.player.at) == ("5", 1)
    assert second.question.startswith("What does LinearFunction.backward return for grad_output")
    assert second.answer.startswith("LinearFunction.backward receives grad_output")
    driver.window.show_part("lesson")
    editor.move(1, -1)
    assert read_lesson(path).stops == (second, first)
    assert written.player.at == 0
    # The list of stops stays in front for the next change.
    assert driver.window.docks["lesson"].isVisible()
    panel = driver.window.parts[LessonPanel]
    buttons = {each.text(): each for each in panel.findChildren(QToolButton)}
    panel.list.go_to(1)
    buttons["Up"].click()
    assert read_lesson(path).stops == (first, second), "the selected one, not the one shown"
    assert (panel.list.current_key, written.player.at) == (0, 1)
    buttons["Down"].click()
    assert (panel.list.current_key, written.player.at) == (1, 0)
    dialog = StopDialog(second)
    driver.qtbot.addWidget(dialog)
    dialog.headline.setText("Now")
    dialog.minutes.setValue(2)
    editor.replace_stop(0, dialog.stop())
    editor.remove(1)
    editor.remove(0)
    (only,) = read_lesson(path).stops
    assert only == replace(second, headline="Now", minutes=2.0), "the last one stays"
    assert written.bar.headline.text() == "Now"


def test_a_run_with_other_inputs_is_embedded(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.gradviz-lesson"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    offer = offer_of(scene("exp"))
    other = structs.replace(offer, inputs=(structs.replace(offer.inputs[0], values=(3.0,)),))
    driver.window.parts[RunController].run_offer(other)
    driver.wait()
    driver.window.commands.add_stop.trigger()
    LessonDriver(driver).wait()
    lesson = read_lesson(path)
    assert [each.trace for each in lesson.stops] == [name for name, _ in lesson.traces] == ["run 1"]
    assert driver.state.index is not None
    assert driver.session.offer is None, "it is the embedded run that is shown"
    assert "x = 3" in describe_position(driver.state.index, TracePosition(step=1))
