"""From choosing a scene to its Jacobians, by clicks and keys on the real widgets."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.status_bar import WindowStatusBar
from tests.gui.conftest import PATIENCE_MS, Desk

LEFT = Qt.MouseButton.LeftButton


def pick(desk: Desk, scene_id: str) -> None:
    library = desk.window.library
    item = library.item_of(offer_of(scene(scene_id)))
    assert item is not None
    library.scrollToItem(item)
    place = library.visualItemRect(item).center()
    desk.qtbot.mouseClick(library.viewport(), LEFT, pos=place)
    desk.wait()


def click_node(desk: Desk, node: int) -> None:
    view = desk.window.parts[GraphPanel].view
    place = desk.window.parts[GraphPanel].node_rect(node).center().toPoint()
    desk.qtbot.mouseClick(view.viewport(), LEFT, pos=place)


def test_first_window_is_not_empty(desk: Desk) -> None:
    desk.start()
    assert desk.window.top.subject.text() == "LinearFunction, merged"
    assert desk.state.count == 8
    assert desk.window.parts[TimelinePanel].controls.where.text() == "step 1 of 8 · FORWARD"
    assert desk.window.parts[GraphPanel].scene is not None
    assert "8 steps" in desk.window.parts[WindowStatusBar].facts.text()


def test_picking_a_scene_runs_it(desk: Desk) -> None:
    desk.start()
    pick(desk, "functional-linear")
    assert desk.window.top.subject.text() == "FunctionalLinear"
    assert [row.name for row in desk.window.parts[InputsForm].rows] == ["x", "weight", "bias"]
    index = desk.state.index
    assert index is not None
    assert index.trace.origin.subject == "scene:functional-linear"


def test_stepping_with_buttons_and_keys(desk: Desk) -> None:
    desk.start()
    qtbot, bar = desk.qtbot, desk.window.parts[TimelinePanel].bar
    desk.window.commands.next.trigger()
    assert desk.state.number == 2
    bar.setFocus()
    qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert desk.state.number == 3
    qtbot.keyClick(bar, Qt.Key.Key_Left)
    qtbot.keyClick(bar, Qt.Key.Key_End)
    assert desk.state.number == 8
    assert not desk.window.commands.next.isEnabled()
    qtbot.keyClick(bar, Qt.Key.Key_Home)
    assert desk.state.number == 1


def test_dragging_along_the_timeline(desk: Desk) -> None:
    desk.start()
    bar = desk.window.parts[TimelinePanel].bar
    height = bar.height() // 2
    places = [QPoint(round(bar.x_of(number)), height) for number in (2, 5, 7)]
    desk.qtbot.mousePress(bar, LEFT, pos=places[0])
    assert desk.state.number == 2
    desk.qtbot.mouseMove(bar, places[1])
    assert desk.state.number == 5
    desk.qtbot.mouseMove(bar, places[2])
    desk.qtbot.mouseRelease(bar, LEFT, pos=places[2])
    assert desk.state.number == 7


def test_playing_goes_to_the_end_and_stops(desk: Desk) -> None:
    desk.start()
    timeline = desk.window.parts[TimelinePanel]
    speed = timeline.controls.speed
    speed.setCurrentIndex(speed.count() - 1)
    desk.qtbot.keyClick(timeline.bar, Qt.Key.Key_Space)
    assert timeline.player.playing
    desk.qtbot.waitUntil(lambda: not timeline.player.playing, timeout=10_000)
    assert desk.state.number == 8


def test_clicking_a_node_selects_it_and_arrows_go_on(desk: Desk) -> None:
    desk.start()
    index = desk.state.index
    assert index is not None
    custom = next(node.id for node in index.trace.nodes if node.kind == "custom")
    click_node(desk, custom)
    assert desk.state.selection == custom
    view = desk.window.parts[GraphPanel].view
    desk.qtbot.keyClick(view, Qt.Key.Key_Down)
    below = desk.state.selection
    assert below is not None
    assert index.node[below].name == "SumBackward0"
    desk.qtbot.keyClick(view, Qt.Key.Key_Return)
    assert desk.state.number in (*index.visits[below], index.made_at[below])
    desk.qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert desk.state.selection is None


def test_gradients_appear_on_edges_as_they_flow(desk: Desk) -> None:
    desk.start()
    scene_ = desk.window.parts[GraphPanel].scene
    assert scene_ is not None
    assert scene_.labels.labels == {}
    desk.state.go_to(5)
    assert set(scene_.labels.labels.values()) == {
        "1",
        "grad_output 2×3",
        "grad_input 2×2",
        "grad_weight 2×3",
    }


def test_running_again_stays_at_the_step_and_the_place(desk: Desk) -> None:
    desk.start()
    desk.state.go_to(5)
    desk.window.parts[GraphPanel].view.zoom_to(0.7)
    desk.qtbot.mouseClick(desk.window.top.run, LEFT)
    desk.qtbot.waitUntil(lambda: desk.session.activity == "running")
    desk.wait()
    assert desk.state.number == 5
    assert desk.window.parts[GraphPanel].view.scale_factor == pytest.approx(0.7)


def test_running_again_stays_at_the_line(desk: Desk) -> None:
    desk.start()
    there = TracePosition(step=5, stage="backward", line=2)
    desk.state.go_to_place(there, "line")
    desk.qtbot.mouseClick(desk.window.top.run, LEFT)
    desk.qtbot.waitUntil(lambda: desk.session.activity == "running")
    desk.wait()
    assert (desk.state.place, desk.state.level) == (there, "line")


def test_checking_shows_the_verdict(desk: Desk) -> None:
    desk.start()
    pick(desk, "linear-wrong")
    tabs = desk.window.top.tabs
    desk.qtbot.mouseClick(tabs, LEFT, pos=tabs.tabRect(1).center())
    panel = desk.window.parts[CheckController].panel()
    button = next(
        each for each in panel.findChildren(QPushButton) if each.text().replace("&", "") == "Check"
    )
    desk.qtbot.mouseClick(button, LEFT)
    assert desk.session.activity == "checking"
    desk.qtbot.waitUntil(desk.at_rest, timeout=PATIENCE_MS)
    index = desk.state.index
    assert index is not None
    report = index.trace.reports[-1]
    assert report.verdict == "mismatch"
    assert [block.wrong for block in report.blocks] == [0, 6]
    assert panel.block_view is not None
