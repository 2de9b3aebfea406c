"""The panels of the bar at the left edge: over the graph while used, docked while pinned."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window_controller import WindowController, make_application
from tests.gui.conftest import WindowDriver

SIDES = ("library", "inputs", "outline", "guide", "lesson")
SOURCE = """
import torch

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad

EXAMPLES = {"Twice": [torch.ones(2, requires_grad=True)]}
"""


@pytest.fixture
def started(driver: WindowDriver) -> WindowDriver:
    driver.start()
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    return driver


def open_by_mouse(driver: WindowDriver, name: str) -> None:
    QTest.mouseClick(driver.window.sides.rail.button(name), Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def scene_of(graph: GraphPanel) -> GraphScene:
    shown = graph.view.scene()
    assert isinstance(shown, GraphScene)
    return shown


def each_panel_opens_over_the_graph_and_closes_the_one_before(started: WindowDriver) -> None:
    window, graph = started.window, started.window.parts[GraphPanel]
    overlay, rail = window.sides.overlay, window.sides.rail
    size, place = graph.size(), graph.view.viewportTransform()
    for name in SIDES:
        open_by_mouse(started, name)
        assert [each for each in SIDES if window.docks[each].isVisible()] == [name]
        assert [each for each in SIDES if rail.button(each).isChecked()] == [name]
        assert overlay.isAncestorOf(window.focusWidget())
        assert overlay.height() == graph.height()
        assert graph.size() == size
        seen = graph.view.mapFromScene(scene_of(graph).graph_rect()).boundingRect()
        assert seen.left() >= overlay.width() - 1
        assert seen.right() <= graph.view.width() + 1
        graph.strip.facts.setText("what the bar below the graph says " * 3)
        QApplication.processEvents()
        assert graph.strip.facts.x() >= overlay.width()
    open_by_mouse(started, SIDES[-1])
    assert not overlay.isVisible()
    assert graph.view.viewportTransform() == place
    assert not rail.button(SIDES[-1]).isChecked()


def escape_and_a_click_outside_close_it_so_that_the_keys_step(started: WindowDriver) -> None:
    window, overlay = started.window, started.window.sides.overlay
    bar = window.parts[TimelinePanel].bar
    open_by_mouse(started, "inputs")
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert not overlay.isVisible()
    assert window.focusWidget() is bar
    window.show_part("library")
    inside = overlay.mapTo(window, QPoint(80, 12))
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=inside)
    assert overlay.isVisible()
    # The title of the run takes no focus.
    outside = window.top.subject.mapTo(window, window.top.subject.rect().center())
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=outside)
    assert not overlay.isVisible()
    window.show_part("library")
    window.parts[GraphPanel].view.setFocus()
    assert not overlay.isVisible()


def a_choice_closes_it_and_the_arrow_keys_step(started: WindowDriver) -> None:
    window = started.window
    open_by_mouse(started, "library")
    QTest.keyClicks(window.search.field, "exp")
    QTest.keyClick(window.search.field, Qt.Key.Key_Return)
    assert not window.library.isVisible()
    started.qtbot.waitUntil(lambda: window.top.subject.text() == "Exp")
    started.wait()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Right)
    assert started.state.number == 2
    open_by_mouse(started, "inputs")
    assert window.parts[InputsForm].isVisible()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert not window.parts[InputsForm].isVisible()
    started.wait()


@pytest.mark.quick
def test_a_pinned_panel_stays_and_is_remembered(started: WindowDriver) -> None:
    window, graph = started.window, started.window.parts[GraphPanel]
    width = graph.width()
    started.pin("library", "inputs")
    QApplication.processEvents()
    library, inputs = window.docks["library"], window.docks["inputs"]
    assert inputs.y() > library.geometry().bottom()
    assert graph.width() < width - 200
    window.library.pick(list(window.library.entries())[1])
    assert library.isVisible()
    assert window.focusWidget() is window.parts[TimelinePanel].bar
    started.wait()
    open_by_mouse(started, "inputs")
    assert not inputs.isVisible()
    window.close()
    again = WindowController(make_application([]), "light")
    try:
        again.window.show()
        QApplication.processEvents()
        assert again.window.sides.pinned == ("library", "inputs")
        assert again.window.docks["library"].isVisible()
        assert not again.window.docks["inputs"].isVisible()
        again.window.sides.title("library").pin.click()
        assert again.window.sides.pinned == ("inputs",)
        again.window.commands.restore.trigger()
        assert again.window.sides.pinned == ()
    finally:
        again.close()


def test_a_wide_window_pins_library_and_inputs_unless_the_user_decided(
    driver: WindowDriver,
) -> None:
    window = driver.window
    assert window.sides.pinned == ()
    window.resize(1920, 1080)
    QApplication.processEvents()
    assert window.sides.pinned == ("library", "inputs")
    # The layout follows when Qt has told it of all new sizes.
    width = pytest.approx(270, abs=3)
    driver.qtbot.waitUntil(lambda: window.docks["library"].width() == width)
    window.resize(1280, 800)
    QApplication.processEvents()
    assert window.sides.pinned == ()
    assert not window.docks["library"].isVisible()
    driver.pin("outline")
    window.resize(1920, 1080)
    QApplication.processEvents()
    assert window.sides.pinned == ("outline",)


def an_opened_file_clears_the_filter_and_is_selected(started: WindowDriver, tmp_path: Path) -> None:
    window = started.window
    window.search.field.setText("cube")
    path = tmp_path / "twice.py"
    path.write_text(SOURCE)
    window.parts[RunController].open_path(path)
    started.qtbot.waitUntil(lambda: window.top.subject.text() == "Twice")
    started.wait()
    assert window.search.field.text() == ""
    entry = window.library.shown_entry()
    assert entry is not None
    assert entry.row.texts[0] == "Twice"
    # A visible entry leaves the filter alone.
    window.search.field.setText("exp")
    window.parts[RunController].run_offer(offer_of(scene("exp")))
    started.wait()
    assert window.search.field.text() == "exp"


def test_panels_open_choose_and_close(started: WindowDriver, tmp_path: Path) -> None:
    """All in one window, because opening it takes longer than most of this."""
    each_panel_opens_over_the_graph_and_closes_the_one_before(started)
    escape_and_a_click_outside_close_it_so_that_the_keys_step(started)
    a_choice_closes_it_and_the_arrow_keys_step(started)
    an_opened_file_clears_the_filter_and_is_selected(started, tmp_path)
