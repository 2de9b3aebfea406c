"""Presenter mode in the whole window: what it shows, clicker keys, and restoring."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from gradviz.viewer.presenter.presenter_tensor import PresenterTensor
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QHeaderView, QLabel, QWidget

from gradviz.analysis.index.step_queries import node_at_step
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.presenter.presenter import Presenter
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.theme.theme import DARK
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.widgets.fitted_text import FittedText
from gradviz.viewer.window.status_bar import WindowStatusBar
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window.window_layout import LAYOUT_VERSION
from tests.gui.conftest import WindowDriver
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
    driver.qtbot.wait(120)
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
    docks, place = stands(driver), window.parts[GraphPanel].view.place
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
    assert window.parts[GraphPanel].view.place == place
    assert QApplication.focusWidget() is driver.window.parts[TimelinePanel].bar
    assert driver.state.theme.scale == 1.0
    # A message of the status bar may take a moment to go.
    driver.qtbot.waitUntil(lambda: np.array_equal(pixels_of(window), before))


@pytest.mark.parametrize("name", ["doctor", "outline", "ops"])
def test_leaving_brings_the_heads_of_lists_back(started: WindowDriver, name: str) -> None:
    started.window.parts[RunController].run_offer(offer_of(scene("functional-linear")))
    started.wait()
    dock = started.window.docks[name]
    if name == "outline":
        started.pin(name)
    dock.raise_()
    settle(started)
    head = next(each for each in dock.findChildren(QHeaderView) if each.isVisible())
    before = pixels_of(head)
    started.controller.presenter.enter()
    settle(started)
    started.controller.presenter.leave()
    settle(started)
    assert np.array_equal(pixels_of(head), before)


def graph_sentence_and_values_are_shown(started: WindowDriver, presenter: Presenter) -> None:
    window = started.window
    for chrome in (
        window.menuBar(),
        window.parts[WindowStatusBar],
        window.top,
        *window.docks.all(),
    ):
        assert not chrome.isVisible()
    assert not window.parts[GraphPanel].strip.isVisible()
    assert not window.parts[TimelinePanel].controls.isVisible()
    assert not window.commands.present_on.isVisible(), "there is only one screen"
    assert len(presenter.screens.entries) == 1
    assert presenter.parts is not None
    head, values, code = presenter.parts.head, presenter.parts.values, presenter.parts.code
    for shown in (
        head,
        values,
        code,
        window.parts[GraphPanel].view,
        window.parts[TimelinePanel].bar,
    ):
        assert shown.isVisible()
    assert head.title.text == "backward · step 5 of 8"
    assert code.lines[0].startswith("def backward(")
    names = [each.name for each in values.tensors if each.visibleRegion().boundingRect().height()]
    assert names[:4] == ["grad_output", "grad_input", "grad_weight", "grad_bias"]


def type_heights(window: QWidget) -> dict[str, float]:
    """The font height in pixels of each visible widget with text."""
    found: dict[str, float] = {}
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if isinstance(widget, FittedText) and widget.text:
            found[f"text {widget.text[:30]}"] = widget.pixels
        elif isinstance(widget, QLabel | QAbstractButton) and widget.text():
            found[f"{type(widget).__name__} {widget.text()[:30]}"] = widget.font().pixelSize()
    return found


def test_at_the_end_of_a_pass_presenter_mode_shows_its_path(started: WindowDriver) -> None:
    window, state = started.window, started.state
    window.parts[RunController].run_offer(offer_of(scene("cube")))
    started.wait()
    started.controller.presenter.enter()
    settle(started)
    state.last_step()
    settle(started)
    last = window.parts[GraphPanel].stage.box_of(node_at_step(state.index, state.count - 1))
    assert window.parts[GraphPanel].stage.current_box() is None
    assert last is not None
    assert (
        window.parts[GraphPanel]
        .view.viewport()
        .rect()
        .contains(window.parts[GraphPanel].view.card_rect(last).toRect())
    )
    started.controller.presenter.leave()


def everything_can_be_read_from_the_last_row(started: WindowDriver, presenter: Presenter) -> None:
    assert started.window.size().toTuple() == (1280, 800)
    for number in (1, 3, 5, 6, 8):
        started.state.go_to(number)
        settle(started)
        assert_readable_from_the_last_row(started)


def assert_readable_from_the_last_row(driver: WindowDriver) -> None:
    heights = type_heights(driver.window)
    assert len(heights) >= 4
    assert {text: height for text, height in heights.items() if height < 18} == {}
    # In the graph, numbers in tiny cells and marks are a little lower than its texts.
    scale = driver.window.parts[GraphPanel].view.scale_factor
    texts = [FONTS[style].size * scale for style in ("title", "line", "label")]
    assert min(texts) >= 20
    assert min(font.size * scale for font in FONTS.values()) >= 17
    box = driver.window.parts[GraphPanel].stage.current_box()
    if box is not None:
        sight = driver.window.parts[GraphPanel].view.viewport().rect()
        assert sight.contains(driver.window.parts[GraphPanel].view.card_rect(box).toRect())


def a_larger_picture_has_larger_type(started: WindowDriver, presenter: Presenter) -> None:
    driver = started
    before = driver.state.theme.scale
    driver.window.resize(1920, 1080)
    settle(driver)
    assert driver.state.theme.scale == pytest.approx(before * 1080 / 800, abs=0.1)
    driver.window.resize(1280, 800)
    settle(driver)
    assert driver.state.theme.scale == before


def press(driver: WindowDriver, key: Qt.Key) -> None:
    driver.qtbot.keyClick(QApplication.focusWidget() or driver.window, key)


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
        (Qt.Key.Key_PageDown, 4),
        (Qt.Key.Key_Right, 5),
        (Qt.Key.Key_Space, 6),
        (Qt.Key.Key_Left, 5),
        (Qt.Key.Key_PageUp, 4),
        (Qt.Key.Key_End, 8),
        (Qt.Key.Key_Home, 1),
        (Qt.Key.Key_F10, 2),
    ):
        press(driver, key)
        assert driver.state.number == number, key
    for key in (Qt.Key.Key_B, Qt.Key.Key_Period):
        press(driver, key)
        assert presenter.black.isVisible()
        press(driver, Qt.Key.Key_PageDown)
        assert not presenter.black.isVisible()
        assert driver.state.number == 2
    press(driver, Qt.Key.Key_Escape)
    assert not presenter.presenting
    press(driver, Qt.Key.Key_Right)
    assert driver.state.number == 3
    press(driver, Qt.Key.Key_B)
    assert not presenter.black.isVisible()


def gradients_are_hidden_until_a_click(started: WindowDriver, presenter: Presenter) -> None:
    driver = started
    with driver.qtbot.waitActive(driver.window):
        driver.window.activateWindow()
    driver.state.go_to(4)
    press(driver, Qt.Key.Key_H)
    assert driver.window.commands.quiz_mode.isChecked()
    assert presenter.parts is not None
    head, values = presenter.parts.head, presenter.parts.values
    assert head.quiz_mode.isVisible()
    press(driver, Qt.Key.Key_PageDown)
    assert (driver.state.number, driver.state.revealed.hides_answer) == (5, True)
    assert head.sentence.text.startswith("What does LinearFunction.backward return")
    assert sum(each.hidden for each in values.tensors) == 3
    press(driver, Qt.Key.Key_PageDown)
    assert (driver.state.number, driver.state.revealed.hides_answer) == (5, False)
    assert not any(each.hidden for each in values.tensors)
    press(driver, Qt.Key.Key_PageUp)
    assert (driver.state.number, driver.state.revealed.hides_answer) == (4, False)
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


def the_maps_of_a_check_get_the_whole_width(started: WindowDriver, presenter: Presenter) -> None:
    driver = started
    driver.window.top.show_tab(TABS[1])
    settle(driver)
    assert presenter.parts is not None
    head, values = presenter.parts.head, presenter.parts.values
    assert head.isVisible()
    assert not values.isVisible()
    assert not driver.window.docks["inspector"].isVisible()
    assert (
        driver.window.parts[CheckController].panel().width()
        == driver.window.parts[PresenterArea].width()
    )
    # A page with ideas of its own has its own timeline, and the run stays where it is.
    assert driver.state.presentation.idea is not None
    assert presenter.ideas.dots is not None
    assert not driver.window.bottom.isVisible()
    assert head.sentence.text == driver.state.presentation.idea.sentence
    driver.window.top.show_tab(TABS[0])
    assert values.isVisible()
    assert presenter.ideas.dots is None
    assert driver.window.bottom.isVisible()


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


def test_new_runs_are_shown_in_presenter_mode_too(
    started: WindowDriver, presenter: Presenter
) -> None:
    driver = started
    driver.window.start([])
    driver.wait()
    settle(driver)
    assert presenter.parts is not None
    assert presenter.parts.head.title.text.endswith(f"step {driver.state.number} of 8")
    assert presenter.parts.values.findChildren(PresenterTensor)


def test_what_is_shown_and_done_on_the_stage(started: WindowDriver) -> None:
    """All in one window, because opening it takes longer than most of this."""
    keys = [key.toString() for key in started.window.commands.full_screen.shortcuts()]
    assert keys
    assert "F11" not in keys, "it is a key for stepping"
    presenter = started.controller.presenter
    for part in (
        graph_sentence_and_values_are_shown,
        everything_can_be_read_from_the_last_row,
        a_larger_picture_has_larger_type,
        typing_in_a_field_is_never_taken_away,
        the_maps_of_a_check_get_the_whole_width,
        gradients_are_hidden_until_a_click,
        another_theme_is_large_too_and_stays,
        hidden_commands_still_hear_their_keys,
    ):
        started.state.go_to(5)
        presenter.enter(full_screen=False)
        settle(started)
        part(started, presenter)
        presenter.leave()
