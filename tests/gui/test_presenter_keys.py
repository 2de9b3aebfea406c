"""Every key of Presenter Mode, in one window: what it shows, and that Esc always leads out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.presenter.presenter import Presenter
from tests.gui.conftest import WindowDriver
from tests.viewer.pixels import pixels_of
from tests.viewer.traces import linear_reader


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
    state.go_to(4)
    press(driver, "H", "PgDown")
    assert (state.number, state.revealed.hides_answer) == (5, True)
    press(driver, "End", "Home")
    state.go_to(5)
    assert not state.revealed.hides_answer
    press(driver, "H")
    assert (state.number, state.revealed.hides_answer) == (5, True)
    press(driver, "PgDown", "PgDown", "PgUp", "PgUp")
    assert (state.number, state.revealed.hides_answer) == (4, False)
    press(driver, "H")
    assert state.revealed.hides_answer
    press(driver, "PgDown", "PgDown")
    assert (state.number, state.revealed.hides_answer) == (5, True)
    press(driver, "Shift+H")
    assert not state.quiz_mode
    assert not state.revealed.hides_answer
    assert not driver.window.commands.quiz_mode.isChecked()


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
    assert state.number == 2
    assert not tools.pen.isVisible()
    driver.window.parts[GraphPanel].motion.clock.finish()
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
