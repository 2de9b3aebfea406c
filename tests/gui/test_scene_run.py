"""From choosing a scene to its Jacobians, by clicks and keys on the real widgets."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QPushButton

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.status_bar import WindowStatusBar
from tests.gui.conftest import WindowDriver

LEFT = Qt.MouseButton.LeftButton


def pick(driver: WindowDriver, scene_id: str) -> None:
    library = driver.window.library
    row = library.place_of(library.entry_of(offer_of(scene(scene_id)).subject))
    library.scrollTo(row)
    place = library.visualRect(row).center()
    driver.qtbot.mouseClick(library.viewport(), LEFT, pos=place)
    driver.wait()


def click_node(driver: WindowDriver, node: int) -> None:
    view = driver.window.parts[GraphPanel].view
    place = driver.node_place(node)
    driver.qtbot.mouseClick(view.viewport(), LEFT, pos=place)


def picking_a_scene_runs_it(driver: WindowDriver) -> None:
    pick(driver, "functional-linear")
    assert driver.window.top.subject.text() == "FunctionalLinear"
    assert [row.name for row in driver.window.parts[InputsForm].rows] == ["x", "weight", "bias"]
    index = driver.state.index
    assert index is not None
    assert index.trace.origin.subject == "scene:functional-linear"


def stepping_with_buttons_and_keys(driver: WindowDriver) -> None:
    qtbot, bar = driver.qtbot, driver.window.parts[TimelinePanel].bar
    driver.window.commands.next.trigger()
    assert driver.state.number == 2
    bar.setFocus()
    qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert driver.state.number == 3
    qtbot.keyClick(bar, Qt.Key.Key_Left)
    qtbot.keyClick(bar, Qt.Key.Key_End)
    assert driver.state.number == 8
    assert not driver.window.commands.next.isEnabled()
    qtbot.keyClick(bar, Qt.Key.Key_Home)
    assert driver.state.number == 1


def dragging_along_the_timeline(driver: WindowDriver) -> None:
    bar = driver.window.parts[TimelinePanel].bar
    height = bar.height() // 2
    places = [QPoint(round(bar.x_of(number)), height) for number in (2, 5, 7)]
    driver.qtbot.mousePress(bar, LEFT, pos=places[0])
    assert driver.state.number == 2
    driver.qtbot.mouseMove(bar, places[1])
    assert driver.state.number == 5
    driver.qtbot.mouseMove(bar, places[2])
    driver.qtbot.mouseRelease(bar, LEFT, pos=places[2])
    assert driver.state.number == 7


def playing_goes_to_the_end_and_stops(driver: WindowDriver) -> None:
    timeline = driver.window.parts[TimelinePanel]
    driver.window.commands.speeds.actions()[-1].trigger()
    driver.qtbot.keyClick(timeline.bar, Qt.Key.Key_Space)
    assert timeline.player.playing
    driver.qtbot.waitUntil(lambda: not timeline.player.playing)
    assert driver.state.number == 8


def clicking_a_node_selects_it_and_arrows_go_on(driver: WindowDriver) -> None:
    index = driver.state.index
    assert index is not None
    custom = next(node.id for node in index.trace.nodes if node.kind == "custom")
    click_node(driver, custom)
    assert driver.state.selection == custom
    view = driver.window.parts[GraphPanel].view
    driver.qtbot.keyClick(view, Qt.Key.Key_Down)
    below = driver.state.selection
    assert below is not None
    assert index.node[below].name == "SumBackward0"
    driver.qtbot.keyClick(view, Qt.Key.Key_Return)
    assert driver.state.number in (*index.visits[below], index.made_at[below])
    driver.qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert driver.state.selection is None


def gradients_appear_on_edges_as_they_flow(driver: WindowDriver) -> None:
    scene_ = driver.window.parts[GraphPanel].scene
    assert scene_ is not None
    assert scene_.labels.labels == {}
    driver.state.go_to(5)
    assert set(scene_.labels.labels.values()) == {
        "1",
        "grad_output 2×3",
        "grad_input 2×2",
        "grad_weight 2×3",
    }


@pytest.mark.quick
def test_first_window_is_not_empty_and_its_run_is_walked(driver: WindowDriver) -> None:
    driver.start()
    assert driver.window.top.subject.text() == "LinearFunction, merged"
    assert driver.state.count == 8
    assert driver.window.parts[TimelinePanel].where.text() == "step 1 of 8"
    assert driver.window.parts[GraphPanel].scene is not None
    assert "8 steps" in driver.window.parts[WindowStatusBar].facts.toolTip()
    # The rest in the same window, because opening it takes longer.
    for part in (
        gradients_appear_on_edges_as_they_flow,
        stepping_with_buttons_and_keys,
        dragging_along_the_timeline,
        clicking_a_node_selects_it_and_arrows_go_on,
        playing_goes_to_the_end_and_stops,
    ):
        driver.state.first_step()
        part(driver)


def run_again(driver: WindowDriver) -> None:
    driver.qtbot.mouseClick(driver.window.top.run, LEFT)
    driver.qtbot.waitUntil(lambda: driver.session.activity == "running")
    driver.wait()


def test_running_again_stays_at_the_step_or_line_and_the_place(driver: WindowDriver) -> None:
    driver.start()
    driver.state.go_to(5)
    driver.window.parts[GraphPanel].view.zoom_to(0.7)
    run_again(driver)
    assert driver.state.number == 5
    assert driver.window.parts[GraphPanel].view.scale_factor == pytest.approx(0.7)
    there = TracePosition(step=5, stage="backward", line=2)
    driver.state.go_to_place(there, "line")
    run_again(driver)
    assert (driver.state.place, driver.state.level) == (there, "line")


@pytest.mark.quick
def test_a_scene_is_picked_and_its_check_shows_the_verdict(driver: WindowDriver) -> None:
    driver.start()
    picking_a_scene_runs_it(driver)
    pick(driver, "linear-wrong")
    tabs = driver.window.top.tabs
    driver.qtbot.mouseClick(tabs, LEFT, pos=tabs.tabRect(1).center())
    panel = driver.window.parts[CheckController].panel()
    button = next(
        each for each in panel.findChildren(QPushButton) if each.text().replace("&", "") == "Check"
    )
    driver.qtbot.mouseClick(button, LEFT)
    assert driver.session.activity == "checking"
    driver.qtbot.waitUntil(driver.at_rest)
    index = driver.state.index
    assert index is not None
    report = index.trace.reports[-1]
    assert report.verdict == "mismatch"
    assert [block.wrong for block in report.blocks] == [0, 6]
    assert panel.maps.view is not None


def test_a_run_that_is_replaced_before_it_is_shown_leaves_no_files(driver: WindowDriver) -> None:
    driver.start()
    session, offer = driver.session, offer_of(scene("exp"))
    replaced = []

    def replace(activity: str) -> None:
        if activity == "opening" and len(replaced) < 2:
            replaced.append(session.opening)
            QTimer.singleShot(0, lambda: session.run(offer))

    session.activity_changed.connect(replace)
    session.run(offer)
    driver.qtbot.waitUntil(lambda: len(replaced) == 2 and driver.at_rest())
    assert replaced == [offer, offer]
    # A reader may create files of a trace that has been replaced meanwhile; the next run deletes
    # them.
    session.run(offer)
    driver.wait()
    shown, before = session.trace_path, session.before
    assert shown is not None
    kept = {shown, before.path} if before else {shown}
    names = {each.name.partition(".gradviz")[0] for each in shown.parent.iterdir()}
    assert names == {each.stem for each in kept}
