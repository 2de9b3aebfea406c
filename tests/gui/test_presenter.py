"""Presenter mode in the whole window: what it shows, clicker keys, and restoring."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QHeaderView

from gradviz.gallery.registry import offer_of, scene
from gradviz.store.errors import TraceError
from gradviz.story.frame import Frame
from gradviz.story.frames import story_frames
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.presenter.presenter import Presenter
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.theme.theme import DARK
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.status_bar import WindowStatusBar
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window.window_layout import LAYOUT_VERSION
from tests.gui.conftest import WindowDriver
from tests.gui.stage_texts import stage_text
from tests.viewer.pixels import pixels_of
from tests.viewer.traces import linear_reader

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def started(driver: WindowDriver) -> WindowDriver:
    driver.state.show(linear_reader())
    driver.state.go_to(5)
    settle(driver)
    return driver


@pytest.fixture
def presenter(started: WindowDriver) -> Iterator[Presenter]:
    made = started.controller.presenter
    made.enter(full_screen=False)
    settle(started)
    yield made
    made.leave()


def settle(driver: WindowDriver) -> None:
    """Wait until delayed work is done: fitted fonts, animations, layout."""
    driver.wait()
    driver.qtbot.wait(160)
    driver.qtbot.waitUntil(lambda: driver.state.presentation.is_ready)
    driver.window.parts[GraphPanel].motion.clock.finish()
    QApplication.processEvents()


def stands(driver: WindowDriver) -> list[tuple[object, ...]]:
    return [
        (dock.objectName(), dock.isVisible(), dock.isFloating(), dock.geometry().getRect())
        for dock in driver.window.docks.all()
    ]


@pytest.mark.parametrize("full_screen", [False, True])
def test_leaving_brings_every_pixel_back(started: WindowDriver, full_screen: bool) -> None:
    driver, window = started, started.window
    driver.pin("library")
    window.docks["console"].hide()
    QApplication.processEvents()
    # All of the source fits, so that its pane does not scroll when its height changes.
    driver.drag_separator("inspector", QPoint(0, 140))
    window.parts[GraphPanel].view.setFocus()
    reason = Qt.FocusReason.TabFocusReason if full_screen else Qt.FocusReason.OtherFocusReason
    window.parts[TimelinePanel].bar.setFocus(reason)
    # Else the status bar would say meanwhile that PyTorch has been imported.
    driver.qtbot.waitUntil(lambda: driver.session.ready is not None)
    settle(driver)
    before, where = pixels_of(window), window.geometry()
    docks, place = stands(driver), window.parts[GraphPanel].view.viewportTransform()
    presenter = driver.controller.presenter
    presenter.enter(full_screen=full_screen)
    settle(driver)
    assert window.isFullScreen() is full_screen
    assert not np.array_equal(pixels_of(window)[:60, :60], before[:60, :60])
    presenter.leave()
    settle(driver)
    assert not window.isFullScreen()
    assert window.geometry() == where
    assert stands(driver) == docks
    assert window.parts[GraphPanel].view.viewportTransform() == place
    assert QApplication.focusWidget() is driver.window.parts[TimelinePanel].bar
    assert driver.state.theme.scale == 1.0
    # A message of the status bar may take a moment to go.
    driver.qtbot.waitUntil(lambda: np.array_equal(pixels_of(window), before))


def test_leaving_brings_the_heads_of_lists_back(started: WindowDriver) -> None:
    started.window.parts[RunController].run_offer(offer_of(scene("functional-linear")))
    started.wait()
    started.pin("outline")
    for name in ("doctor", "outline", "ops"):
        dock = started.window.docks[name]
        dock.raise_()
        settle(started)
        head = next(each for each in dock.findChildren(QHeaderView) if each.isVisible())
        before = pixels_of(head)
        started.controller.presenter.enter()
        settle(started)
        started.controller.presenter.leave()
        settle(started)
        assert np.array_equal(pixels_of(head), before), name


def sentence_graph_values_and_code_are_shown(started: WindowDriver, presenter: Presenter) -> None:
    window = started.window
    for chrome in (
        window.menuBar(),
        window.parts[WindowStatusBar],
        window.top,
        *window.docks.all(),
    ):
        assert not chrome.isVisible()
    assert not window.parts[GraphPanel].strip.isVisible()
    assert not window.parts[TimelinePanel].isVisible()
    assert not window.commands.present_on.isVisible(), "there is only one screen"
    assert len(presenter.screens.entries) == 1
    assert presenter.stage.view.isVisible()
    assert not window.parts[GraphPanel].isVisible()
    assert stage_text(presenter).startswith(
        "Step 5 of 8 · backward\nLinearFunction.backward receives"
    )
    shown = []
    while True:
        shown.append(stage_text(presenter))
        if not started.state.clicks.forward():
            break
    assert "SumBackward0" in shown[0]
    assert "grad_weight" in shown[1]
    assert "backward" in shown[-1]
    assert "ctx.saved_tensors" in shown[-1]


def a_picture_fills_a_window_of_another_shape(started: WindowDriver, presenter: Presenter) -> None:
    for size in ((1920, 1080), (1280, 800)):
        started.window.resize(*size)
        settle(started)
        started.qtbot.wait(200)
        settle(started)
        view, frame = presenter.stage.view, presenter.stage.view.frame
        assert frame is not None
        assert frame.width / frame.height == pytest.approx(view.width() / view.height())


def press(driver: WindowDriver, key: Qt.Key) -> None:
    driver.qtbot.keyClick(QApplication.focusWidget() or driver.window, key)


@pytest.mark.quick
def test_a_clicker_steps_blackens_and_leaves(started: WindowDriver) -> None:
    driver = started
    with driver.qtbot.waitActive(driver.window):
        driver.window.activateWindow()
    driver.window.parts[TimelinePanel].bar.setFocus()
    driver.state.go_to(3)
    press(driver, Qt.Key.Key_F5)
    presenter = driver.controller.presenter
    assert presenter.presenting
    settle(driver)
    for key, number in (
        (Qt.Key.Key_End, 8),
        (Qt.Key.Key_Home, 1),
    ):
        press(driver, key)
        settle(driver)
        assert driver.state.number == number, key
    clicks = [0]
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_Right, Qt.Key.Key_Space, Qt.Key.Key_F10):
        press(driver, key)
        settle(driver)
        clicks.append(presenter.stage.at + 10 * driver.state.number)
    assert clicks == [0, 11, 12, 20, 21], "each click of a step, then the next step"
    for key in (Qt.Key.Key_Left, Qt.Key.Key_PageUp):
        press(driver, key)
        settle(driver)
    assert (driver.state.number, presenter.stage.at) == (1, 0)
    for key in (Qt.Key.Key_B, Qt.Key.Key_Period):
        press(driver, key)
        assert presenter.black.isVisible()
        press(driver, Qt.Key.Key_PageDown)
        assert not presenter.black.isVisible()
        assert (driver.state.number, presenter.stage.at) == (1, 0)
    press(driver, Qt.Key.Key_Escape)
    assert not presenter.presenting
    press(driver, Qt.Key.Key_Right)
    assert driver.state.number == 2
    press(driver, Qt.Key.Key_B)
    assert not presenter.black.isVisible()


def gradients_are_hidden_until_a_click(started: WindowDriver, presenter: Presenter) -> None:
    driver = started
    with driver.qtbot.waitActive(driver.window):
        driver.window.activateWindow()
    driver.state.go_to(4)
    settle(driver)
    press(driver, Qt.Key.Key_H)
    assert driver.window.commands.quiz_mode.isChecked()
    driver.state.go_to(5)
    settle(driver)
    assert driver.state.revealed.hides_answer
    assert "What does LinearFunction.backward return" in stage_text(presenter).replace("\n", " ")
    assert presenter.stage.count == 1
    press(driver, Qt.Key.Key_PageDown)
    settle(driver)
    assert (driver.state.number, driver.state.revealed.hides_answer) == (5, False)
    assert presenter.stage.count > 1
    assert "returns gradients" in stage_text(presenter).replace("\n", " ")
    presenter.leave()
    assert not driver.state.quiz_mode
    # What the speaker chose is still so the next time.
    presenter.enter(full_screen=False)
    assert driver.state.quiz_mode
    driver.window.commands.quiz_mode.trigger()
    assert not driver.state.quiz_mode


def typing_in_a_field_is_never_taken_away(started: WindowDriver, presenter: Presenter) -> None:
    driver = started
    with driver.qtbot.waitActive(driver.window):
        driver.window.activateWindow()
    driver.window.commands.find.trigger()
    field = QApplication.focusWidget()
    assert field is not None
    driver.qtbot.keyClicks(field, "b.h x")
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
        driver.qtbot.keyClick(field, key)
    assert field.text() == "b.h x"  # type: ignore[attr-defined]
    assert driver.state.number == 5
    assert presenter.presenting
    assert not presenter.black.isVisible()
    driver.qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert presenter.presenting
    driver.window.parts[FindController].field.clear()


def test_the_layout_that_is_remembered_is_the_ordinary_one(started: WindowDriver) -> None:
    driver, window = started, started.window
    window.docks["console"].hide()
    settle(driver)
    layout, geometry = window.saveState(LAYOUT_VERSION), window.saveGeometry()
    driver.controller.presenter.enter()
    settle(driver)
    window.close()
    assert QSettings().value("window/layout") == layout
    assert QSettings().value("window/geometry") == geometry
    assert QApplication.overrideCursor() is None


def another_theme_is_large_too_and_stays(started: WindowDriver, presenter: Presenter) -> None:
    driver = started
    scale = driver.state.theme.scale
    actions = {action.data(): action for action in driver.window.commands.themes.actions()}
    actions["dark"].trigger()
    assert (driver.state.theme.name, driver.state.theme.scale) == ("dark", scale)
    presenter.leave()
    assert driver.state.theme == DARK
    actions["light"].trigger()


def a_page_without_a_story_gets_the_whole_width(
    started: WindowDriver, presenter: Presenter
) -> None:
    driver = started
    driver.window.top.show_tab(TABS[1])
    settle(driver)
    panel = driver.window.parts[CheckController].panel()
    assert panel.isVisible(), "nothing was checked"
    assert not presenter.stage.view.isVisible()
    assert not driver.window.docks["inspector"].isVisible()
    assert panel.width() == driver.window.parts[PresenterArea].width()
    driver.window.top.show_tab(TABS[0])
    assert presenter.stage.view.isVisible()
    assert not panel.isVisible()


def hidden_commands_still_hear_their_keys(started: WindowDriver, presenter: Presenter) -> None:
    driver = started
    with driver.qtbot.waitActive(driver.window):
        driver.window.activateWindow()
    with driver.qtbot.waitSignal(driver.window.commands.full_size.triggered):
        driver.qtbot.keyClick(
            driver.window.parts[GraphPanel].view, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier
        )
    presenter.leave()
    assert not [each for each in driver.window.actions() if isinstance(each, QAction)]


@pytest.mark.quick
def test_new_runs_are_shown_in_presenter_mode_too(
    started: WindowDriver, presenter: Presenter
) -> None:
    driver = started
    driver.window.start([])
    driver.wait()
    settle(driver)
    assert stage_text(presenter).startswith(f"Step {driver.state.number} of 8")


def test_what_is_shown_and_done_on_the_stage(started: WindowDriver) -> None:
    """All in one window, because opening it takes longer than most of this."""
    keys = [key.toString() for key in started.window.commands.full_screen.shortcuts()]
    assert keys
    assert "F11" not in keys, "it is a key for stepping"
    presenter = started.controller.presenter
    for part in (
        sentence_graph_values_and_code_are_shown,
        a_picture_fills_a_window_of_another_shape,
        typing_in_a_field_is_never_taken_away,
        a_page_without_a_story_gets_the_whole_width,
        gradients_are_hidden_until_a_click,
        another_theme_is_large_too_and_stays,
        hidden_commands_still_hear_their_keys,
    ):
        started.state.go_to(5)
        presenter.enter(full_screen=False)
        settle(started)
        part(started, presenter)
        presenter.leave()


def test_an_empty_stage_says_that_its_picture_is_on_its_way(
    started: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it shows no earlier place meanwhile."""
    may_draw = threading.Event()

    def wait(*given: Any, **named: Any) -> tuple[Frame, ...]:
        may_draw.wait(10)
        return story_frames(*given, **named)

    presenter, view = started.controller.presenter, started.controller.presenter.stage.view
    presenter.enter(full_screen=False)
    settle(started)
    presenter.leave()
    started.state.go_to(2)
    monkeypatch.setattr("gradviz.viewer.stage.stage.story_frames", wait)
    presenter.enter(full_screen=False)
    assert (stage_text(presenter), view.notice) == ("", "")
    started.qtbot.waitUntil(lambda: view.notice == "Please wait")
    assert len(np.unique(pixels_of(view))) > 1
    may_draw.set()
    settle(started)
    assert (stage_text(presenter)[:6], view.notice) == ("Step 2", "")
    presenter.leave()


def test_what_cannot_be_read_is_said_on_the_stage(
    started: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise TraceError("It ends too early.")

    monkeypatch.setattr("gradviz.viewer.stage.stage.story_frames", refuse)
    presenter = started.controller.presenter
    presenter.enter(full_screen=False)
    settle(started)
    assert "It ends too early." in stage_text(presenter).replace("\n", " ")
    presenter.leave()
