"""A number of an input on the stage is turned, and the picture follows with a new run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.gallery.registry import offer_of, scene
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.writing import write_lesson
from gradviz.story.elements import FrameElement, frame_elements
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.presenter.presenter import Presenter
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.tensor_view.small.heatmap import Heatmap
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.what_if.controller import WhatIfController
from tests.gui.conftest import WindowDriver
from tests.gui.stage_texts import stage_text
from tests.viewer.traces import linear_reader

OWN = """
import torch

def square(x):
    if x[0] > 2.7:
        raise ValueError("too large")
    return (x * x).sum()

EXAMPLES = {"square": (torch.tensor([2.0, 3.0], requires_grad=True),)}
"""


@pytest.fixture
def presenter(driver: WindowDriver) -> Iterator[Presenter]:
    driver.window.parts[RunController].run_offer(offer_of(scene("linear")))
    driver.wait()
    made = driver.controller.presenter
    made.enter(full_screen=False)
    settle(driver)
    driver.window.commands.next.trigger()
    settle(driver)
    # The values of the first step: input, weight and output.
    assert (driver.state.number, made.stage.at) == (1, 1)
    yield made
    made.leave()


def settle(driver: WindowDriver) -> None:
    runs = driver.window.parts[WhatIfController].runs
    view = driver.controller.presenter.stage.view

    def is_settled() -> bool:
        is_drawn = not view.isVisible() or driver.state.presentation.is_ready
        return not runs.is_busy and is_drawn and driver.at_rest() and not view.is_moving

    driver.qtbot.waitUntil(is_settled)
    QApplication.processEvents()


def place_of(presenter: Presenter, tensor: int, position: int) -> QPoint:
    view = presenter.stage.view
    assert view.frame is not None
    found = next(
        each
        for each in frame_elements(view.frame)
        if (each.tensor, each.position) == (tensor, position)
    )
    return point_of(presenter, found)


def point_of(presenter: Presenter, element: FrameElement) -> QPoint:
    view, rect = presenter.stage.view, element.rect
    origin, unit = view.in_picture(QPointF(0, 0)), view.in_picture(QPointF(1, 0))
    scale = 1 / (unit[0] - origin[0])
    x, y = rect.x + rect.width / 2, rect.y + rect.height / 2
    return QPoint(int((x - origin[0]) * scale), int((y - origin[1]) * scale))


def argument(driver: WindowDriver, position: int) -> list[list[float]]:
    index = driver.state.index
    assert index is not None
    value = index.value(index.trace.calls[0].arguments[position].tensor)
    assert value is not None
    numbers: list[list[float]] = value.array().tolist()
    return numbers


def input_tensor(driver: WindowDriver) -> int:
    index = driver.state.index
    assert index is not None
    tensor = index.trace.calls[0].arguments[0].tensor
    assert tensor is not None
    return tensor


def press(presenter: Presenter, key: Qt.Key) -> None:
    QTest.keyClick(QApplication.focusWidget() or presenter.stage.view, key)


def test_up_and_down_turn_a_chosen_number_and_escape_brings_the_recorded_run_back(
    driver: WindowDriver, presenter: Presenter
) -> None:
    view, state = presenter.stage.view, driver.state
    recorded = state.index
    QTest.mouseClick(
        view, Qt.MouseButton.LeftButton, pos=place_of(presenter, input_tensor(driver), 2)
    )
    assert state.index is recorded, "choosing changes nothing"
    press(presenter, Qt.Key.Key_Up)
    settle(driver)
    assert argument(driver, 0) == [[0.0, 1.0], [2.5, 3.0]]
    assert (state.number, presenter.stage.at, state.level) == (1, 1, "node")
    assert "New run: input[1, 0] = 2.5 instead of 2" in stage_text(presenter)
    assert "2.5" in numbers_in(presenter)
    press(presenter, Qt.Key.Key_Down)
    press(presenter, Qt.Key.Key_Down)
    settle(driver)
    assert argument(driver, 0) == [[0.0, 1.0], [1.5, 3.0]]
    assert "instead of 2" in stage_text(presenter)
    press(presenter, Qt.Key.Key_Escape)
    settle(driver)
    assert state.index is recorded
    assert "New run" not in stage_text(presenter)
    assert (state.number, presenter.stage.at) == (1, 1)
    assert presenter.presenting, "the first Escape leaves the number only"
    press(presenter, Qt.Key.Key_Down)
    assert state.level != "node", "no number is chosen, so the key steps into the step"


@pytest.mark.parametrize("step", ["1", "5"])
def test_a_clicker_turns_the_first_number_of_a_stop_and_never_leaves_it(
    step: str, driver: WindowDriver, tmp_path: Path
) -> None:
    path = tmp_path / "a.gradviz-lesson"
    show = ("code", "{step 1 input input}")
    stop = LessonStop(scene="linear", step=step, headline="Turn", show=show)
    write_lesson(Lesson(title="All", stops=(stop,)), path)
    driver.window.parts[RunController].open_path(path)
    made, player = driver.controller.presenter, driver.window.parts[LessonPlayer]
    driver.qtbot.waitUntil(lambda: player.has_arrived and not player.is_pending)
    settle(driver)
    recorded = driver.state.index
    press(made, Qt.Key.Key_Down)
    settle(driver)
    assert (driver.state.index, driver.state.level) == (recorded, "node"), "code has none"
    player.next()
    settle(driver)
    press(made, Qt.Key.Key_Up)
    settle(driver)
    press(made, Qt.Key.Key_Up)
    settle(driver)
    assert argument(driver, 0) == [[1.0, 1.0], [2.0, 3.0]]
    assert (player.at, made.stage.at, driver.state.level) == (0, 1, "node")
    press(made, Qt.Key.Key_Escape)
    settle(driver)
    assert driver.state.index is recorded
    assert made.presenting
    made.leave()


def numbers_in(presenter: Presenter) -> set[str]:
    frame = presenter.stage.view.frame
    assert frame is not None
    found = set()
    for drawn in frame.drawn:
        for part in drawn.parts:
            value = getattr(part, "value", None)
            if value is not None:
                found |= {f"{each:g}" for each in value.array().flatten().tolist()}
    return found


def test_a_drag_shows_its_last_value_and_the_gradients_of_that_run(
    driver: WindowDriver, presenter: Presenter
) -> None:
    view, recorded = presenter.stage.view, driver.state.index
    start = place_of(presenter, input_tensor(driver), 3)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    way = 4 * driver.state.theme.px(16)
    for pixels in range(4, way + 4, 4):
        QTest.mouseMove(view, start - QPoint(0, pixels))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start - QPoint(0, way))
    settle(driver)
    assert argument(driver, 0) == [[0.0, 1.0], [2.0, 5.0]]
    index = driver.state.index
    assert index is not None
    totals = [each for each in index.trace.steps if type(each).__name__ == "AccumulateStep"]
    found = {index.node[each.node].variable_name: index.value(each.total.tensor) for each in totals}
    # output.sum(): the gradient of weight is the sum of the input's rows, once for each column.
    assert found["weight"].array().tolist() == [[2.0] * 3, [6.0] * 3]
    driver.state.go_to(3)
    settle(driver)
    press(presenter, Qt.Key.Key_Backspace)
    settle(driver)
    assert (driver.state.index, driver.state.number) == (recorded, 3)


def test_tab_goes_through_the_numbers_and_backspace_keeps_the_choice(
    driver: WindowDriver, presenter: Presenter
) -> None:
    recorded = driver.state.index
    knob = driver.window.parts[WhatIfController].knob
    press(presenter, Qt.Key.Key_Tab)
    assert knob.element is not None
    assert knob.element.position == 0
    press(presenter, Qt.Key.Key_Tab)
    assert knob.element.position == 1
    press(presenter, Qt.Key.Key_Up)
    settle(driver)
    assert argument(driver, 0) == [[0.0, 1.5], [2.0, 3.0]]
    press(presenter, Qt.Key.Key_Backspace)
    settle(driver)
    assert driver.state.index is recorded
    assert knob.element is not None
    assert knob.element.position == 1
    # A step later, the picture has no input, and the keys step as usual.
    driver.state.go_to(2)
    settle(driver)
    press(presenter, Qt.Key.Key_Up)
    assert driver.state.index is recorded


def test_numbers_of_a_trace_without_a_program_cannot_be_turned(driver: WindowDriver) -> None:
    driver.state.show(linear_reader())
    made = driver.controller.presenter
    made.enter(full_screen=False)
    driver.state.go_to(1)
    settle(driver)
    press(made, Qt.Key.Key_Tab)
    assert driver.window.parts[WhatIfController].knob.element is None
    made.leave()


@pytest.mark.quick
def test_plus_and_drag_in_the_inspector_repeat_the_run_at_the_same_place(
    driver: WindowDriver,
) -> None:
    driver.window.parts[RunController].run_offer(offer_of(scene("linear")))
    driver.wait()
    controller = driver.window.parts[WhatIfController]

    def heatmap_of(name: str) -> Heatmap:
        views = driver.window.findChildren(TensorView)
        return next(
            each.heatmap
            for each in views
            if each.isVisible() and each.display is not None and each.display.name == name
        )

    def rest() -> None:
        driver.qtbot.waitUntil(lambda: not controller.runs.is_busy and driver.at_rest())

    heatmap = heatmap_of("weight")
    spot = heatmap.cell_rect(1, 0).center().toPoint()
    QTest.mouseClick(heatmap, Qt.MouseButton.LeftButton, pos=spot)
    heatmap.setFocus()
    QTest.keyClick(heatmap, Qt.Key.Key_Plus)
    rest()
    assert argument(driver, 1) == [[0.0, 1.0, 2.0], [3.5, 4.0, 5.0]]
    assert driver.window.messages.text.startswith("What If: weight[1, 0] = 3.5 instead of 3")
    assert controller.panel.isVisible()
    driver.qtbot.waitUntil(lambda: "3.5" in str(heatmap_of("weight").numbers))
    QTest.keyClick(heatmap_of("weight"), Qt.Key.Key_Minus)
    rest()
    assert argument(driver, 1) == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert driver.session.baseline is None, "the recorded number is that of the recorded run"

    heatmap = heatmap_of("input")
    spot = heatmap.cell_rect(0, 1).center().toPoint()
    QTest.mousePress(heatmap, Qt.MouseButton.LeftButton, pos=spot)
    down = QPoint(0, 2 * driver.state.theme.px(16))
    QTest.mouseMove(heatmap, spot + down)
    QTest.mouseRelease(heatmap, Qt.MouseButton.LeftButton, pos=spot + down)
    rest()
    assert argument(driver, 0) == [[0.0, 0.0], [2.0, 3.0]]
    assert driver.state.number == 1

    heatmap = heatmap_of("output")
    QTest.mouseClick(
        heatmap, Qt.MouseButton.LeftButton, pos=heatmap.cell_rect(0, 0).center().toPoint()
    )
    QTest.keyClick(heatmap, Qt.Key.Key_Plus)
    assert driver.window.messages.text.startswith("Only a number of an input")
    assert not controller.runs.is_busy


@pytest.mark.quick
def test_a_run_that_fails_says_why_and_leaves_the_picture(
    driver: WindowDriver, tmp_path: Path
) -> None:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    controller, recorded = driver.window.parts[WhatIfController], driver.state.index
    assert recorded is not None
    (argument_tensor,) = {
        node.variable for node in recorded.trace.nodes if node.variable_name == "x"
    }
    assert argument_tensor is not None
    controller.knob.choose(controller.knob.element_of(recorded, argument_tensor, 0))
    controller.knob.turn(1)
    controller.knob.turn(1)
    driver.qtbot.waitUntil(lambda: not controller.runs.is_busy)
    driver.wait()
    assert "too large" in driver.window.messages.text
    controller.knob.turn(-4)
    driver.qtbot.waitUntil(lambda: not controller.runs.is_busy)
    driver.wait()
    assert driver.window.messages.text.startswith("What If: x[0] = 1 instead of 2")
    # Of the two requests that came at once, the first may have been shown for a moment.
    assert driver.session.baseline is not None
    assert driver.session.baseline.index is recorded


def test_a_run_is_repeated_in_the_detail_of_the_recorded_one(driver: WindowDriver) -> None:
    preferences, state = driver.state.preferences, driver.state
    preferences.recording_level = "all"
    driver.window.parts[RunController].run_offer(offer_of(scene("linear")))
    driver.wait()
    preferences.recording_level = "nodes"
    while state.place is not None and state.place.line is None:
        driver.window.commands.into.trigger()
    place, recorded = state.place, state.index
    assert recorded is not None
    controller = driver.window.parts[WhatIfController]
    controller.knob.choose(controller.knob.element_of(recorded, input_tensor(driver), 0))
    controller.knob.turn(1)
    driver.qtbot.waitUntil(lambda: not controller.runs.is_busy)
    assert state.index is not recorded
    assert state.place == place
    driver.wait()
