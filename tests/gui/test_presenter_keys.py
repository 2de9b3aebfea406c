"""Every key of Presenter Mode, in one window: what it shows, and that Esc always leads out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.presenter.presenter import Presenter
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.tab_order import tab_stops
from tests.gui.conftest import WindowDriver
from tests.gui.stage_texts import stage_text
from tests.training_traces import training_trace
from tests.viewer.pixels import pixels_of
from tests.viewer.traces import MemoryReader, linear_reader


@pytest.fixture
def presenter(driver: WindowDriver) -> Iterator[Presenter]:
    driver.state.show(linear_reader())
    driver.wait()
    with driver.qtbot.waitActive(driver.window):
        driver.window.activateWindow()
    presenter = driver.controller.presenter
    presenter.enter(full_screen=False)
    driver.wait()
    yield presenter
    presenter.leave()
    driver.state.show(None)


def press(driver: WindowDriver, *keys: str) -> None:
    for key in keys:
        QTest.keySequence(QApplication.focusWidget() or driver.window, key)
        QApplication.processEvents()


def test_answers_are_hidden_again_after_a_rehearsal(
    driver: WindowDriver, presenter: Presenter
) -> None:
    state = driver.state
    press(driver, "H")
    state.go_to(5)
    assert state.revealed.hides_answer
    press(driver, "End", "Home")
    state.go_to(5)
    assert not state.revealed.hides_answer
    press(driver, "H")
    assert (state.number, state.revealed.hides_answer) == (5, True)
    press(driver, "PgDown")
    assert (state.number, state.revealed.hides_answer) == (5, False)
    press(driver, "H")
    assert state.revealed.hides_answer
    press(driver, "Shift+H")
    assert not state.quiz_mode
    assert not state.revealed.hides_answer
    assert not driver.window.commands.quiz_mode.isChecked()


def test_hiding_answers_always_shows_something(driver: WindowDriver, presenter: Presenter) -> None:
    view = presenter.stage.view
    driver.state.go_to(4)
    wait_for_pictures(driver)
    plain = pixels_of(view)
    press(driver, "H")
    assert view.notice == "later answers are hidden"
    assert (pixels_of(view) != plain).any()
    driver.state.go_to(5)
    wait_for_pictures(driver)
    assert driver.state.revealed.hides_answer
    assert view.notice == ""
    press(driver, "H")
    assert view.notice == "hidden until the next click"
    press(driver, "PgDown")
    wait_for_pictures(driver)
    assert view.notice == ""


def test_what_the_window_says_is_on_the_stage_until_the_next_picture(
    driver: WindowDriver, presenter: Presenter
) -> None:
    view = presenter.stage.view
    wait_for_pictures(driver)
    driver.window.messages.say("The copy cannot be written.", "error")
    assert view.notice == "The copy cannot be written."
    press(driver, "PgDown")
    assert view.notice == ""


def test_a_click_on_a_page_without_a_check_starts_one(
    driver: WindowDriver, presenter: Presenter
) -> None:
    driver.window.parts[RunController].run_offer(offer_of(scene("exp")))
    driver.wait()
    driver.window.top.show_tab("jacobians")
    wait_for_pictures(driver)
    number = driver.state.number
    assert presenter.stage.view.isVisible()
    assert "Does backward return the true gradient?" in stage_text(presenter)
    press(driver, "PgDown")
    driver.qtbot.waitUntil(lambda: "The check is running" in stage_text(presenter))
    driver.qtbot.waitUntil(lambda: len(presenter.stage.frames) > 1)
    assert driver.state.number == number
    assert driver.state.index is not None
    assert len(driver.state.index.trace.reports) == 1
    assert "gradcheck" in stage_text(presenter)
    driver.window.top.show_tab("graph")


def test_the_losses_of_a_training_are_drawn_up_to_the_step(
    driver: WindowDriver, presenter: Presenter
) -> None:
    driver.state.show(MemoryReader(*training_trace([3.0, 2.0, 1.0], [[1.0, 2.0]] * 3)))
    lengths = []
    for go in (driver.state.first_step, driver.state.last_step):
        go()
        wait_for_pictures(driver)
        assert presenter.stage.frames
        curves = [
            part
            for drawn in presenter.stage.frames[-1].drawn
            if drawn.key in ("losses:loss", "losses:loss:now")
            for part in drawn.parts
        ]
        lengths.append(len(curves))
    assert lengths[-1] == 2, "a line and the current point"
    assert lengths[0] < 2, "later losses are not known yet"


def wait_for_pictures(driver: WindowDriver) -> None:
    driver.wait()
    driver.qtbot.waitUntil(lambda: driver.state.presentation.is_ready)
    QApplication.processEvents()


def test_pen_and_spotlight_vanish_with_the_step(driver: WindowDriver, presenter: Presenter) -> None:
    window, tools, state = driver.window, presenter.tools, driver.state
    handle = window.windowHandle()
    assert handle is not None
    press(driver, "P")
    start, end = QPoint(300, 300), QPoint(380, 340)
    QTest.mousePress(tools.pen, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(tools.pen, end)
    tools.pen.repaint()
    QTest.mouseRelease(tools.pen, Qt.MouseButton.LeftButton, pos=end)
    color = state.theme.color("status_now")
    assert tuple(pixels_of(window)[320, 340][:3]) == color.getRgb()[:3]
    press(driver, "PgDown")
    assert (state.number, presenter.stage.at) == (1, 1)
    assert not tools.pen.isVisible()
    before = pixels_of(window)
    press(driver, "P", "L")
    assert not tools.pen.isVisible()
    assert tools.spotlight.isVisible()
    QTest.mouseMove(handle, QPoint(400, 300))
    assert tools.spotlight.center.toTuple() == (400, 300)
    seen = pixels_of(window)
    assert (seen[300, 400] == before[300, 400]).all()
    assert seen[20, 1200].sum() < before[20, 1200].sum() / 2
    radius = tools.spotlight.radius
    QTest.keyClick(handle, Qt.Key.Key_Plus)
    assert tools.spotlight.radius > radius
    QTest.keyClick(handle, Qt.Key.Key_Minus)
    assert tools.spotlight.radius == pytest.approx(radius)
    press(driver, "Esc")
    assert not tools.spotlight.isVisible()
    assert presenter.presenting
    press(driver, "Esc")
    assert not presenter.presenting
    assert not window.commands.pen.isEnabled()


MODAL = {"open", "open_elsewhere", "save", "settings", "add_stop", "show_keys"}
OTHERS = {"quit", "close", "new_window", "present", "full_screen", "edit_source"}
"""Commands that show a dialog, and those that leave the stage."""


@pytest.mark.quick
def test_no_key_goes_to_something_that_is_not_seen(
    driver: WindowDriver, presenter: Presenter
) -> None:
    window, commands = driver.window, driver.window.commands
    left_out = {getattr(commands, name) for name in MODAL | OTHERS}
    kept = [action for action in window.actions() if action not in left_out]
    keys = [key for action in kept for key in action.shortcuts()[:1]]
    assert len(keys) > 15
    area = window.parts[PresenterArea]
    for tab in ("graph", "jacobians"):
        window.top.show_tab(tab)
        for key in keys:
            press(driver, key.toString())
            focus = QApplication.focusWidget()
            assert focus is None or focus.isVisible(), key
            assert not [dock for dock in window.docks.all() if dock.isVisible()], key
            # What the key has opened closes first.
            if focus is not area:
                press(driver, "Esc")
            assert presenter.presenting, key
            area.setFocus()
    window.top.show_tab("graph")
    driver.wait()
    # Qt keeps the tab bars of the hidden docks.
    stops = tab_stops(window)
    assert window.parts[TimelinePanel].bar not in stops
    assert not any(isinstance(each, QTabBar) for each in stops)
    press(driver, "Esc")
    assert not presenter.presenting


@pytest.mark.quick
def test_the_guide_is_beside_the_picture(driver: WindowDriver, presenter: Presenter) -> None:
    window, guide = driver.window, presenter.tools.guide
    view = presenter.stage.view
    press(driver, "F1")
    driver.wait()
    assert guide.panel is not None
    assert guide.panel.name == "linear"
    browser = guide.panel.browser
    assert browser.hasFocus()
    assert browser.document().defaultFont().pixelSize() >= 18
    assert browser.horizontalScrollBar().maximum() == 0
    areas = [QRect(each.mapTo(window, QPoint(0, 0)), each.size()) for each in (view, browser)]
    assert all(area.width() > 400 and area.height() > 200 for area in areas)
    assert not areas[0].intersects(areas[1])
    # The picture is made again for the place that the guide leaves it.
    driver.qtbot.waitUntil(lambda: driver.state.presentation.is_ready)
    press(driver, "PgDown", "Right")
    driver.qtbot.waitUntil(lambda: presenter.stage.at + driver.state.number > 2)
    press(driver, "Down")
    assert browser.verticalScrollBar().value() > 0 or browser.verticalScrollBar().maximum() == 0
    press(driver, "B")
    assert presenter.black.isVisible()
    press(driver, "Esc")
    assert guide.panel is not None
    press(driver, "Esc")
    assert guide.panel is None
    press(driver, "F1", "Esc", "Esc")
    assert not presenter.presenting
    driver.window.commands.show_guide.trigger()
    assert driver.window.docks["guide"].isAncestorOf(browser)
    assert browser.isVisible()
    driver.window.docks["guide"].hide()
